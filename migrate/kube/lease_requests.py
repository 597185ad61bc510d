"""The requests that the lock makes, and what their refusals mean."""

from typing import Any, Final, Literal

from migrate.errors import BlockedError, MigrateError, NotAuthorisedError
from migrate.kube.connection import Connection
from migrate.kube.errors import FailedAnswerError, RequestError, read_error
from migrate.kube.kinds import must_be_named, object_path, resource_name
from migrate.kube.lease_record import LEASES, NAMESPACES, LeaseRecord, record_of
from migrate.kube.retrying import RUN_READS, SURVEY_READS, Policy, persist
from migrate.kube.timing import Clock
from migrate.kube.writing import send_write
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.writes import Write, WriteError, WriteRefusedError

NAME: Final = "maas-migrate"


class LeaseRequests:
    """
    Reads and writes the one Lease; untyped, since the typed client spells whole seconds without six digits.

    Attributes:
        ref: The Lease.

        timeout_s: The longest that one request takes.
    """

    def __init__(self, connection: Connection, clock: Clock, namespace: str, timeout_s: float) -> None:
        self.ref = ObjectRef(api_version=LEASES.api_version, kind="Lease", namespace=namespace, name=NAME)
        self.timeout_s = timeout_s
        self._connection = connection
        self._clock = clock

    def read(self, within_s: float | None = None, policy: Policy = RUN_READS) -> LeaseRecord | None:
        """
        Return the record, None when there is none; repeated until *within_s* as *policy* says.

        Raises:
            NotAuthorisedError, UnreachableError: It cannot be read.
        """
        path = object_path(LEASES, self.ref.namespace, NAME)

        def once(left_s: float) -> Any:
            return must_be_named(self._connection.get(path, timeout_s=min(left_s, self.timeout_s)), NAME)

        try:
            raw = persist(once, policy, self._clock, within_s or self._connection.request_timeout_s)
        except FailedAnswerError as failure:
            if failure.is_absence_of(NAME):
                return None
            raise read_error(failure, f"get {self.ref}") from failure
        except RequestError as failure:
            raise read_error(failure, f"get {self.ref}") from failure
        return record_of(KubeObject(raw))

    def has_namespace(self) -> bool | None:
        """
        Return whether the namespace of the Lease is there, None when it may not be read.

        Raises:
            UnreachableError: The server does not answer.
        """
        name = self.ref.namespace

        def once(left_s: float) -> Any:
            path = object_path(NAMESPACES, "", name)
            return must_be_named(self._connection.get(path, timeout_s=min(left_s, self.timeout_s)), name)

        try:
            persist(once, SURVEY_READS, self._clock, self._connection.request_timeout_s)
        except RequestError as failure:
            if isinstance(failure, FailedAnswerError) and failure.is_absence_of(name):
                return False
            if isinstance(failure, FailedAnswerError) and failure.status in {401, 403}:
                return None
            raise read_error(failure, f"get Namespace {name}") from failure
        return True

    def create(self, spec: Json) -> LeaseRecord:
        """Create it with *spec*. Raises WriteError, NotAuthorisedError, UnreachableError."""
        return self._send("create", spec, None, self.timeout_s)

    def patch(self, spec: Json, record: LeaseRecord, timeout_s: float | None = None) -> LeaseRecord:
        """Patch it while it is *record*. Raises WriteError, NotAuthorisedError, UnreachableError."""
        return self._send("patch", spec, record, self.timeout_s if timeout_s is None else timeout_s)

    def _send(
        self, verb: Literal["create", "patch"], spec: Json, record: LeaseRecord | None, timeout_s: float
    ) -> LeaseRecord:
        write = Write(
            verb=verb,
            object=self.ref,
            uid=record.uid if record else "",
            resource_version=record.resource_version if record else "",
            body={"spec": spec},
        )
        answer = send_write(self._connection, LEASES, write, self._clock, timeout_s=timeout_s)
        return record_of(answer or KubeObject({}))

    def refused(self, verb: str, error: WriteError) -> MigrateError:
        """Return what a person needs to know of a refused write."""
        if isinstance(error, WriteRefusedError) and error.status == 403:
            return NotAuthorisedError(
                f"Not permitted: {verb} {resource_name(LEASES)} in {self.ref.namespace} ({error.message}).",
                resolution="Ask for a role that permits it; maas-migrate rbac --for apply prints the least ones.",
                object=str(self.ref),
            )
        if isinstance(error, WriteRefusedError) and error.status == 404:
            return BlockedError(
                f"The namespace {self.ref.namespace}, where the lock lives, does not exist. Nothing was written.",
                resolution="Name an existing namespace with --lock-namespace.",
                object=str(self.ref),
            )
        return BlockedError(
            f"The lock {self.ref} could not be written: {error.message}. Nothing else was written.",
            resolution="Look at the Lease and at the server's message, then try again.",
            object=str(self.ref),
        )
