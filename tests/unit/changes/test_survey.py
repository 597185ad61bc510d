"""What is asked of a cluster: everything that is needed, nothing twice, never a Secret."""

from collections.abc import Iterable
from typing import Any

import pytest

from migrate.changes.survey import LISTED, config_maps_of, queries
from migrate.maas import annotations, naming, resources
from migrate.records.objects import KubeObject, Query, get_in
from migrate.records.snapshot import Snapshot
from tests.builders import ALL_KINDS, a_cluster, a_deployment, a_snapshot, a_tenant_config, changed


def _matches(query: Query, thing: KubeObject) -> bool:
    if (query.group, query.kind) != (thing.group, thing.kind) or query.namespace not in {"", thing.namespace}:
        return False
    if query.name:
        return query.name == thing.name
    key, equals, value = query.label_selector.partition("=")
    return not key or (thing.labels.get(key) == value if equals else key in thing.labels)


def collect(objects: Iterable[dict[str, Any]]) -> tuple[Snapshot, tuple[Query, ...]]:
    """Ask until nothing new is wanted, as a collector does."""
    cluster = [KubeObject(thing) for thing in objects]
    snapshot = a_snapshot(answered=())
    for _ in range(10):
        new = [query for query in queries(snapshot) if query not in snapshot.answered]
        if not new:
            return snapshot, snapshot.answered
        answered = (*snapshot.answered, *new)
        held = [thing.raw for thing in cluster if any(_matches(query, thing) for query in answered)]
        snapshot = a_snapshot(*held, answered=answered)
    raise AssertionError("the survey does not come to an end")


@pytest.fixture(scope="module")
def asked() -> tuple[Query, ...]:
    return collect(a_cluster("3.5", "models-as-a-service", "redteam"))[1]


def test_no_secret_is_ever_asked_for(asked: tuple[Query, ...]) -> None:
    assert not [query for query in asked if query.kind == "Secret"]


def test_nothing_is_asked_twice(asked: tuple[Query, ...]) -> None:
    assert len({(q.group, q.kind, q.namespace, q.name, q.label_selector) for q in asked}) == len(asked)


@pytest.mark.parametrize("kind", [kind for kind, _ in LISTED], ids=lambda kind: kind.crd_name)
def test_kinds_of_the_product_are_listed_once_for_the_whole_cluster(
    kind: resources.Kind, asked: tuple[Query, ...]
) -> None:
    of_kind = [query for query in asked if (query.group, query.kind) == kind.key]

    assert [(query.namespace, query.name) for query in of_kind] == [("", "")]


def test_everything_else_is_asked_by_name_or_label_or_in_its_one_namespace(asked: tuple[Query, ...]) -> None:
    listed = {kind.key for kind, _ in LISTED}

    rest = [query for query in asked if (query.group, query.kind) not in listed and not query.name]

    assert all(query.namespace for query in rest)
    assert {query.kind for query in rest if not query.label_selector} == {"InstallPlan"}


def test_a_kind_that_is_not_served_is_not_asked_for() -> None:
    kinds = [kind for kind in ALL_KINDS if kind is not resources.PERSES_DASHBOARD]

    assert not [query for query in queries(a_snapshot(kinds=kinds)) if query.kind == "PersesDashboard"]


def test_the_plugins_config_map_is_asked_for_in_the_gateways_namespace() -> None:
    objects = [
        changed(thing, {"status": {"gatewayRef": {"namespace": "team-ingress"}}})
        if thing["kind"] == "AITenant"
        else thing
        for thing in a_cluster()
    ]

    asked = collect(objects)[1]

    assert resources.CONFIG_MAP.query("team-ingress", "payload-processing-plugins") in asked
    assert resources.CONFIG_MAP.query("openshift-ingress", "payload-processing-plugins") not in asked
    assert resources.NAMESPACE.query(name="team-ingress") in asked


def test_ch_01_nothing_of_the_default_tenant_is_asked_for_a_tenant_without_a_name() -> None:
    config = changed(a_tenant_config("redteam"), {"metadata": {"labels": {annotations.TENANT_NAME: None}}})
    objects = [
        config if thing["metadata"]["name"] == "default-tenant" else thing for thing in a_cluster("3.5", "redteam")
    ]

    asked = collect(objects)[1]

    assert not [query for query in asked if query.kind == "ConfigMap"]
    assert not [query for query in asked if query.name.startswith(naming.PAYLOAD_PROCESSING)]


def test_ch_11_a_config_map_that_ipp_really_reads_is_asked_for() -> None:
    objects = [
        a_deployment("payload-processing", "openshift-ingress", config_map="ipp-config")
        if thing["kind"] == "Deployment" and thing["metadata"]["name"] == "payload-processing"
        else thing
        for thing in a_cluster()
    ]

    assert resources.CONFIG_MAP.query("openshift-ingress", "ipp-config") in collect(objects)[1]


def test_config_maps_are_found_wherever_a_pod_can_read_them() -> None:
    deployment = a_deployment("d", "n", config_map="volume")
    pod = get_in(deployment, "spec", "template", "spec")
    pod["volumes"].append({"projected": {"sources": [{"configMap": {"name": "projected"}}, {"secret": {"name": "s"}}]}})
    pod["containers"][0]["envFrom"] = [{"configMapRef": {"name": "env-from"}}]
    pod["containers"][0]["env"] = [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "key", "key": "a"}}}]

    assert config_maps_of(KubeObject(deployment)) == {"volume", "projected", "env-from", "key"}


def test_everything_that_the_builders_hold_is_found_by_the_survey() -> None:
    objects = a_cluster("3.6", "models-as-a-service", "redteam")

    snapshot, _ = collect(objects)

    not_needed = {resources.NAMESPACE.kind}
    missing = {KubeObject(thing).ref for thing in objects} - {KubeObject(thing).ref for thing in snapshot.objects}
    assert {ref for ref in missing if ref.kind not in not_needed} == set()


def test_heavy_objects_are_cut_to_what_is_needed_and_grounds_of_a_plan_are_not(asked: tuple[Query, ...]) -> None:
    fields = {query.kind: query.fields for query in asked}

    assert fields["Pod"] == (("status",),)
    assert all(fields[kind] == () for kind in ("MaasTenantConfig", "ConfigMap", "Config", "Gateway", "MaaSModelRef"))
