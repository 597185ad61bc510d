"""A cluster in this process, in virtual time: the embedded API server and the players, stepped by hand."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.apiserver import ApiServer
from migrate.sandbox.controllers import registry
from migrate.sandbox.controllers.build_36 import Build
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.controllers.player import PlayerContext
from migrate.sandbox.inprocess import InProcessTransport

TYPE = "maas.opendatahub.io/payload-processing-type"
STATUS = "maas.opendatahub.io/payload-processing-status"
MIGRATION = "maas.opendatahub.io/payload-processing-migration"
FORCE = "maas.opendatahub.io/force-payload-processing-migration"


class VirtualClock:
    """Time that goes on only when told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


class Stage:
    """A cluster with players; every method but ``play`` is one action of a person."""

    def __init__(
        self, objects: Iterable[Json], *parts: str, build: Build | None = None, server: ApiServer | None = None
    ) -> None:
        self.clock = VirtualClock()
        self.server = server or ApiServer(clock=self.clock)
        self.server.seed(objects, manager="kubectl")
        self.context = PlayerContext(
            transport=InProcessTransport(self.server), speed=1.0, clock=self.clock, build=build or Build()
        )
        self.person = Client(self.context.transport, manager="kubectl")
        for part in parts:
            self.context.troupe.add(*registry.cast(part, self.context))

    def play(self, seconds: float, until: Callable[[], bool] | None = None) -> bool:
        """Let *seconds* pass, or fewer when *until* holds (without it: when all have settled); return whether so."""
        troupe = self.context.troupe
        end = self.clock.seconds + seconds
        while self.clock.seconds < end:
            busy = troupe.step()
            if until() if until is not None else troupe.settled:
                return True
            self.clock.seconds = min(end, self.clock.seconds + 0.05 if busy else self._next())
        return False

    def _next(self) -> float:
        """When to look again: soon, or when the next delay ends that somebody waits for."""
        soon = self.clock.seconds + 0.25
        waits = any(player.timers.pending for player in self.context.troupe.players)
        return max(soon, min(self.context.troupe.next_due() or soon, soon + 5)) if waits else soon

    def find(self, kind: Kind, namespace: str, name: str) -> KubeObject | None:
        found = self.person.find(kind, namespace, name)
        return KubeObject(found) if found is not None else None

    def must(self, kind: Kind, namespace: str, name: str) -> KubeObject:
        found = self.find(kind, namespace, name)
        assert found is not None, f"{kind.kind} {namespace}/{name} is not there"
        return found

    def all(self, kind: Kind) -> list[KubeObject]:
        return [KubeObject(thing) for thing in self.person.list(kind)[0]]

    def patch(self, kind: Kind, namespace: str, name: str, body: Mapping[str, Any]) -> KubeObject:
        return KubeObject(self.person.patch(kind, {"metadata": {"namespace": namespace, "name": name}}, body))

    def create(self, kind: Kind, thing: Json) -> KubeObject:
        head = {"apiVersion": kind.api_version, "kind": kind.kind}
        return KubeObject(self.person.create(kind, head | thing))

    def delete(self, kind: Kind, namespace: str, name: str) -> None:
        self.person.delete(kind, {"metadata": {"namespace": namespace, "name": name}}, precondition=False)

    # The default tenant, which most tests are about.

    @property
    def config(self) -> KubeObject:
        return self.must(resources.MAAS_TENANT_CONFIG, resources.DEFAULT_TENANT_NAMESPACE, "default-tenant")

    @property
    def plugins(self) -> KubeObject | None:
        return self.find(resources.CONFIG_MAP, resources.GATEWAY_NAMESPACE, "payload-processing-plugins")

    @property
    def ready(self) -> tuple[str, str]:
        """Status and reason of Ready."""
        told = self.config.condition("Ready") or {}
        return str(told.get("status")), str(told.get("reason"))

    def mark(self, annotation: str, value: str | None) -> None:
        body = {"metadata": {"annotations": {annotation: value}}}
        self.patch(resources.MAAS_TENANT_CONFIG, resources.DEFAULT_TENANT_NAMESPACE, "default-tenant", body)

    def flip(self) -> None:
        self.mark(TYPE, "praxis")

    def runs_on(self) -> str:
        """Which engine's Deployments are available: ``ipp``, ``praxis``, ``""`` for neither."""
        found = [
            self.find(resources.DEPLOYMENT, resources.GATEWAY_NAMESPACE, name)
            for name in ("payload-processing", "payload-pre-processing")
        ]
        engines = {
            "praxis" if "ai-gateway-controller" in thing.managers else "ipp"
            for thing in found
            if thing is not None and (thing.condition("Available") or {}).get("status") == "True"
        }
        return engines.pop() if len(engines) == 1 and all(found) else ""
