"""
Refusals, as the Status documents that clients recognise.

The words follow the real server wherever a client or a person reads them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from migrate.sandbox.apiserver.protocol.values import Document


@dataclass(frozen=True, slots=True)
class Cause:
    """
    One field that is not as it should be.

    Attributes:
        reason: A word of ``metav1.CauseType``, such as ``FieldValueInvalid``.

        field: The path of the field, ``spec.owner.users[1]``.

        message: What is wrong, without the field.
    """

    reason: str
    field: str
    message: str

    @classmethod
    def invalid(cls, field: str, value: Any, detail: str) -> "Cause":
        """Return the cause for a *value* that breaks a rule."""
        return cls("FieldValueInvalid", field, f"Invalid value: {shown(value)}: {detail}")

    @classmethod
    def wrong_type(cls, field: str, value: Any, detail: str) -> "Cause":
        """Return the cause for a *value* of another type."""
        return cls("FieldValueTypeInvalid", field, f"Invalid value: {shown(value)}: {detail}")

    @classmethod
    def required(cls, field: str, detail: str = "") -> "Cause":
        """Return the cause for a field that is absent."""
        return cls("FieldValueRequired", field, "Required value" + (f": {detail}" if detail else ""))

    @classmethod
    def unsupported(cls, field: str, value: Any, allowed: Sequence[Any]) -> "Cause":
        """Return the cause for a *value* that is none of *allowed*."""
        values = ", ".join(shown(item) for item in allowed)
        return cls("FieldValueNotSupported", field, f"Unsupported value: {shown(value)}: supported values: {values}")

    @classmethod
    def duplicate(cls, field: str, value: Any) -> "Cause":
        """Return the cause for a *value* that stands twice in a list."""
        return cls("FieldValueDuplicate", field, f"Duplicate value: {shown(value)}")

    @classmethod
    def forbidden(cls, field: str, detail: str) -> "Cause":
        """Return the cause for a change that is not allowed."""
        return cls("FieldValueForbidden", field, f"Forbidden: {detail}")

    @classmethod
    def too_long(cls, field: str, limit: int) -> "Cause":
        """Return the cause for a text of more than *limit* bytes."""
        return cls("FieldValueTooLong", field, f"Too long: may not be more than {limit} bytes")

    @classmethod
    def too_many(cls, field: str, count: int, limit: int) -> "Cause":
        """Return the cause for *count* items where *limit* are allowed."""
        return cls("FieldValueTooMany", field, f"Too many: {count}: must have at most {limit} items")

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"

    def to_document(self) -> Document:
        """Return the entry of ``details.causes``."""
        return {"reason": self.reason, "message": self.message, "field": self.field}


def shown(value: Any) -> str:
    """Return *value* as the real server prints it inside a message."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class StatusError(Exception):
    """A refusal that becomes the answer."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        details: Document | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.headers = dict(headers or {})
        self.continue_token: str | None = None

    def to_document(self) -> Document:
        """Return the Status document."""
        metadata = {"continue": self.continue_token} if self.continue_token else {}
        return status_document(self.code, self.reason, self.message, self.details, metadata)


class PageNotFoundError(Exception):
    """No handler knows the path; the answer is plain text."""


def status_document(
    code: int, reason: str, message: str, details: Document | None = None, metadata: Document | None = None
) -> Document:
    """Return the Status document of a refusal."""
    document: Document = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": metadata or {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    if details is not None:
        document["details"] = details
    return document


def success(details: Document) -> Document:
    """Return the Status document that answers a deletion."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


def qualified(name: str, group: str) -> str:
    """Return *name* with its group, ``quotas.example.com``; the core group has no name."""
    return f"{name}.{group}" if group else name


def _details(name: str, group: str, kind: str, **more: Any) -> Document:
    found = {"name": name, "group": group, "kind": kind, **more}
    return {key: value for key, value in found.items() if value}


def not_found(plural: str, group: str, name: str) -> StatusError:
    """Return the refusal for an object that does not exist."""
    message = f'{qualified(plural, group)} "{name}" not found'
    return StatusError(404, "NotFound", message, details=_details(name, group, plural))


def resource_not_found() -> StatusError:
    """Return the refusal for a resource that this server does not serve."""
    return StatusError(404, "NotFound", "the server could not find the requested resource", details={})


def already_exists(plural: str, group: str, name: str) -> StatusError:
    """Return the refusal for a name that is taken."""
    message = f'{qualified(plural, group)} "{name}" already exists'
    return StatusError(409, "AlreadyExists", message, details=_details(name, group, plural))


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def conflict(plural: str, group: str, name: str, why: str = MODIFIED) -> StatusError:
    """Return the refusal for a write that rests on an old version."""
    message = f'Operation cannot be fulfilled on {qualified(plural, group)} "{name}": {why}'
    return StatusError(409, "Conflict", message, details=_details(name, group, plural))


def invalid(kind: str, group: str, name: str, causes: Sequence[Cause]) -> StatusError:
    """Return the refusal for a document that breaks rules."""
    told = [str(cause) for cause in causes]
    listed = told[0] if len(told) == 1 else "[" + ", ".join(told) + "]"
    message = f'{qualified(kind, group)} "{name}" is invalid: {listed}'
    found = [cause.to_document() for cause in causes]
    return StatusError(422, "Invalid", message, details=_details(name, group, kind, causes=found))


def bad_request(message: str) -> StatusError:
    """Return the refusal for a request that makes no sense."""
    return StatusError(400, "BadRequest", message)


def forbidden(plural: str, group: str, name: str, why: str) -> StatusError:
    """Return the refusal for a request that is understood and not allowed."""
    message = (
        f'{qualified(plural, group)} "{name}" is forbidden: {why}'
        if name
        else (f"{qualified(plural, group)} is forbidden: {why}" if plural else f"forbidden: {why}")
    )
    return StatusError(403, "Forbidden", message, details=_details(name, group, plural))


def unauthorized() -> StatusError:
    """Return the refusal for a caller nobody knows."""
    return StatusError(401, "Unauthorized", "Unauthorized")


def method_not_allowed() -> StatusError:
    """Return the refusal for a verb that the resource lacks."""
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", message, details={})


def unsupported_media_type(accepted: Sequence[str]) -> StatusError:
    """Return the refusal for a body of another type."""
    message = "the body of the request was in an unknown format - accepted media types include: " + ", ".join(accepted)
    return StatusError(415, "UnsupportedMediaType", message)


def not_acceptable(accepted: Sequence[str]) -> StatusError:
    """Return the refusal for an Accept header that cannot be met."""
    message = "only the following media types are accepted: " + ", ".join(accepted)
    return StatusError(406, "NotAcceptable", message)


def expired(message: str) -> StatusError:
    """Return the refusal for a version that history no longer holds."""
    return StatusError(410, "Expired", message)


def too_large(limit_bytes: int) -> StatusError:
    """Return the refusal for a body of more than *limit_bytes*."""
    message = f"Request entity too large: limit is {limit_bytes}"
    return StatusError(413, "RequestEntityTooLarge", message, details={})
