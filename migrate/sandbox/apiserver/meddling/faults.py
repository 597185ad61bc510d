"""Faults by rule: what goes wrong, for which requests, and how often."""

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Literal, Self

from migrate.sandbox.apiserver.protocol.statuses import status_document
from migrate.sandbox.apiserver.protocol.target import Target
from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.protocol.wire import Response

_REASONS: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """
    One rule. An empty matcher matches all; the effect happens *times* times, after *skip* matches.

    Attributes:
        verb: As RBAC names it; several are joined by a comma.

        resource: The plural, without group.

        query: Parameters that the request must have; ``*`` stands for any value.

        dry_run: Only dry runs, only real runs, or (None) both.

        when: ``before`` the request has any effect, or ``after`` it was carried out,
            so that only the answer is lost.

        code: The status to answer with; 0 answers as usual.

        body: The Status document of the answer, made from the code where it is None.

        delay_s: How long the answer is held back.

        reset: Break the connection in place of an answer.

        drop_watches: End the watches that match, now and at the next match; with a code,
            an ERROR event of that Status is the last that they tell.

        expire: Forget the history, so that continue tokens and old versions are Expired.

        times: How often; None for ever.
    """

    verb: str = ""
    group: str | None = None
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str | None = None
    user: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool | None = None
    when: Literal["before", "after"] = "before"
    code: int = 0
    message: str = ""
    body: Document | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    reset: bool = False
    drop_watches: bool = False
    expire: bool = False
    skip: int = 0
    times: int | None = 1

    @classmethod
    def from_document(cls, document: Document) -> Self:
        """
        Return the rule that *document* spells out, its names as the attributes here.

        Raises:
            ValueError: It is no object or has an unknown field.
        """
        if not isinstance(document, dict):
            raise ValueError("a fault is a JSON object")  # noqa: TRY004 - one error for every bad document
        unknown = document.keys() - {each.name for each in fields(cls)}
        if unknown:
            raise ValueError(f"unknown fields: {', '.join(sorted(unknown))}")
        return cls(**document)

    def matches(self, target: Target, *, user: str, query: Mapping[str, str]) -> bool:
        """Whether a request is meant."""
        dry_run = query.get("dryRun") == "All"
        verbs = self.verb.split(",") if self.verb else [target.verb]
        pairs: tuple[tuple[Any, Any], ...] = (
            (self.group, target.group),
            (self.resource or None, target.plural),
            (self.namespace or None, target.namespace),
            (self.name or None, target.name),
            (self.subresource, target.subresource),
            (self.user or None, user),
            (self.dry_run, dry_run),
        )
        asked = all(
            query.get(name) == value or (value == "*" and bool(query.get(name))) for name, value in self.query.items()
        )
        return asked and target.verb in verbs and all(wanted is None or wanted == given for wanted, given in pairs)

    def response(self) -> Response | None:
        """Return the answer in place of the real one, or None where the real one stands."""
        if self.reset:
            return Response(status=0, reset=True, delay_s=self.delay_s)
        if not self.code:
            return None
        reason = _REASONS.get(self.code, "InternalError")
        wait = self.headers.get("Retry-After", "")
        details = {"retryAfterSeconds": int(wait)} if wait.isdigit() else None
        body = self.body or status_document(self.code, reason, self.message or f"injected fault: {reason}", details)
        return Response(status=self.code, document=body, headers=self.headers, delay_s=self.delay_s)


@dataclass(slots=True)
class _Planted:
    id: int
    fault: Fault
    seen: int = 0
    done: int = 0


class Faults:
    """The rules that are planted, first come first served."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._planted: list[_Planted] = []
        self._last_id = 0

    @property
    def are_planted(self) -> bool:
        """Whether there is any rule."""
        return bool(self._planted)

    def plant(self, fault: Fault) -> int:
        """Add a rule and return its number."""
        with self._lock:
            self._last_id += 1
            self._planted.append(_Planted(self._last_id, fault))
            return self._last_id

    def clear(self, number: int | None = None) -> None:
        """Remove the rule of that *number*, or all."""
        with self._lock:
            self._planted = [each for each in self._planted if number is not None and each.id != number]

    def listed(self) -> list[Document]:
        """Return every rule with its number and how often it matched and struck."""
        with self._lock:
            return [
                {"id": each.id, "seen": each.seen, "done": each.done, **asdict(each.fault)} for each in self._planted
            ]

    def strike(self, target: Target, *, user: str, query: Mapping[str, str]) -> Fault | None:
        """Return the fault that a request meets, counted as done, or None."""
        if not self._planted:
            return None
        with self._lock:
            for each in self._planted:
                if not each.fault.matches(target, user=user, query=query):
                    continue
                each.seen += 1
                spent = each.fault.times is not None and each.done >= each.fault.times
                if each.seen > each.fault.skip and not spent:
                    each.done += 1
                    return each.fault
        return None
