"""Ask the server what is permitted; the one POST that changes nothing."""

from typing import Any, Final

from migrate.errors import MigrateError
from migrate.kube.connection import Connection
from migrate.kube.errors import FailedAnswerError, RequestError, read_error
from migrate.kube.retrying import RUN_READS, persist
from migrate.kube.timing import Clock
from migrate.records.objects import Json, get_in
from migrate.records.plan import AccessNeed
from migrate.records.writes import AccessAnswer

REVIEWS: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


def review_need(connection: Connection, need: AccessNeed, clock: Clock) -> AccessAnswer:
    """
    Return whether *need* is permitted; None where the server does not say.

    Raises:
        NotAuthorisedError: The credentials are not accepted.

        UnreachableError: No answer.
    """

    def once(left_s: float) -> bytes:
        return connection.send("POST", REVIEWS, body=_question(need), timeout_s=left_s).body

    try:
        answer = connection.decoded(persist(once, RUN_READS, clock, connection.request_timeout_s))
    except FailedAnswerError as failure:
        if failure.status in {403, 404, 405}:
            return AccessAnswer(need=need, allowed=None, message=failure.message)
        raise _error(failure) from failure
    except RequestError as failure:
        raise _error(failure) from failure
    allowed = get_in(answer, "status", "allowed")
    said = [get_in(answer, "status", part) for part in ("reason", "evaluationError")]
    return AccessAnswer(
        need=need,
        allowed=allowed if isinstance(allowed, bool) else None,
        message="; ".join(text for text in said if isinstance(text, str) and text),
    )


def _error(failure: RequestError) -> MigrateError:
    return read_error(failure, "create selfsubjectaccessreviews.authorization.k8s.io")


def _question(need: AccessNeed) -> Json:
    resource, _, subresource = need.resource.partition("/")
    asked = {
        "verb": need.verb,
        "group": need.group,
        "resource": resource,
        "subresource": subresource,
        "namespace": need.namespace,
        "name": need.name,
    }
    attributes: dict[str, Any] = {key: value for key, value in asked.items() if value}
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
