"""One call on its way through the server."""

import random
from dataclasses import dataclass, field
from typing import Any, Final

from migrate.sandbox.apiserver.access.users import User
from migrate.sandbox.apiserver.clock import Clock, timestamp
from migrate.sandbox.apiserver.patching.ownership import Manager, Operation
from migrate.sandbox.apiserver.protocol.statuses import Cause, StatusError, bad_request, invalid, not_found
from migrate.sandbox.apiserver.protocol.target import Target
from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.protocol.wire import Request
from migrate.sandbox.apiserver.resources.catalogue import Catalogue
from migrate.sandbox.apiserver.resources.resource import Resource
from migrate.sandbox.apiserver.storage.store import Slot, Store

_MAX_MANAGER: Final = 128
_OPTIONS: Final = {
    "POST": "CreateOptions",
    "PUT": "UpdateOptions",
    "PATCH": "PatchOptions",
    "DELETE": "DeleteOptions",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """The parts that every verb works with."""

    store: Store
    catalogue: Catalogue
    clock: Clock
    rng: random.Random

    def now(self) -> str:
        """Return the present instant as Kubernetes writes it."""
        return timestamp(self.clock.now())


_VALIDATIONS: Final = ("", "Ignore", "Strict", "Warn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that has been understood: who wants what of which resource."""

    request: Request
    user: User
    target: Target
    resource: Resource
    warnings: list[str] = field(default_factory=list)

    @property
    def slot(self) -> Slot:
        """Where the object of the call lies."""
        return Slot(self.target.namespace, self.target.name)

    @property
    def schema(self) -> Document:
        """The schema of the resource, an empty one where there is none."""
        return self.resource.schema or {}

    def option(self, name: str) -> str:
        """Return the query parameter *name*, or an empty string."""
        return self.request.query.get(name, "")

    def is_set(self, name: str) -> bool:
        """Whether the query parameter *name* says yes."""
        return self.option(name).lower() in {"1", "true", "t"}

    @property
    def dry_run(self) -> bool:
        """Whether nothing may be stored."""
        value = self.option("dryRun")
        if value not in {"", "All"}:
            raise self.invalid_option(Cause.unsupported("dryRun", [value], ["All"]))
        return value == "All"

    def must_have_usable_options(self) -> None:
        """
        Look at the options of a write before anything else.

        Raises:
            StatusError: One has a value that it cannot have.
        """
        values = (
            ("dryRun", self.option("dryRun"), ["All"], True),
            ("fieldValidation", self.option("fieldValidation"), list(_VALIDATIONS), False),
        )
        causes = [
            Cause.unsupported(name, [value] if is_list else value, allowed)
            for name, value, allowed, is_list in values
            if value and value not in allowed
        ]
        if causes:
            raise self.invalid_option(*causes)

    @property
    def field_validation(self) -> str:
        """What becomes of unknown fields: ``Strict``, ``Warn`` or ``Ignore``."""
        value = self.option("fieldValidation") or "Warn"
        if value not in {"Strict", "Warn", "Ignore"}:
            raise self.invalid_option(Cause.unsupported("fieldValidation", value, _VALIDATIONS))
        return value

    def manager(self, operation: Operation) -> Manager:
        """
        Return who becomes the owner of what is written.

        Raises:
            StatusError: The name is too long.
        """
        if len(self.option("fieldManager")) > _MAX_MANAGER:
            raise self.invalid_option(Cause.too_long("fieldManager", _MAX_MANAGER))
        name = self.option("fieldManager") or self.request.header("user-agent").split("/")[0] or "unknown"
        return Manager(
            name=name[:_MAX_MANAGER],
            operation=operation,
            api_version=self.resource.api_version,
            subresource=self.target.subresource,
        )

    def not_found(self, name: str = "") -> StatusError:
        """Return the refusal for the absent object."""
        return not_found(self.resource.plural, self.resource.group, name or self.target.name)

    def invalid_option(self, *causes: Cause) -> StatusError:
        """Return the refusal for query parameters of wrong values."""
        kind = _OPTIONS.get(self.request.method, "ListOptions")
        return invalid(kind, "meta.k8s.io", "", causes)


def whole_number(call: Call, name: str) -> int | None:
    """
    Return the query parameter *name* as a number, None where it is absent.

    Raises:
        StatusError: It is no number.
    """
    text = call.option(name)
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None


def must_get(core: Core, call: Call) -> Document:
    """
    Return the stored object of *call*.

    Raises:
        StatusError: There is none.
    """
    found = core.store.get(call.resource.key, call.slot)
    if found is None:
        raise call.not_found()
    return found


def as_version(resource: Resource, document: Document) -> Document:
    """Return *document* as the version of *resource* shows it."""
    if document.get("apiVersion") == resource.api_version and document.get("kind") == resource.kind:
        return document
    head: dict[str, Any] = {"apiVersion": resource.api_version, "kind": resource.kind}
    return {**head, **{key: value for key, value in document.items() if key not in head}}
