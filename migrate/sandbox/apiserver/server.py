"""The front door: one request in, one response out."""

import random
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from migrate.sandbox.apiserver.access.rbac import Authorizer, RoleBasedAccess, why_not
from migrate.sandbox.apiserver.access.reviews import REVIEW_GROUPS, review
from migrate.sandbox.apiserver.access.users import User, authenticate, user_named
from migrate.sandbox.apiserver.clock import Clock, SystemClock
from migrate.sandbox.apiserver.documents.pages import page
from migrate.sandbox.apiserver.meddling import backdoor
from migrate.sandbox.apiserver.meddling.faults import Fault, Faults
from migrate.sandbox.apiserver.meddling.requestlog import RequestLog, named, whole_query
from migrate.sandbox.apiserver.protocol.statuses import (
    PageNotFoundError,
    StatusError,
    forbidden,
    resource_not_found,
    too_large,
)
from migrate.sandbox.apiserver.protocol.target import Target, target_of
from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.protocol.wire import Request, Response
from migrate.sandbox.apiserver.resources.catalogue import Catalogue
from migrate.sandbox.apiserver.resources.crds import CRD_KEY
from migrate.sandbox.apiserver.seeding import ensure_namespace, seed
from migrate.sandbox.apiserver.storage.store import Change, Store
from migrate.sandbox.apiserver.storage.watching import Watch
from migrate.sandbox.apiserver.verbs.bodies import read_body, shape
from migrate.sandbox.apiserver.verbs.call import Call, Core
from migrate.sandbox.apiserver.verbs.dispatch import perform

MAX_BODY_BYTES: Final = 3 * 1024 * 1024
_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


