"""
The one classifier: what became of a request, and which error of ours that is.

Two things can become of a request, and both are exceptions that never leave this room::

    FailedAnswerError   the server answered, with another status than 2xx
    NoAnswerError       it did not: refused, reset, too late, another certificate

``read_error`` turns them into an error that a person can act on, ``write_error`` into what is
known of a write, ``gap_reason`` into the reason of a gap. A Status is read here and nowhere else.
"""

import email.utils
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from migrate.errors import BadInputError, MigrateError, NotAuthorisedError, UnreachableError
from migrate.records.objects import get_in
from migrate.records.snapshot import GapReason
from migrate.records.writes import (
    ObjectGoneError,
    OtherObjectError,
    Write,
    WriteConflictError,
    WriteError,
    WriteRefusedError,
    WriteUnknownError,
)

Cause = Literal["timeout", "connect", "reset", "certificate", "proxy", "garbled"]

TRANSIENT = frozenset({429, 500, 502, 503, 504})
"""Statuses after which the same read may succeed."""

_LONGEST_TEXT = 400


class RequestError(Exception):
    """A request did not give what was asked for; *message* is fit for a person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NoAnswerError(RequestError):
    """
    There was no answer, or none that can be read.

    Attributes:
        cause: ``connect`` means that nothing was sent; in all other cases the request may have been carried out.

        where: The server and the way to it, as ``URL directly`` or ``URL through the proxy URL``.
    """

    def __init__(self, message: str, *, cause: Cause, where: str = "") -> None:
        super().__init__(message)
        self.cause: Cause = cause
        self.where = where


class FailedAnswerError(RequestError):
    """
    An answer with another status than 2xx.

    Attributes:
        reason: ``reason`` of the Status, ``""`` when the body is not a Status.

        details: ``details`` of the Status.

        retry_after_s: How long to wait before the next try, None when nothing was said.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        document = _status_document(body)
        text = get_in(document, "message")
        super().__init__(text if isinstance(text, str) and text else _plain_text(status, body))
        self.status = status
        self.is_status = document is not None
        self.reason = str(get_in(document, "reason", default="") or "")
        details = get_in(document, "details")
        self.details: Mapping[str, Any] = details if isinstance(details, Mapping) else {}
        self.retry_after_s = _retry_after_s(headers, self.details)

    @classmethod
    def from_status(cls, document: Mapping[str, Any]) -> "FailedAnswerError":
        """Return the failure that a Status in a watch speaks of."""
        code = document.get("code")
        return cls(code if isinstance(code, int) else 500, {}, msgspec.json.encode(document))

    @property
    def told(self) -> str:
        """What was answered, in one line: the status, its reason, the server's own words."""
        if not self.is_status:
            return self.message.removeprefix("answered ")
        return f"{self.status}{' ' if self.reason else ''}{self.reason}: {self.message}"

    @property
    def expired(self) -> bool:
        """Whether a continue token or a resourceVersion is too old."""
        return self.status == 410

    def is_absence_of(self, name: str) -> bool:
        """Return whether a Status says that the object *name* is not there; a bare 404 says nothing of objects."""
        return self.status == 404 and self.reason == "NotFound" and self.details.get("name") == name


def _status_document(body: bytes) -> Mapping[str, Any] | None:
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return document if isinstance(document, Mapping) and document.get("kind") == "Status" else None


def _plain_text(status: int, body: bytes) -> str:
    text = " ".join(body[:_LONGEST_TEXT].decode("utf-8", "replace").split())
    return f"answered {status}" + (f": {text}" if text else "")


def _retry_after_s(headers: Mapping[str, str], details: Mapping[str, Any]) -> float | None:
    """Return what the header says, else what the Status says."""
    told = headers.get("retry-after", "").strip()
    if told.isdigit():
        return float(told)
    if told:
        try:
            at = email.utils.parsedate_to_datetime(told)
        except ValueError:
            pass
        else:
            sent = _date_of(headers) or at
            return max(0.0, (at - sent).total_seconds())
    seconds = details.get("retryAfterSeconds")
    return float(seconds) if isinstance(seconds, (int, float)) and seconds > 0 else None


def _date_of(headers: Mapping[str, str]) -> datetime | None:
    """Return the server's own time, so that its dates are measured on its clock."""
    try:
        return email.utils.parsedate_to_datetime(headers["date"]).astimezone(UTC)
    except (KeyError, ValueError):
        return None


def no_answer_from(error: BaseException, where: str) -> NoAnswerError:
    """Return what an exception of the client libraries means; it becomes the cause of whatever is raised from it."""
    cause = _cause_of(error)
    words = {
        "timeout": "gave no answer in time",
        "connect": "cannot be reached",
        "reset": "broke the connection off",
        "certificate": "shows a certificate that is not trusted",
        "proxy": "cannot be reached: the proxy refuses or fails",
        "garbled": "gave an answer that is not HTTP",
    }
    return NoAnswerError(f"{where} {words[cause]} ({_innermost(error)})", cause=cause, where=where)


