"""
A feed: one list and the watch that follows it, in a thread of its own, for as long as somebody looks.

It rides out what passes (429, 5xx, a broken connection), lists again when the server has forgotten the
resourceVersion (410), and notices when a kind comes or goes.
"""

import random
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from migrate.errors import MigrateError, UnreachableError
from migrate.kube.connection import Connection
from migrate.kube.errors import FailedAnswerError, NoAnswerError, RequestError, read_error
from migrate.kube.kinds import collection_path
from migrate.kube.listing import read_list
from migrate.kube.locating import Locator
from migrate.kube.retrying import WATCHES, wait_s
from migrate.kube.timing import Clock
from migrate.records.objects import Json, KubeObject, ObjectRef, get_in
from migrate.records.snapshot import KindInfo

if TYPE_CHECKING:
    # Late: the client library is slow to load.
    from migrate.kube.transport import Stream

WATCH_S: Final = 45
"""How long the server is asked to keep a watch open; a dead connection is noticed by then."""

IDLE_S: Final = WATCH_S + 10.0

GRACE_S: Final = 5.0
"""What was known counts as the state for so long after the watch broke."""

UNSERVED_S: Final = 2.0
"""How often it is asked whether a kind that is not served has come."""

SHORT_S: Final = 1.0
"""A watch that ends sooner than this is not opened again at once."""


class News(msgspec.Struct, frozen=True, kw_only=True):
    """
    What a feed tells: new states of some of its objects, or that it can go on no longer.

    Attributes:
        states: By reference; None is "not there".

        error: Why the feed has ended.
    """

    states: Mapping[ObjectRef, KubeObject | None] = {}
    error: MigrateError | None = None


class Feed:
    """
    Tells the state of *refs*, all of one kind and namespace.

    ``tell`` is called in the feed's thread.
    """

    def __init__(
        self,
        connection: Connection,
        clock: Clock,
        locator: Locator,
        refs: tuple[ObjectRef, ...],
        tell: Callable[[News], None],
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._locator = locator
        self._by_name = {ref.name: ref for ref in refs}
        self._tell = tell
        self._stop = threading.Event()
        self._stream: Stream | None = None
        self._known_at = float("-inf")
        self._live = False
        self._thread = threading.Thread(target=self._run, name="maas-migrate-watch", daemon=True)

    @property
    def fresh(self) -> bool:
        """Whether what it told last is the state now, as far as anybody can know."""
        return self._live or self._clock.monotonic() - self._known_at < GRACE_S

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End at once; does not wait for the thread."""
        self._stop.set()
        stream = self._stream
        if stream is not None:
            stream.close()

    def join(self, timeout_s: float) -> bool:
        """Return whether the thread has ended within *timeout_s*."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            try:
                self._cycle()
                failures = 0
            except UnreachableError:
                # The server cannot even say what it serves; it may be starting.
                failures += 1
                self._stop.wait(wait_s(WATCHES, failures, None, random.random))
            except MigrateError as error:
                self._tell(News(error=error))
                return
            except RequestError as failure:
                if _is_final(failure):
                    self._tell(News(error=read_error(failure, f"watch {self._any_ref().kind}")))
                    return
                failures += 1
                self._stop.wait(wait_s(WATCHES, failures, failure, random.random))

    def _any_ref(self) -> ObjectRef:
        return next(iter(self._by_name.values()))

    def _cycle(self) -> None:
        """List, then watch until it has to be listed again."""
        ref = self._any_ref()
        kind = self._locator.locate(ref, timeout_s=self._connection.request_timeout_s)
        if kind is None:
            self._told({})
            self._stop.wait(UNSERVED_S)
            return
        try:
            version = self._list(kind)
            self._follow(kind, version)
        except FailedAnswerError as failure:
            if failure.status != 404:
                raise
            # The kind itself is gone, or has moved to another version.
            self._locator.locate(ref, timeout_s=self._connection.request_timeout_s, anew=True)
            self._stop.wait(SHORT_S)

    def _list(self, kind: KindInfo) -> str:
        path = collection_path(kind, self._any_ref().namespace)

        def page(params: list[tuple[str, str]]) -> Any:
            return self._connection.get(
                path, params=params, timeout_s=self._connection.request_timeout_s, counted_as=kind.kind
            )

        items, version = read_list(page, self._kept, self._selector())
        self._told({get_in(raw, "metadata", "name"): raw for raw in items if raw})
        return version

    def _selector(self) -> list[tuple[str, str]]:
        names = list(self._by_name)
        return [("fieldSelector", f"metadata.name={names[0]}")] if len(names) == 1 else []

    def _kept(self, raw: Mapping[str, Any]) -> Json:
        """Keep nothing of objects that nobody asked for."""
        return dict(raw) if get_in(raw, "metadata", "name") in self._by_name else {}

    def _told(self, found: Mapping[str, Json]) -> None:
        self._known_at = self._clock.monotonic()
        states = {ref: KubeObject(found[name]) if name in found else None for name, ref in self._by_name.items()}
        self._tell(News(states=states))

    def _follow(self, kind: KindInfo, version: str) -> None:
        """Watch from *version* on; return when it has to be listed again."""
        failures = 0
        while not self._stop.is_set():
            began = self._clock.monotonic()
            try:
                for line in self._opened(kind, version).lines():
                    failures = 0
                    version = self._take(line) or version
            except RequestError as failure:
                if self._stop.is_set() or _needs_list(failure):
                    return
                failures += 1
                self._close()
                self._stop.wait(wait_s(WATCHES, failures, failure, random.random))
            finally:
                self._close()
            if self._clock.monotonic() - began < SHORT_S:
                self._stop.wait(SHORT_S / 2)

    def _opened(self, kind: KindInfo, version: str) -> "Stream":
        params = [
            *self._selector(),
            ("watch", "true"),
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", version),
            ("timeoutSeconds", str(WATCH_S)),
        ]
        path = collection_path(kind, self._any_ref().namespace)
        stream = self._stream = self._connection.watch(path, params=params, idle_s=IDLE_S, counted_as=kind.kind)
        if self._stop.is_set():
            stream.close()
        stream.open()
        self._live = True
        return stream

    def _close(self) -> None:
        if self._live:
            self._known_at = self._clock.monotonic()
        self._live = False
        stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(OSError):
                stream.close()

    def _take(self, line: bytes) -> str:
        """Tell what an event says, and return its resourceVersion."""
        try:
            event = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise NoAnswerError("the watch brought something that is not JSON", cause="garbled") from error
        what, raw = get_in(event, "type"), get_in(event, "object", default={})
        if what == "ERROR" or not isinstance(raw, dict):
            raise FailedAnswerError.from_status(raw if isinstance(raw, dict) else {})
        name = get_in(raw, "metadata", "name")
        if what in {"ADDED", "MODIFIED", "DELETED"} and name in self._by_name:
            self._tell(News(states={self._by_name[name]: None if what == "DELETED" else KubeObject(raw)}))
        return str(get_in(raw, "metadata", "resourceVersion", default="") or "")


def _needs_list(failure: RequestError) -> bool:
    """Return whether only a list can tell more: it settles what is expired, refused or gone."""
    return isinstance(failure, FailedAnswerError) and failure.status in {401, 403, 404, 410}


def _is_final(failure: RequestError) -> bool:
    """Return whether waiting will not help: credentials, permission, certificate."""
    if isinstance(failure, NoAnswerError):
        return failure.cause == "certificate"
    return isinstance(failure, FailedAnswerError) and failure.status in {401, 403}
