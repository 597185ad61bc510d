"""Pages of what the plan of a way back says beside its steps, and which action each of its steps is."""

from typing import Final

from migrate.changes.explain_page import Page, page

STEPS: Final = {
    "access-back": "CheckAccess",
    "backup-back": "BackUp",
    "back": "SetFields",
    "ipp": "Wait",
    "restore": "Restore",
    "restart": "Restart",
    "restarted": "Wait",
    "compare": "Restore",
}
"""The action of each step of a way back, by its id; the last one, ``final``, is called as in the runbooks."""

_SOURCE: Final = "contract §4.6"


def _note(code: str, *texts: str) -> Page:
    return page("finding", code, *texts, _SOURCE)


PAGES: Final = (
    _note(
        "LeftAsIpp",
        "The tenant stays pinned to IPP after the way back.",
        "Without the annotation some builds of 3.6 move a tenant to Praxis by themselves.",
        "Nothing; a later plan flips the tenant from there.",
    ),
    _note(
        "PraxisLeft",
        "The tenant is on Praxis, and this run did not put it there.",
        "Somebody else moved it, such as a second run on another machine; a way back undoes its own run only.",
        "Look for that run with maas-migrate status where it was begun, and take that one back.",
    ),
    _note(
        "DefaultLeft",
        "There was no plugins ConfigMap before the run, and the product's default that appears now is left.",
        "The controller would create it again; IPP serves with it as it did without.",
        "Nothing.",
    ),
    _note(
        "ForceLeft",
        "The force annotation stands on the tenant, and this run did not set it.",
        "It would force a later move too, with all that it loses.",
        "Find out who set it, and take it away where nobody needs it.",
    ),
    _note(
        "ConfigMapLeft",
        "The plugins ConfigMap is not what was saved, and this run never put it at stake.",
        "Whoever changed it, such as the upgrade of the operator, may have meant to; it is not overwritten.",
        "Compare it with the saved text, which maas-migrate backups export writes, and decide.",
    ),
    _note(
        "TranslationLeft",
        "spec.apiTranslation is not taken back.",
        "It is somebody else's value or the controller's, and IPP ignores it.",
        "Nothing for IPP; look at it again before the next move to Praxis.",
    ),
    _note(
        "OwnerNotPutBack",
        "The saved object belonged to an object that is not there any more, so it comes back without that owner.",
        "With an owner that is gone, the cluster would delete it at once.",
        "Nothing, unless something looks for that owner.",
    ),
    _note(
        "AnnotationNotPutBack",
        "An annotation of the saved ConfigMap is not put back.",
        "It is a mark of the migration, or kubectl's copy that no longer fits; put back, it would tell what is not so.",
        "Nothing.",
    ),
    _note(
        "ImmutableReplaced",
        "The ConfigMap that lies there is immutable: it can only be deleted and created again.",
        "Between the two there is none; no signal stops the program there, and what was there is saved first.",
        "Nothing.",
    ),
)
"""What a person should know of one tenant on the way back."""
