"""The life of a CRD after it is stored: established at once, and gone with its objects."""

from typing import Final

from migrate.sandbox.apiserver.protocol.values import Document, clone, metadata_of, name_of
from migrate.sandbox.apiserver.resources.crds import CRD_KEY
from migrate.sandbox.apiserver.schemas.defaulting import fill_defaults
from migrate.sandbox.apiserver.schemas.pruning import prune
from migrate.sandbox.apiserver.storage.store import Slot, StorageKey
from migrate.sandbox.apiserver.verbs.call import Call, Core

_CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"


def settle(core: Core, call: Call) -> None:
    """Do what the server itself does after *call* has written a CRD or a custom object."""
    if call.resource.key == CRD_KEY:
        settle_crd(core, call.target.name)
    elif call.resource.custom:
        settle_crd(core, f"{call.resource.plural}.{call.resource.group}", only_if_leaving=True)


def settle_all(core: Core) -> None:
    """Establish every CRD in the store."""
    for slot, _ in core.store.items(CRD_KEY):
        settle_crd(core, slot.name)


def settle_crd(core: Core, name: str, *, only_if_leaving: bool = False) -> None:
    """Establish the CRD of that *name*, or remove it with its objects."""
    with core.store.lock:
        if not name and not only_if_leaving:
            settle_all(core)
            return
        found = core.store.get(CRD_KEY, Slot("", name))
        if found is None:
            return
        if metadata_of(found).get("deletionTimestamp"):
            _clear(core, found)
        elif not only_if_leaving:
            if not _is_established(found):
                core.store.put(CRD_KEY, _established(core, found))
            _reread(core, found)


def hold_for_cleanup(core: Core, name: str) -> None:
    """Let a CRD that is about to be deleted wait for its objects."""
    found = core.store.get(CRD_KEY, Slot("", name))
    if found is None or not core.store.count(_key(found)):
        return
    held: Document = clone(found)
    metadata = metadata_of(held)
    if _CLEANUP not in (metadata.get("finalizers") or []):
        metadata["finalizers"] = [*(metadata.get("finalizers") or []), _CLEANUP]
        core.store.put(CRD_KEY, held)


def _reread(core: Core, crd: Document) -> None:
    """Show the stored objects as the present schema reads them: fields pruned, defaults filled."""
    stored = next(version["name"] for version in crd["spec"]["versions"] if version.get("storage"))
    resource = core.catalogue.find(_key(crd).group, stored, _key(crd).plural)
    if resource is None or resource.schema is None:
        return
    for slot, document in core.store.items(resource.key):
        core.store.show_as(
            resource.key, slot, read_custom(resource.schema, core.store.raw(resource.key, slot, document))
        )


def read_custom(schema: Document, document: Document) -> Document:
    """Return *document* as *schema* reads it; nothing is validated."""
    made: Document = prune(schema, document)[0]
    fill_defaults(schema, made)
    return made


def _key(crd: Document) -> StorageKey:
    return StorageKey(crd["spec"]["group"], crd["spec"]["names"]["plural"])


def _clear(core: Core, crd: Document) -> None:
    key = _key(crd)
    for slot, document in core.store.items(key):
        metadata = metadata_of(document)
        if not metadata.get("finalizers"):
            core.store.remove(key, slot)
        elif not metadata.get("deletionTimestamp"):
            marked: Document = clone(document)
            metadata_of(marked)["deletionTimestamp"] = core.now()
            metadata_of(marked)["deletionGracePeriodSeconds"] = 0
            core.store.put(key, marked)
    finalizers = metadata_of(crd).get("finalizers") or []
    if _CLEANUP in finalizers and not core.store.count(key):
        left: Document = clone(crd)
        metadata_of(left)["finalizers"] = [each for each in finalizers if each != _CLEANUP]
        if metadata_of(left)["finalizers"]:
            core.store.put(CRD_KEY, left)
        else:
            core.store.remove(CRD_KEY, Slot("", name_of(crd)))


def _is_established(crd: Document) -> bool:
    status = crd.get("status") or {}
    established = any(
        each.get("type") == "Established" and each.get("status") == "True" for each in status.get("conditions") or ()
    )
    return established and status.get("acceptedNames") == crd["spec"]["names"] and not _new_versions(crd)


def _new_versions(crd: Document) -> list[str]:
    stored = (crd.get("status") or {}).get("storedVersions") or []
    return [each["name"] for each in crd["spec"]["versions"] if each.get("storage") and each["name"] not in stored]


def _established(core: Core, crd: Document) -> Document:
    made: Document = clone(crd)
    status = made.setdefault("status", {})
    known = {each["type"]: each for each in status.get("conditions") or ()}
    for kind, reason, message in (
        ("NamesAccepted", "NoConflicts", "no conflicts found"),
        ("Established", "InitialNamesAccepted", "the initial names have been accepted"),
    ):
        if known.get(kind, {}).get("status") != "True":
            known[kind] = {
                "type": kind,
                "status": "True",
                "lastTransitionTime": core.now(),
                "reason": reason,
                "message": message,
            }
    status["conditions"] = list(known.values())
    status["acceptedNames"] = clone(crd["spec"]["names"])
    status["storedVersions"] = [*(status.get("storedVersions") or []), *_new_versions(crd)]
    return made
