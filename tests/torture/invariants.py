"""
What must hold whatever goes wrong: I1 to I13 of ``docs/reliability.md``, as checks on a simulated world.

Some are checked while a request is on its way, the others when a process or the whole story has ended. None of
them asks the tool: they look at the cluster, the disk, the requests and the exit codes.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from migrate.commands.windows import WindowFlags
from migrate.errors import StoreError
from migrate.kube.lease_record import DURATION_S
from migrate.records.objects import Json
from migrate.records.window import parse_window
from migrate.store.journal_file import read_journal
from migrate.store.run_directory import JOURNAL
from tests.torture.content import at, content_of, differences, has_flipped, is_sealed, same_texts, sealed_things
from tests.torture.wire import Sent
from tests.torture.world import Outcome, World

CONFIG: Final = "/apis/maas.opendatahub.io/v1alpha1/namespaces/models-as-a-service/maastenantconfigs/default-tenant"
PLUGINS: Final = "/api/v1/namespaces/openshift-ingress/configmaps/payload-processing-plugins"
LEASE: Final = "/apis/coordination.k8s.io/v1/namespaces/models-as-a-service/leases"
DEPLOYMENTS: Final = "/apis/apps/v1/namespaces/openshift-ingress/deployments/"
TYPE: Final = "maas.opendatahub.io/payload-processing-type"
STATUS: Final = "maas.opendatahub.io/payload-processing-status"
FORCE: Final = "maas.opendatahub.io/force-payload-processing-migration"
TRANSLATION: Final = ("spec", "apiTranslation")
RESTARTED: Final = "kubectl.kubernetes.io/restartedAt"
RENEW_S, STOP_S = DURATION_S / 3, DURATION_S * 2 / 3
_CHECKED_BY_ITSELF: Final = (f"default-tenant.metadata.annotations.{TYPE}", "default-tenant.spec.apiTranslation")
LONGEST_CALL_S: Final = 4 * 3600.0
PAYLOAD: Final = ("payload-processing", "payload-pre-processing")


@dataclass(frozen=True, slots=True)
class Violation:
    """One invariant that did not hold."""

    invariant: str
    what: str

    def __str__(self) -> str:
        return f"{self.invariant}: {self.what}"


@dataclass(kw_only=True)
class Checker:
    """
    Watches one world.

    Attributes:
        ends: When the window of each host's forward calls ends, cutoff included, on the tool's clock.

        stolen_at_s: When somebody took the lease without waiting for it; None when nobody did.
    """

    world: World
    found: list[Violation] = field(default_factory=list)
    ends: dict[str, datetime] = field(default_factory=dict)
    stolen_at_s: float | None = None
    marks: list[tuple[str, str, tuple[str, ...], Any]] = field(default_factory=list)
    start: dict[str, Json] = field(init=False)
    started: Json = field(init=False)
    identities: dict[str, Any] = field(init=False)
    sealed: dict[str, bytes] = field(default_factory=dict)
    verb: str = ""
    renewed_s: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.start = content_of(self.world.server)
        self.started = {"config": self.get(CONFIG), "plugins": self.get(PLUGINS)}
        self.identities = self._identities()
        self.world.before_write.append(self.on_write)
        steal = self.world.steal_lease

        def stolen() -> None:
            self.stolen_at_s = self.world.time.passed_s
            steal()

        self.world.steal_lease = stolen  # type: ignore[method-assign]

    def get(self, path: str) -> Json:
        """Return an object, ``{}`` when it is not there."""
        found = self.world.server.get(path)
        return dict(found) if isinstance(found, Mapping) and found.get("kind") != "Status" else {}

    def note_window(self, flags: WindowFlags, host: str = "a") -> None:
        """Remember until when a forward call may start to change something."""
        now = self.world.time.now() + timedelta(seconds=self.world.ahead_s)
        window = parse_window(flags.window, now=now, timezone=flags.timezone, cutoff=flags.cutoff)
        if window.end is not None:
            self.ends[host] = window.end - timedelta(seconds=window.cutoff_s)

    def fail(self, invariant: str, what: str) -> None:
        self.found.append(Violation(invariant, what))

    # While requests are on their way.

    def on_write(self, method: str, path: str, body: Json) -> None:
        """Check a request that may change something, just before it arrives."""
        self._must_have_preconditions(method, path, body)
        self._must_be_in_the_table(method, path, body)
        if path.startswith(LEASE):
            self._must_not_push_aside(body)
            return
        self._must_hold_the_lease(path)
        self._must_be_announced(path)
        self._must_be_settled(path)
        self._must_be_backed_up(method, path, body)
        self._must_be_in_time(path, body)

    def _must_have_preconditions(self, method: str, path: str, body: Json) -> None:
        if method == "POST":
            return
        given = body.get("preconditions", {}) if method == "DELETE" else body.get("metadata", {})
        if not (given.get("uid") and given.get("resourceVersion")):
            self.fail("I4", f"{method} {path} has no UID or no resourceVersion")

    def _must_be_in_the_table(self, method: str, path: str, body: Json) -> None:
        if not self._is_allowed(method, path, body):
            self.fail("I7", f"{method} {path} is not in the closed table: {json.dumps(body)[:300]}")

    def _is_allowed(self, method: str, path: str, body: Json) -> bool:
        fields = _leaves(body)
        back = self.verb == "rollback" or self.world.running[-1].is_going_back
        if path.startswith(LEASE):
            return method in {"POST", "PATCH"} and all(
                name.startswith(("spec.", "metadata.", "apiVersion", "kind")) for name in fields
            )
        if path == CONFIG:
            allowed = {f"metadata.annotations.{TYPE}", f"metadata.annotations.{FORCE}", "spec.apiTranslation.enabled"}
            allowed |= {"metadata.uid", "metadata.resourceVersion", "spec.apiTranslation", "spec"}
            values = body.get("metadata", {}).get("annotations", {})
            known = values.get(TYPE, "ipp") in {"ipp", "praxis"} and values.get(FORCE) in {None, "true"}
            return method == "PATCH" and set(fields) <= allowed and known
        if path.startswith(PLUGINS.rpartition("/")[0]):
            named = path == PLUGINS or body.get("metadata", {}).get("name") == "payload-processing-plugins"
            return (
                back
                and named
                and not any("finalizers" in name or "ownerRef" in name for name in fields if method == "PATCH")
            )
        if path.startswith(DEPLOYMENTS) and path.removeprefix(DEPLOYMENTS) in PAYLOAD:
            only = f"spec.template.metadata.annotations.{RESTARTED}"
            return back and method == "PATCH" and set(fields) <= {only, "metadata.uid", "metadata.resourceVersion"}
        return False

    def _must_not_push_aside(self, body: Json) -> None:
        """A lease of another run is taken only after it was silent for as long as it lasts."""
        process = self.world.running[-1]
        live = self.get(f"{LEASE}/maas-migrate")
        holder = str(live.get("spec", {}).get("holderIdentity") or "")
        if body.get("metadata", {}).get("resourceVersion") != live.get("metadata", {}).get("resourceVersion"):
            return  # It will be refused.
        if not holder or holder.rpartition("/")[2] == process.run_id or not body.get("spec", {}).get("holderIdentity"):
            return
        changes = [
            datetime.fromisoformat(entry.at)
            for entry in self.world.server.log.entries()
            if entry.resource == "leases" and entry.verb != "get" and 200 <= entry.code < 300
        ]
        silent_s = (self.world.time.now() - changes[-1]).total_seconds() if changes else DURATION_S
        if silent_s < DURATION_S - 1:
            self.fail("I3", f"the lease of {holder} was taken {silent_s:.0f} s after it had changed")

    def _must_hold_the_lease(self, path: str) -> None:
        process, now = self.world.running[-1], self.world.time.passed_s
        holder = str(self.get(f"{LEASE}/maas-migrate").get("spec", {}).get("holderIdentity") or "")
        if holder.rpartition("/")[2] == process.run_id:
            self.stolen_at_s = None
        if self.stolen_at_s is not None:
            if now - self.stolen_at_s > RENEW_S + 5:
                self.fail("I3", f"{path} was written {now - self.stolen_at_s:.0f} s after the lease was taken away")
            return
        if holder.rpartition("/")[2] != process.run_id:
            self.fail("I3", f"{path} was written by run {process.run_id} while {holder or 'nobody'} holds the lease")
        renewals = [each.at_s for each in self.world.sent if each.is_lease and each.took_effect]
        if not renewals or now - renewals[-1] >= STOP_S:
            self.fail("I3", f"{path} was written {now - (renewals or [0])[-1]:.0f} s after the lease was renewed")

    def _must_be_announced(self, path: str) -> None:
        """A write stands in the journal before it goes out, or a crash would forget it."""
        told = [event.event for event in self.world.told.get(self.world.running[-1].host, ())]
        last = next((name for name in reversed(told) if name not in {"note", "base.taken"}), "")
        if last != "write.intended":
            self.fail("I8", f"{path} was written without an intent in the journal; the last line is {last or 'none'}")

    def _must_be_settled(self, path: str) -> None:
        """What became of a write is found out by reading, never by sending it again."""
        wire = self.world.running[-1].wire
        if any(path.startswith(unknown) for unknown in wire.unknown):
            self.fail("I4", f"{path} was written again though nobody had looked what became of the write before")

    def _must_be_backed_up(self, method: str, path: str, body: Json) -> None:
        flips = path == CONFIG and body.get("metadata", {}).get("annotations", {}).get(TYPE) == "praxis"
        overwrites = path == PLUGINS and method in {"PATCH", "DELETE"}
        if not (flips or overwrites):
            return
        host = self.world.running[-1].host
        live = self.get(PLUGINS)
        if live and not self._is_saved(host, live):
            self.fail(
                "I1", f"{method} {path}: the plugins ConfigMap as it is lies in no backup that survives a loss of power"
            )
        if flips and not self._sealed_after_gate(host):
            self.fail("I1", f"{method} {path}: no backup was taken since the gate")

    def _is_saved(self, host: str, live: Json) -> bool:
        """Return whether a complete set on the platter holds the object as it is."""
        files = self.world.platter(host).synced_files()
        for name, data in files.items():
            folder, _, file = name.rpartition("/")
            if not file.startswith("ConfigMap") or not file.endswith(".json") or ".partial" in name:
                continue
            try:
                saved = json.loads(data)
            except ValueError:
                continue
            same = saved["metadata"]["uid"] == live["metadata"]["uid"] and saved.get("data") == live.get("data")
            if same and f"{folder}/MANIFEST.json" in files and saved.get("binaryData") == live.get("binaryData"):
                return True
        return False

    def _sealed_after_gate(self, host: str) -> bool:
        names = [event.event for event in self.world.told.get(host, ())]
        if "gate.passed" in names:
            names = names[len(names) - names[::-1].index("gate.passed") :]
        return "backup.sealed" in names

    def _must_be_in_time(self, path: str, body: Json) -> None:
        process = self.world.running[-1]
        end = self.ends.get(process.host)
        if process.is_going_back or self.verb == "rollback" or end is None or process.clock.now() <= end:
            return
        annotations = body.get("metadata", {}).get("annotations", {})
        if annotations.get(TYPE) != "ipp":
            late = (process.clock.now() - end).total_seconds()
            self.fail("I13", f"{path} was written {late:.0f} s past the cutoff: {json.dumps(annotations)}")

    # When a process has ended.

    def after(self, outcome: Outcome, host: str = "a") -> None:
        """Check what a process has left."""
        if outcome.code == 70:
            self.fail("I11", f"{outcome.verb} ended with a fault of the tool: {outcome.message}")
        if outcome.to_s - outcome.from_s > LONGEST_CALL_S:
            self.fail("I11", f"{outcome.verb} took {outcome.to_s - outcome.from_s:.0f} s")
        self._journals_must_hold(host)
        self._sets_must_stand(host)
        if self.world.story.version == "3.6" and (now := self._identities()) != self.identities:
            self.fail("I10", f"identities are {now}, were {self.identities}")
        state = outcome.state.state if outcome.state else ""
        if outcome.code == 0 and outcome.verb in {"apply", "resume"} and state == "succeeded":
            self._must_be_on_praxis(outcome)
        if outcome.code == 0 and outcome.state and outcome.state.plans and state not in {"succeeded", "rolled-back"}:
            self.fail("I12", f"{outcome.verb} ended 0 and the run is {state}")
        if outcome.code == 0 and outcome.state and state == "rolled-back":
            self._must_be_back(self.world.platter(host).root / "state" / outcome.state.id)
        if outcome.verb != "rollback" and state == "succeeded" and outcome.code != 0:
            self.fail("I12", f"{outcome.verb} ended {outcome.code} though the run succeeded: {outcome.message}")
        if outcome.verb in {"apply", "resume"} and outcome.code in {15, 20, 22, 130, 143}:
            self._nothing_may_be_left_pending(outcome)

    def _journals_must_hold(self, host: str) -> None:
        told = {(event.seq, event.hash) for event in self.world.told.get(host, ())}
        held: set[tuple[int, str]] = set()
        for path in sorted(self.world.platter(host).root.glob(f"state/*/{JOURNAL}")):
            try:
                held |= {(event.seq, event.hash) for event in read_journal(path)[0]}
            except StoreError as error:
                self.fail("I8", f"the journal cannot be read: {error.message}")
                return
        if told - held:
            self.fail("I8", f"{len(told - held)} lines that were acknowledged are not in the journal")

    def _sets_must_stand(self, host: str) -> None:
        root = self.world.platter(host).root
        for event in self.world.told.get(host, ()):
            for sealed in event.data.get("objects", ()) if event.event == "backup.sealed" else ():
                entry = sealed["entry"]
                found = list(root.glob(f"state/*/{entry['file']}"))
                if not any(hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"] for path in found):
                    self.fail("I2", f"{entry['file']} was acknowledged as sealed and is missing or changed")
        # A set whose folder could not be synced has its name, and nobody was told that it is sealed.
        durable = self.world.platter(host).synced_files()
        for path in sorted(root.glob("state/*/objects/[!.]*/*")):
            name, data = str(path.relative_to(root)), path.read_bytes()
            if name in durable and self.sealed.setdefault(f"{host}/{name}", data) != data:
                self.fail("I2", f"the sealed file {name} has changed")
        for name in self.sealed:
            if name.startswith(f"{host}/") and not (root / name.removeprefix(f"{host}/")).exists():
                self.fail("I2", f"the sealed file {name} is gone")

    def _must_be_on_praxis(self, outcome: Outcome) -> None:
        annotations = self.get(CONFIG).get("metadata", {}).get("annotations", {})
        if (annotations.get(TYPE), annotations.get(STATUS)) != ("praxis", "steady") or FORCE in annotations:
            self.fail("I12", f"{outcome.verb} ended 0 and the tenant says {annotations}")
        for name in PAYLOAD:
            managed = self.get(DEPLOYMENTS + name).get("metadata", {}).get("managedFields", [])
            if not any(entry.get("manager") == "ai-gateway-controller" for entry in managed):
                self.fail("I12", f"{outcome.verb} ended 0 and {name} is not of Praxis")
        steps = outcome.state.steps if outcome.state else ()
        undone = [step.id for step in steps if step.state not in {"succeeded", "skipped"}]
        if undone or not steps:
            self.fail("I12", f"{outcome.verb} ended 0 with steps not done: {undone}")

    def _must_be_back(self, run: Path) -> None:
        config, plugins = self.get(CONFIG), self.get(PLUGINS)
        annotations, was = config.get("metadata", {}).get("annotations", {}), [self.started["plugins"]]
        translations = [at(self.started["config"], TRANSLATION)]
        if len(self.world.told) > 1:
            # What a second operator did is not taken back, and what this run met first may be what that one left.
            if not has_flipped(run / JOURNAL):
                return
            was += sealed_things(run, "ConfigMap.*")
            translations += [at(thing, TRANSLATION) for thing in sealed_things(run, "MaasTenantConfig.*")]
        if annotations.get(TYPE, "ipp") != "ipp" or FORCE in annotations:
            self.fail("I6", f"a rollback ended 0 and the tenant says {annotations}")
        marked = {where[-1] for path, _, where, _ in self.marks if path == PLUGINS}
        if was[0] and not any(same_texts(plugins, one, marked) for one in was):
            self.fail("I6", "a rollback ended 0 and the plugins ConfigMap is not as it was")
        now = at(config, TRANSLATION)
        if now not in translations and not self._wrote_by_controller(config):
            self.fail("I6", f"a rollback ended 0 and apiTranslation is {now}, was {translations[0]}")

    def _wrote_by_controller(self, config: Json) -> bool:
        return any(
            "f:apiTranslation" in json.dumps(entry) and entry.get("manager") != "maas-migrate"
            for entry in config.get("metadata", {}).get("managedFields", [])
        )

    def _nothing_may_be_left_pending(self, outcome: Outcome) -> None:
        config, plugins = self.get(CONFIG), self.get(PLUGINS)
        annotations = config.get("metadata", {}).get("annotations", {})
        flipped = annotations.get(TYPE) == "praxis" and STATUS not in annotations
        was = self.started["plugins"].get("metadata", {}).get("uid")
        whole = plugins.get("metadata", {}).get("uid") == was and "deletionTimestamp" not in plugins.get("metadata", {})
        if (
            flipped
            and whole
            and self.started["config"].get("metadata", {}).get("annotations", {}).get(TYPE) != "praxis"
        ):
            self.fail(
                "I13", f"{outcome.verb} ended {outcome.code} and left a flip that takes effect later: {outcome.message}"
            )

    # When the story has ended.

    def at_end(self, *, went_back: bool, ends: Sequence[Mapping[str, Json]]) -> None:
        """Check what is left of it all: the cluster must be as one of *ends*, which calm runs led to."""
        here = content_of(self.world.server)
        ignored = _CHECKED_BY_ITSELF if went_back else ()
        found = [[line for line in differences(here, end) if self._counts(line, ignored)] for end in ends]
        for line in min(found, key=len):
            name = "rolled back" if went_back else "applied"
            self.fail("I6" if went_back else "I5", f"{name}, and {line} (here, calm)")

    def marks_must_stand(self, *, went_back: bool) -> None:
        """Check that what others wrote is there still, where the object is, or was put back with it."""
        for path, uid, where, value in self.marks:
            live = self.get(path)
            if at(live, where) == value:
                continue
            same, sealed = live.get("metadata", {}).get("uid") == uid, is_sealed(self.world.platter().root, value)
            if same and not (went_back and sealed):
                self.fail("I4", f"somebody's {'.'.join(where)} of {path} was lost: {at(live, where)!r}")

    def _counts(self, line: str, ignored: tuple[str, ...]) -> bool:
        if any(text in line for text in ignored):
            return False
        return not any(f"/{path.rsplit('/', 1)[-1]}.{'.'.join(where)}:" in line for path, _, where, _ in self.marks)

    def _identities(self) -> dict[str, Any]:
        path = "/apis/maas.opendatahub.io/v1alpha1/maassubscriptions"
        return {
            item["metadata"]["uid"]: (item.get("status") or {}).get("rateLimitIdentity")
            for item in self.world.server.get(path).get("items", [])
        }


def _leaves(body: Any, path: str = "") -> list[str]:
    if isinstance(body, Mapping) and body:
        return [leaf for key, value in body.items() for leaf in _leaves(value, f"{path}.{key}" if path else str(key))]
    return [path]


def writes(sent: list[Sent]) -> list[Sent]:
    """Return the requests that changed something but the lease."""
    return [each for each in sent if each.took_effect and not each.is_lease]