def _cause_of(error: BaseException) -> Cause:
    import ssl  # noqa: PLC0415  heavy; needed only when something went wrong

    from urllib3 import exceptions as http  # noqa: PLC0415  as above

    inner = _inner(error)
    if isinstance(error, http.ProxyError) or isinstance(inner, http.ProxyError):
        return "proxy"
    if isinstance(inner, ssl.SSLCertVerificationError):
        return "certificate"
    if isinstance(error, (http.NewConnectionError, http.ConnectTimeoutError, http.NameResolutionError)):
        return "connect"
    if isinstance(error, (http.TimeoutError, TimeoutError)):
        return "timeout"
    if isinstance(error, (http.ProtocolError, http.SSLError, OSError)):
        return "reset"
    return "garbled"


def _inner(error: BaseException) -> BaseException:
    """Return the exception at the bottom: the libraries wrap it as an argument or as a cause."""
    seen: BaseException = error
    for _ in range(6):
        wrapped = next((arg for arg in seen.args if isinstance(arg, BaseException)), None)
        following = wrapped or getattr(seen, "original_error", None) or seen.__cause__
        if not isinstance(following, BaseException):
            break
        seen = following
    return seen


def _innermost(error: BaseException) -> str:
    inner = _inner(error)
    return " ".join(str(inner).split())[:_LONGEST_TEXT] or type(inner).__name__


def is_transient(failure: RequestError) -> bool:
    """Return whether the same read may succeed a moment later."""
    if isinstance(failure, FailedAnswerError):
        return failure.status in TRANSIENT
    return isinstance(failure, NoAnswerError) and failure.cause != "certificate"


def gap_reason(failure: RequestError) -> tuple[GapReason, int]:
    """Return why a question has no answer, and the HTTP status (0 without one)."""
    if isinstance(failure, FailedAnswerError):
        reasons: dict[int, GapReason] = {401: "unauthorised", 403: "forbidden", 410: "incomplete"}
        return reasons.get(failure.status, "failed"), failure.status
    unreachable = isinstance(failure, NoAnswerError) and failure.cause != "garbled"
    return "unreachable" if unreachable else "failed", 0


def read_error(failure: RequestError, what: str) -> MigrateError:
    """
    Return the error of a read.

    Args:
        failure: What became of the request.

        what: The verb and the object or resource, such as ``get ConfigMap a/b``.
    """
    if isinstance(failure, NoAnswerError):
        return _no_answer(failure, what)
    status = failure.status if isinstance(failure, FailedAnswerError) else 0
    if status == 401:
        return NotAuthorisedError(
            f"The API server does not accept the credentials ({what}: {failure.message}).",
            resolution="Log in again, or choose another context with --context.",
        )
    if status == 403:
        return NotAuthorisedError(
            f"Not permitted: {what} ({failure.message}).",
            resolution="Ask for a role that permits it; maas-migrate rbac prints the least ones.",
        )
    if isinstance(failure, FailedAnswerError) and status in TRANSIENT:
        return UnreachableError(
            f"The API server answers '{what}' with {failure.told}.",
            resolution="Find out what ails the API server (its /readyz, its log), then try again; nothing was decided.",
        )
    return UnreachableError(
        f"The API server did not answer '{what}' as an API server does: {failure.message}.",
        resolution="Try again when the API server is healthy; nothing was decided.",
    )


def _no_answer(failure: NoAnswerError, what: str) -> MigrateError:
    message = f"{failure.message} ({what})." if what else f"{failure.message}."
    if failure.cause == "certificate":
        return BadInputError(
            message,
            resolution="Put the cluster's certificate authority into the kubeconfig (kubectl config set-cluster NAME "
            "--certificate-authority FILE --embed-certs), or choose another context with --context.",
        )
    return UnreachableError(
        message, resolution="Check the server, the proxy settings and the network, then try again; nothing was decided."
    )


def write_error(failure: RequestError, write: Write) -> WriteError | MigrateError:
    """Return what is known of *write*; a 401 is an error of the credentials, since nothing was looked at."""
    if not isinstance(failure, FailedAnswerError):
        return WriteUnknownError(f"{write.verb} {write.object}: {failure.message}")
    message, status = f"{write.verb} {write.object}: {failure.message}", failure.status
    if status == 401:
        return read_error(failure, f"{write.verb} {write.object}")
    if status == 404:
        kind = WriteRefusedError if write.verb == "create" else ObjectGoneError
        return kind(message, status=status)
    if status == 409:
        return _conflict(failure, write)(message, status=status)
    if status == 422 and _names_uid(failure):
        return OtherObjectError(message, status=status)
    if 400 <= status < 500 and status != 408:
        return WriteRefusedError(message, status=status)
    return WriteUnknownError(message, status=status)


def _conflict(failure: FailedAnswerError, write: Write) -> type[WriteError]:
    if write.verb == "create" and failure.reason in {"AlreadyExists", ""}:
        return OtherObjectError
    # The server has two sentences for it, from two places that check preconditions.
    other = "UID in precondition" in failure.message or "UID in the precondition" in failure.message
    return OtherObjectError if other else WriteConflictError


def _names_uid(failure: FailedAnswerError) -> bool:
    causes = failure.details.get("causes")
    fields = {get_in(cause, "field") for cause in causes} if isinstance(causes, list) else set()
    return "metadata.uid" in fields or "metadata.uid" in failure.message
