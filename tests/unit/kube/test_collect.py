"""A reading is whole, or says where it is not."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from migrate.errors import InternalError, NotAuthorisedError, UnreachableError
from migrate.kube.collect import Survey, collect
from migrate.kube.pacing import Pace
from migrate.kube.trimming import trimmed, united
from migrate.records.objects import Query
from migrate.records.snapshot import Snapshot
from migrate.sandbox.apiserver import ApiServer, Fault, serve
from tests.unit.kube.support import Reply, Script, VirtualClock, config_map, connected, scripted, serve_core, status

GROUP = "maas.opendatahub.io"
MANY = 1203
ALL_CONFIG_MAPS = Query(group="", kind="ConfigMap")
LIST = "/api/v1/configmaps"


class Live:
    """An embedded API server and a collection of it."""

    def __init__(self, server: ApiServer, url: str, folder: Path) -> None:
        self.server = server
        self.url = url
        self.folder = folder

    def collect(self, *queries: Query, token: str = "t") -> Snapshot:
        return collect(connected(self.folder, self.url, token=token), lambda _: queries, VirtualClock())


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    server = ApiServer(tokens={"t": "admin", "weak": "user"})
    with serve(server) as running:
        yield Live(server, running.url, tmp_path)


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as running:
        serve_core(running)
        yield running


def _asking(*queries: Query) -> Survey:
    return lambda _: queries


def _plain(name: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}}


def _names(snapshot: Snapshot) -> list[str]:
    return [thing.name for thing in snapshot.of_kind("", "ConfigMap", "default")]


def test_ch_21_all_pages_are_seen(live: Live) -> None:
    live.server.seed([_plain(f"n-{number:04}") for number in range(MANY)])

    snapshot = live.collect(ALL_CONFIG_MAPS)

    assert _names(snapshot) == [f"n-{number:04}" for number in range(MANY)]
    assert snapshot.requests["ConfigMap"] == 3
    assert snapshot.gaps == ()


def test_ch_21_an_expired_token_starts_the_kind_again(live: Live) -> None:
    live.server.seed([_plain(f"n-{number:04}") for number in range(MANY)])
    live.server.plant(Fault(verb="list", resource="configmaps", skip=1, code=410))

    snapshot = live.collect(ALL_CONFIG_MAPS)

    assert _names(snapshot) == [f"n-{number:04}" for number in range(MANY)]
    assert snapshot.requests["ConfigMap"] == 5  # One page, the refusal, and three pages.


def test_ch_21_tokens_that_expire_for_ever_are_a_gap_and_nothing_of_the_set_is_kept(
    script: Script, tmp_path: Path
) -> None:
    token = {"metadata": {"continue": "more", "resourceVersion": "5"}, "kind": "ConfigMapList", "apiVersion": "v1"}
    expired = status(410, "Expired", "The provided continue parameter is too old")
    expired.body["metadata"] = {"continue": "inconsistent-token"}
    page = Reply(body={**token, "items": [config_map()]})
    script.on(LIST, page, expired, page, expired, page, expired)

    snapshot = collect(connected(tmp_path, script.url), _asking(ALL_CONFIG_MAPS), VirtualClock())

    gap = snapshot.gap_for("", "ConfigMap")
    assert gap is not None
    assert (gap.reason, gap.status, snapshot.objects) == ("incomplete", 410, ())
    lists = [seen.path for seen in script.seen if seen.path.startswith(LIST)]
    assert len(lists) == 6
    assert not any("inconsistent-token" in path for path in lists)


def test_ch_21_pages_that_bring_an_object_twice_are_not_taken(script: Script, tmp_path: Path) -> None:
    head = {"kind": "ConfigMapList", "apiVersion": "v1"}
    first = Reply(body={**head, "metadata": {"continue": "more"}, "items": [config_map()]})
    second = Reply(body={**head, "metadata": {}, "items": [config_map()]})
    whole = Reply(body={**head, "metadata": {}, "items": [config_map(), config_map("other")]})
    script.on(LIST, first, second, whole)

    snapshot = collect(connected(tmp_path, script.url), _asking(ALL_CONFIG_MAPS), VirtualClock())

    assert _names(snapshot) == ["other", "settings"]


def test_what_is_found_leads_to_further_questions_and_nothing_is_asked_twice(live: Live) -> None:
    live.server.seed([{**_plain("first"), "data": {"next": "second"}}, {**_plain("second"), "data": {"next": "third"}}])

    def survey(snapshot: Snapshot) -> Sequence[Query]:
        names = ["first", *(thing.get("data", "next") for thing in snapshot.of_kind("", "ConfigMap"))]
        return [Query(group="", kind="ConfigMap", namespace="default", name=name) for name in names]

    snapshot = collect(connected(live.folder, live.url), survey, VirtualClock())

    assert _names(snapshot) == ["first", "second"]
    assert snapshot.is_absent("", "ConfigMap", "default", "third")
    assert snapshot.requests["ConfigMap"] == 3


def test_a_survey_without_end_is_a_fault_of_this_tool(live: Live) -> None:
    def survey(snapshot: Snapshot) -> Sequence[Query]:
        return [Query(group="", kind="Nothing", name=str(len(snapshot.answered)))]

    with pytest.raises(InternalError, match="has no end"):
        collect(connected(live.folder, live.url), survey, VirtualClock())


def test_a_kind_that_is_not_served_is_answered_with_nothing(live: Live) -> None:
    query = Query(group=GROUP, kind="MaaSSubscription")

    snapshot = live.collect(query)

    assert (snapshot.answered, snapshot.gaps, snapshot.objects) == ((query,), (), ())
    assert snapshot.kind_info(GROUP, "MaaSSubscription") is None
    assert snapshot.is_absent(GROUP, "MaaSSubscription", "llm", "any")


def test_an_object_in_a_namespace_that_is_not_there_is_absent_and_the_namespace_too(live: Live) -> None:
    snapshot = live.collect(
        Query(group="", kind="ConfigMap", namespace="openshift-ingres", name="payload-processing-plugins"),
        Query(group="", kind="Namespace", name="openshift-ingres"),
    )

    assert snapshot.is_absent("", "ConfigMap", "openshift-ingres", "payload-processing-plugins")
    assert snapshot.is_absent("", "Namespace", "", "openshift-ingres")


def test_a_refused_read_is_a_gap_with_the_servers_words(live: Live) -> None:
    live.server.seed([_plain("a")])
    live.server.plant(Fault(verb="list", resource="configmaps", code=403, message="User u may not list"))

    snapshot = live.collect(ALL_CONFIG_MAPS)

    gap = snapshot.gap_for("", "ConfigMap", "default", "a")
    assert gap is not None
    assert (gap.reason, gap.status, gap.message) == ("forbidden", 403, "User u may not list")
    assert not snapshot.is_absent("", "ConfigMap", "default", "zzz")


def test_credentials_that_are_not_accepted_end_the_reading(live: Live) -> None:
    with pytest.raises(NotAuthorisedError, match="does not accept the credentials"):
        live.collect(ALL_CONFIG_MAPS, token="expired")


def test_one_question_without_answer_is_a_gap_while_the_server_answers_others(script: Script, tmp_path: Path) -> None:
    script.on(LIST, Reply(hang_s=20))
    clock = VirtualClock()

    snapshot = collect(connected(tmp_path, script.url, timeout_s=0.3), _asking(ALL_CONFIG_MAPS), clock)

    gap = snapshot.gap_for("", "ConfigMap")
    assert gap is not None
    assert gap.reason == "unreachable"


def test_a_server_that_goes_away_meanwhile_is_unreachable_and_gives_no_document(script: Script, tmp_path: Path) -> None:
    script.on("/version", Reply(body={"gitVersion": "v1"}), Reply(reset=True))
    script.on(LIST, Reply(reset=True))

    with pytest.raises(UnreachableError):
        collect(connected(tmp_path, script.url), _asking(ALL_CONFIG_MAPS), VirtualClock())


def test_a_group_that_cannot_be_discovered_is_a_gap_and_not_an_absence(script: Script, tmp_path: Path) -> None:
    version = {"groupVersion": f"{GROUP}/v1alpha1", "version": "v1alpha1"}
    groups = [{"name": GROUP, "versions": [version], "preferredVersion": version}]
    script.on("/apis", Reply(body={"kind": "APIGroupList", "groups": groups}))
    script.on(f"/apis/{GROUP}/v1alpha1", status(503, "ServiceUnavailable", "down"))

    query = Query(group=GROUP, kind="MaaSSubscription")
    snapshot = collect(connected(tmp_path, script.url), _asking(query), VirtualClock())

    gap = snapshot.gap_for(GROUP, "MaaSSubscription")
    assert gap is not None
    assert (gap.reason, gap.status) == ("failed", 503)


def test_a_page_of_something_else_is_a_gap(script: Script, tmp_path: Path) -> None:
    script.on(LIST, Reply(body={"hello": "world"}))

    snapshot = collect(connected(tmp_path, script.url), _asking(ALL_CONFIG_MAPS), VirtualClock())

    gap = snapshot.gap_for("", "ConfigMap")
    assert gap is not None
    assert gap.reason == "failed"


def test_a_bare_404_for_a_name_is_a_gap_and_not_an_absence(script: Script, tmp_path: Path) -> None:
    query = Query(group="", kind="ConfigMap", namespace="default", name="settings")

    snapshot = collect(connected(tmp_path, script.url), _asking(query), VirtualClock())

    assert not snapshot.is_absent("", "ConfigMap", "default", "settings")


def test_secrets_are_never_asked_for(live: Live) -> None:
    with pytest.raises(InternalError, match="Secrets are never read"):
        live.collect(Query(group="", kind="Secret", namespace="default"))

    assert not any(entry.resource == "secrets" for entry in live.server.log.entries())


def test_only_what_was_asked_for_is_kept_and_lists_know_their_kind(script: Script, tmp_path: Path) -> None:
    bare = {key: value for key, value in config_map(binaryData={"b": "x"}).items() if key not in {"apiVersion", "kind"}}
    bare["metadata"]["managedFields"] = [{"manager": "kubectl"}]
    script.on(LIST, Reply(body={"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {}, "items": [bare]}))
    query = Query(group="", kind="ConfigMap", fields=(("data", "a"),))

    snapshot = collect(connected(tmp_path, script.url), _asking(query), VirtualClock())

    (raw,) = snapshot.objects
    assert raw == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": bare["metadata"], "data": {"a": "1"}}


def test_a_label_narrows_a_list(live: Live) -> None:
    labelled = _plain("labelled")
    labelled["metadata"]["labels"] = {"app": "maas"}
    live.server.seed([labelled, _plain("other")])

    snapshot = live.collect(Query(group="", kind="ConfigMap", label_selector="app=maas"))

    assert _names(snapshot) == ["labelled"]


def test_the_same_cluster_gives_the_same_snapshot(live: Live) -> None:
    live.server.seed([_plain(f"n-{number}") for number in range(30)])
    queries = [Query(group="", kind="ConfigMap", namespace="default", name=f"n-{number}") for number in range(30)]

    forward, backward = live.collect(*queries), live.collect(*reversed(queries))

    assert forward == backward


def test_the_identity_names_endpoint_and_cluster(live: Live) -> None:
    cluster = live.collect().cluster

    uid = live.server.get("/api/v1/namespaces/kube-system")["metadata"]["uid"]
    assert (cluster.server, cluster.id, cluster.context) == (live.url, uid, "prod")
    assert cluster.version.startswith("v1.")


def test_a_cluster_id_that_may_not_be_read_stays_empty(live: Live) -> None:
    live.server.plant(Fault(verb="get", resource="namespaces", code=403))

    assert live.collect().cluster.id == ""


def test_no_more_than_twenty_requests_a_second() -> None:
    clock = VirtualClock()
    pace = Pace(clock)

    for _ in range(120):
        pace.wait()

    assert clock.passed_s == pytest.approx(5.0, abs=0.1)


def test_a_pace_of_zero_has_no_limit() -> None:
    clock = VirtualClock()
    pace = Pace(clock, 0)

    for _ in range(120):
        pace.wait()

    assert clock.passed_s == 0


def test_threads_share_one_pace() -> None:
    clock = VirtualClock()
    pace = Pace(clock, per_s=1000, burst=1)

    def hurry() -> None:
        for _ in range(10):
            pace.wait()

    threads = [threading.Thread(target=hurry) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert clock.passed_s >= 0.035


def test_trimming_keeps_empty_and_null_values_and_leaves_out_missing_ones() -> None:
    raw = {"kind": "A", "metadata": {}, "spec": {"a": None, "b": [1], "c": {"d": {}}}, "status": {"x": 1}}

    kept = trimmed(raw, [("spec", "a"), ("spec", "c", "d"), ("spec", "nowhere"), ("status",)])

    assert kept == {"kind": "A", "metadata": {}, "spec": {"a": None, "c": {"d": {}}}, "status": {"x": 1}}


def test_two_readings_of_one_object_are_put_together_and_of_two_objects_are_not() -> None:
    old = {"metadata": {"uid": "1"}, "spec": {"a": 1}}

    assert united(old, {"metadata": {"uid": "1"}, "status": {"b": 2}}) == {**old, "status": {"b": 2}}
    assert united(old, {"metadata": {"uid": "2"}, "status": {}}) == {"metadata": {"uid": "2"}, "status": {}}