class ApiServer:
    """
    A Kubernetes API server without sockets.

    Attributes:
        tokens: Bearer token to user name; empty lets everybody in as the administrator.

        faults: What shall go wrong.

        log: What was asked.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        rng: random.Random | None = None,
        tokens: Mapping[str, str] | None = None,
        authorizer: Authorizer | None = None,
        history_limit: int = 20_000,
    ) -> None:
        self.core: Core = _core(Store(history_limit=history_limit), clock, rng)
        self.tokens: Mapping[str, str] = dict(tokens or {})
        self.faults: Final = Faults()
        self.log: Final = RequestLog()
        self._authorizer = authorizer
        self._watches: list[tuple[Target, str, Watch]] = []
        self._watches_lock = threading.Lock()
        self._adopt(self.core)
        for name in _NAMESPACES:
            ensure_namespace(self.core, name)
        self.core.store.compact()

    def _adopt(self, core: Core) -> None:
        self.core = core
        self._access = RoleBasedAccess(core.store)
        self._may: Authorizer = self._authorizer or self._access
        core.store.listen(CRD_KEY, self._end_outdated)

    def fork(self, *, clock: Clock | None = None, rng: random.Random | None = None) -> "ApiServer":
        """Return a server of the same objects and history that goes its own way; faults and log stay behind."""
        made = ApiServer(tokens=self.tokens, authorizer=self._authorizer)
        known = self.core
        made._adopt(_core(known.store.fork(), clock or known.clock, rng, known.catalogue))
        return made

    def handle(self, request: Request) -> Response:
        """Answer *request*; a refusal is an answer too."""
        target = target_of(request)
        name = ""
        try:
            user = self._who(request)
            name = user.name
            response = self._guarded(request, target, user)
        except StatusError as error:
            response = Response(status=error.code, document=error.to_document(), headers=error.headers)
        except PageNotFoundError:
            response = Response(status=404, text="404 page not found\n", headers={"Content-Type": "text/plain"})
        if not request.path.startswith(backdoor.ROOT):
            self.log.add(request, target, user=name, at=self.core.now(), code=response.status)
        return response

    def seed(self, objects: Iterable[Document], *, manager: str = "seed") -> list[Document]:
        """
        Store whole *objects*, status included, past every rule.

        Raises:
            UnknownKindError: The CRD of an object is neither served nor among *objects*.
        """
        return seed(self.core, objects, manager)

    def compact(self, revision: int | None = None) -> None:
        """Forget history up to *revision* or the present; what rests on it is Expired from now on."""
        self.core.store.compact(revision)

    def drop_watches(self, fault: Fault | None = None) -> int:
        """End the open watches that *fault* matches, or all, and return how many."""
        ended = 0
        for target, user, opened in self._open_watches():
            if fault is not None and not fault.matches(target, user=user, query={}):
                continue
            last = fault.response() if fault else None
            if last is not None and last.document:
                opened.fail(last.document)
            opened.close()
            ended += 1
        return ended

    def plant(self, fault: Fault) -> int:
        """Plant *fault* and return its number; it ends the watches that it names at once."""
        if fault.drop_watches:
            self.drop_watches(fault)
        return self.faults.plant(fault)

    def get(self, path: str) -> Any:
        """Return the document at *path* as the administrator sees it, for tests and players."""
        return self.handle(Request.to("GET", path, user="admin")).document

    def close(self) -> None:
        """End every open watch."""
        self.drop_watches()

    def _who(self, request: Request) -> User:
        user = authenticate(request, self.tokens)
        other = request.header("impersonate-user")
        if not other:
            return user
        wanted = Target(verb="impersonate", path=request.path, plural="users", name=other)
        if not self._may(user, wanted):
            raise forbidden("users", "", other, why_not(user, wanted))
        groups = tuple(each for each in request.header("impersonate-group").split(",") if each)
        return user_named(other, groups)

    def _guarded(self, request: Request, target: Target, user: User) -> Response:
        if not self._may(user, target):
            raise forbidden(target.plural, target.group, target.name, why_not(user, target))
        if request.path.startswith(backdoor.ROOT):
            return backdoor.answer(self, request)
        if len(request.body) > MAX_BODY_BYTES:
            raise too_large(MAX_BODY_BYTES)
        fault = self._fault(request, target, user)
        if fault is None:
            return self._answer(request, target, user)
        if fault.expire:
            self.core.store.forget()
        instead = fault.response()
        if instead is not None and fault.when == "before":
            return instead
        try:
            real = self._answer(request, target, user)
        except (StatusError, PageNotFoundError):
            if instead is None:
                raise
            return instead
        if real.stream is not None and (fault.drop_watches or instead is not None):
            real.stream.close()
        return instead or replace(real, delay_s=fault.delay_s)

    def _fault(self, request: Request, target: Target, user: User) -> Fault | None:
        if not self.faults.are_planted:
            return None
        return self.faults.strike(named(request, target), user=user.name, query=whole_query(request))

    def _answer(self, request: Request, target: Target, user: User) -> Response:
        if not target.is_resource:
            return page(self.core.catalogue, request)
        resource = self.core.catalogue.find(target.group, target.version, target.plural)
        if resource is None:
            served = (target.group, target.version)
            if any((each.group, each.version) == served for each in self.core.catalogue.all()):
                raise resource_not_found()
            raise PageNotFoundError(target.path)
        call = Call(request=request, user=user, target=target, resource=resource)
        if resource.group in REVIEW_GROUPS and target.verb == "create":
            answer = review(resource.kind, user, shape(call, read_body(call)), self._may, self._access.rules)
            return Response(status=201, document=answer)
        try:
            response = perform(self.core, call)
        except StatusError as error:
            error.headers |= _warned(call)
            raise
        if isinstance(response.stream, Watch):
            self._remember((target, user.name, response.stream))
        return replace(response, headers={**response.headers, **_warned(call)}) if call.warnings else response

    def _open_watches(self) -> list[tuple[Target, str, Watch]]:
        with self._watches_lock:
            self._watches = [each for each in self._watches if not each[2].ended]
            return list(self._watches)

    def _remember(self, opened: tuple[Target, str, Watch]) -> None:
        with self._watches_lock:
            self._watches = [each for each in self._watches if not each[2].ended]
            self._watches.append(opened)

    def _end_outdated(self, change: Change) -> None:
        # A real server builds the storage of a CRD anew when its spec changes, and the watches go with the old one.
        if change.before is None or (change.type == "MODIFIED" and change.before["spec"] == change.document["spec"]):
            return
        spec = change.before["spec"]
        for target, _, opened in self._open_watches():
            if (target.group, target.plural) == (spec["group"], spec["names"]["plural"]):
                opened.close()


def _core(store: Store, clock: Clock | None, rng: random.Random | None, like: Catalogue | None = None) -> Core:
    return Core(
        store=store,
        catalogue=like.fork(store) if like else Catalogue(store),
        clock=clock or SystemClock(),
        rng=rng or random.Random(),
    )


def _warned(call: Call) -> dict[str, str]:
    told = ", ".join(f'299 - "{_escaped(warning)}"' for warning in call.warnings)
    return {"Warning": told} if told else {}


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
