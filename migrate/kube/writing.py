"""
The one place with verbs that change a cluster.

Each write is sent once; only an answer of 429, which says that nothing was done, lets it be sent again.
Every patch and delete carries the UID and the resourceVersion that were read just before.
"""

from typing import Final

import msgspec

from migrate.errors import InternalError, UnreachableError
from migrate.kube.connection import JSON, MERGE_PATCH, Connection
from migrate.kube.errors import FailedAnswerError, RequestError, write_error
from migrate.kube.kinds import collection_path, must_be_named, must_not_be_secret, object_path
from migrate.kube.retrying import THROTTLED_WRITES, persist
from migrate.kube.timing import Clock
from migrate.records.objects import Json, KubeObject, get_in
from migrate.records.snapshot import KindInfo
from migrate.records.writes import Write, WriteUnknownError

FIELD_MANAGER: Final = "maas-migrate"

_METHODS: Final = {"patch": "PATCH", "create": "POST", "delete": "DELETE"}


def send_write(
    connection: Connection, kind: KindInfo, write: Write, clock: Clock, *, timeout_s: float
) -> KubeObject | None:
    """
    Send *write* and return the object as answered, None for a delete.

    Raises:
        WriteError: Its subclass says what is known.

        NotAuthorisedError: 401; nothing was written.

        UnreachableError: 429 until the time was up; nothing was written.

        InternalError: A patch or delete without preconditions; nothing was sent.
    """
    must_not_be_secret(kind.group, kind.kind)
    _must_have_preconditions(write)
    try:
        path = _path(kind, write)

        def once(left_s: float) -> bytes:
            return connection.send(
                _METHODS[write.verb],
                path,
                params=_params(write),
                body=_body(write),
                content_type=MERGE_PATCH if write.verb == "patch" else JSON,
                timeout_s=left_s,
            ).body

        answer = persist(once, THROTTLED_WRITES, clock, timeout_s)
    except RequestError as failure:
        if isinstance(failure, FailedAnswerError) and failure.status == 429:
            raise UnreachableError(
                f"The API server put off {write.verb} {write.object} until its time was up: {failure.message}. "
                "It was not written.",
                resolution="Try again when the API server is less busy.",
            ) from failure
        raise write_error(failure, write) from failure
    return None if write.verb == "delete" else _answered(answer, write)


def _must_have_preconditions(write: Write) -> None:
    if write.verb != "create" and not (write.uid and write.resource_version):
        raise InternalError(
            f"{write.verb} {write.object} was about to be sent without UID and resourceVersion.",
            resolution="Report this; nothing was sent.",
            object=str(write.object),
        )


def _path(kind: KindInfo, write: Write) -> str:
    path = object_path(kind, write.object.namespace, write.object.name)
    return collection_path(kind, write.object.namespace) if write.verb == "create" else path


def _params(write: Write) -> list[tuple[str, str]]:
    dry = [("dryRun", "All")] if write.dry_run else []
    if write.verb == "delete":
        return dry
    return [*dry, ("fieldManager", FIELD_MANAGER), ("fieldValidation", "Strict")]


def _body(write: Write) -> Json:
    preconditions = {"uid": write.uid, "resourceVersion": write.resource_version}
    if write.verb == "delete":
        options: Json = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": preconditions}
        return {**options, "propagationPolicy": "Background"}
    body = dict(write.body or {})
    metadata = get_in(body, "metadata", default={})
    if write.verb == "patch":
        return {**body, "metadata": {**metadata, **preconditions}}
    where = {"namespace": write.object.namespace} if write.object.namespace else {}
    named = {"apiVersion": write.object.api_version, "kind": write.object.kind}
    return {**named, **body, "metadata": {**metadata, "name": write.object.name, **where}}


def _answered(answer: bytes, write: Write) -> KubeObject:
    try:
        raw = must_be_named(msgspec.json.decode(answer), write.object.name)
    except (msgspec.DecodeError, UnicodeDecodeError, RequestError) as error:
        # It was carried out, but by whom and how cannot be read; reading the object settles it.
        raise WriteUnknownError(f"{write.verb} {write.object}: the answer is not that object") from error
    return KubeObject(raw)
