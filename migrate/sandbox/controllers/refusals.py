"""What an API server answers when it does not do what was asked, as one error a kind of answer."""

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """
    The API server did not do what was asked.

    Attributes:
        status: The HTTP status, 0 when there was no answer.

        reason: The ``reason`` of the Status document, ``""`` without one.
    """

    def __init__(self, message: str, *, status: int = 0, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class NotFoundError(ApiError):
    """404: no such object, or the kind is not served."""


class AlreadyExistsError(ApiError):
    """409 on a create: the name is taken."""


class ConflictError(ApiError):
    """409: the write rests on an old resourceVersion, or a precondition does not hold."""


class GoneError(ApiError):
    """410: the resourceVersion or the continue token is too old."""


class InvalidError(ApiError):
    """400 or 422: the document breaks a rule."""


class ForbiddenError(ApiError):
    """401 or 403: not allowed."""


class UnavailableError(ApiError):
    """429, 5xx or no answer at all: try again later."""


_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: InvalidError,
    401: ForbiddenError,
    403: ForbiddenError,
    404: NotFoundError,
    410: GoneError,
    422: InvalidError,
    429: UnavailableError,
}


def refusal(status: int, document: Any) -> ApiError:
    """Return the error for an answer of *status* with the Status *document*."""
    told = document if isinstance(document, Mapping) else {}
    reason = str(told.get("reason", ""))
    message = str(told.get("message", "")) or f"HTTP {status}"
    if status == 409:
        kind: type[ApiError] = AlreadyExistsError if reason == "AlreadyExists" else ConflictError
    else:
        kind = UnavailableError if status >= 500 else _BY_STATUS.get(status, ApiError)
    return kind(message, status=status, reason=reason)
