"""
One request that changes the cluster, what can become of it, and the answer to a question of access.

They are nouns of two rooms: the engine sends them, ``kube`` carries them out; neither imports the other.
"""

from typing import Literal

from migrate.records.objects import Json, ObjectRef, Record
from migrate.records.plan import AccessNeed


class Write(Record, kw_only=True):
    """
    One request that changes the cluster.

    Attributes:
        verb: ``patch`` sends *body* as a JSON merge patch, ``create`` as the object, ``delete`` sends preconditions.

        uid: Precondition, ``""`` only for create.

        resource_version: Precondition read just before, ``""`` only for create.

        dry_run: Send with ``dryRun=All``.
    """

    verb: Literal["patch", "create", "delete"]
    object: ObjectRef
    uid: str = ""
    resource_version: str = ""
    body: Json | None = None
    dry_run: bool = False


class WriteError(Exception):
    """A write did not simply succeed; the subclass says what is known of it."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class WriteConflictError(WriteError):
    """409: the resourceVersion is not the current one. Nothing was written by this request."""


class OtherObjectError(WriteError):
    """The name belongs to another UID (422 naming metadata.uid, 409 on delete), or a create met AlreadyExists."""


class ObjectGoneError(WriteError):
    """404: there is no such object any more."""


class WriteRefusedError(WriteError):
    """The server, a schema or a webhook refuses it for good (400, 403, 422 and the like)."""


class WriteUnknownError(WriteError):
    """It may have been written: a timeout, a lost reply, a 5xx. Settle by reading."""


class AccessAnswer(Record, kw_only=True):
    """The server's answer to one question of access; *allowed* None means it would not say."""

    need: AccessNeed
    allowed: bool | None
    message: str = ""
