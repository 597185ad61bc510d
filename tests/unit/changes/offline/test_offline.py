"""Questions answered from files: what a layout answers for, and that whatever it cannot answer is a gap."""

from typing import Any

import msgspec
import pytest

from migrate.changes.assess import assess
from migrate.changes.offline import snapshot_from
from migrate.changes.offline_layout import choose, spot_of
from migrate.errors import BadInputError
from migrate.maas import resources
from migrate.records.assessment import Assessment
from migrate.records.objects import Json
from migrate.records.snapshot import Snapshot
from tests.builders import (
    CLUSTER_ID,
    a_cluster,
    a_crd,
    a_model_ref,
    a_namespace,
    a_policy,
    a_subscription,
    an_object,
    changed,
    without,
)
from tests.unit.changes.offline.builders import (
    BUILT_IN,
    IMAGE,
    MODIFIED_AT,
    a_list,
    a_source,
    by_kind,
    file_name,
    get_all,
    inspected,
)
from tests.unit.changes.test_survey import collect

NONE_HERE = (
    resources.TENANT,
    resources.HTTP_ROUTE,
    resources.MAAS_EXTERNAL_MODEL,
    resources.EXTERNAL_MODEL,
    resources.EXTERNAL_PROVIDER,
    resources.MAAS_AUTH_POLICY,
    resources.AI_GATEWAY,
    resources.INSTALL_PLAN,
    resources.HPA,
    resources.PERSES_DASHBOARD,
    resources.POD,
    resources.CLUSTER_ROLE_BINDING,
)
"""Kinds of which the cluster has none; their Lists are empty."""
PLUGINS = ("", "ConfigMap", "openshift-ingress", "payload-processing-plugins")


@pytest.fixture(scope="module")
def cluster() -> list[Json]:
    return [
        *a_cluster("3.5", "models-as-a-service", "redteam"),
        a_model_ref("granite"),
        a_subscription("gold", "granite"),
        a_subscription("silver", "granite", namespace="ai-tenant-redteam"),
        a_policy("granite", {}, "ai-tenant-redteam/silver", "models-as-a-service/gold"),
    ]


def read(files: dict[str, Any]) -> Snapshot:
    return snapshot_from(a_source(files))


def said(assessment: Assessment) -> list[tuple[str, str, str, str]]:
    """Return what was found, apart from what the source could not contain."""
    return [
        (one.impact, one.code, one.tenant, one.message)
        for one in assessment.findings
        if one.code not in {"NotInSource", "CouldNotRead"}
    ]


def unknown(snapshot: Snapshot) -> set[str]:
    return {gap.query.kind for gap in snapshot.gaps}


def test_lists_of_all_namespaces_say_what_the_cluster_says(cluster: list[Json]) -> None:
    live = assess(collect(cluster)[0])

    offline = read(get_all(cluster, empty=NONE_HERE))

    found = assess(offline)
    assert said(found) == said(live)
    assert [one.decision for one in found.tenants] == [one.decision for one in live.tenants] == ["proceed", "proceed"]
    assert (offline.cluster.id, offline.cluster.server, offline.source) == (CLUSTER_ID, "dump", "dump")


def test_a_must_gather_says_what_the_cluster_says_apart_from_named_gaps(cluster: list[Json]) -> None:
    live = assess(collect(cluster)[0])

    offline = read(inspected(cluster))

    assert said(assess(offline)) == said(live)
    assert "MaaSSubscription" not in unknown(offline)
    assert "ExternalModel" in unknown(offline)


def test_one_list_of_many_kinds_is_as_good_as_one_for_each(cluster: list[Json]) -> None:
    together = read({"everything.json": a_list([*cluster, *_one_of_each(NONE_HERE)])})
    apart = read(get_all([*cluster, *_one_of_each(NONE_HERE)]))

    assert together.objects == apart.objects
    assert together.gaps == apart.gaps


def _one_of_each(kinds: tuple[resources.Kind, ...]) -> list[Json]:
    return [an_object(kind, "elsewhere" if kind.namespaced else "", "x") for kind in kinds]


def test_a_kind_of_which_nothing_is_there_is_unknown_and_blocks_where_it_is_needed(cluster: list[Json]) -> None:
    files = get_all(cluster, empty=NONE_HERE)
    del files[file_name(resources.EXTERNAL_MODEL)]

    found = assess(read(files))

    (missing,) = [one for one in found.findings if "ExternalModel" in one.message and one.code == "CouldNotRead"]
    assert (missing.impact, missing.unreadable) == ("blocking", False)
    assert {one.decision for one in found.tenants} == {"blocked"}


def test_a_list_of_one_namespace_answers_for_that_namespace_only(cluster: list[Json]) -> None:
    config_map = next(thing for thing in cluster if thing["metadata"]["name"] == PLUGINS[-1])
    files = get_all(without(without(cluster, "ConfigMap", PLUGINS[-1]), "ConfigMap", f"{PLUGINS[-1]}-redteam"))
    elsewhere = changed(config_map, {"metadata": {"namespace": "team-ingress"}})

    there = read(files | {"configmaps.yaml": a_list([changed(config_map, {"metadata": {"name": "another"}})])})
    other = read(files | {"configmaps.yaml": a_list([elsewhere])})

    assert there.is_absent(*PLUGINS)
    assert not other.is_absent(*PLUGINS)
    assert other.gap_for(*PLUGINS)


def test_without_any_list_of_several_namespaces_nothing_shows_that_all_were_asked() -> None:
    one = a_subscription("gold", "granite")

    alone = read({"maassubscriptions.maas.opendatahub.io.yaml": a_list([one])})

    gap = alone.gap_for("maas.opendatahub.io", "MaaSSubscription")
    assert gap is not None
    assert (gap.reason, "-A" in gap.message) == ("not-in-source", True)
    assert alone.of_kind("maas.opendatahub.io", "MaaSSubscription")


def test_single_objects_answer_for_themselves(cluster: list[Json]) -> None:
    config_map = next(thing for thing in cluster if thing["metadata"]["name"] == PLUGINS[-1])
    files = get_all(cluster)
    del files["configmaps.yaml"]

    snapshot = read(files | {"my-config-map.yaml": config_map})

    assert snapshot.gap_for(*PLUGINS) is None
    assert snapshot.gap_for("", "ConfigMap", "openshift-ingress", f"{PLUGINS[-1]}-redteam")


def test_an_empty_list_is_of_the_kind_that_it_or_its_file_is_called_after(cluster: list[Json]) -> None:
    files = get_all(cluster, empty=[kind for kind in NONE_HERE if kind is not resources.EXTERNAL_MODEL])
    typed = {"apiVersion": "inference.opendatahub.io/v1alpha1", "kind": "ExternalModelList", "items": []}

    asked = "inference.opendatahub.io", "ExternalModel"
    assert read(files | {"some.json": a_list([])}).gap_for(*asked)
    assert read(files | {"some.json": typed}).gap_for(*asked) is None
    assert read(files | {"externalmodels.inference.opendatahub.io.yaml": a_list([])}).gap_for(*asked) is None


def test_a_typed_list_gives_its_items_their_kind() -> None:
    bare = {key: value for key, value in a_subscription("gold", "granite").items() if key not in {"apiVersion", "kind"}}
    typed = {"apiVersion": "maas.opendatahub.io/v1alpha1", "kind": "MaaSSubscriptionList", "items": [bare]}

    assert [thing.name for thing in read({"a.json": typed}).of_kind("maas.opendatahub.io", "MaaSSubscription")] == [
        "gold"
    ]


def test_a_crd_list_shows_which_kinds_are_not_served(cluster: list[Json]) -> None:
    files = get_all(cluster, empty=NONE_HERE)
    del files[file_name(resources.TENANT)]
    custom = [kind for kind in by_kind(cluster) if kind.group not in BUILT_IN]
    all_of_them = {"crds.yaml": a_list([a_crd(kind) for kind in custom])}

    whole, some = read(files | all_of_them), read(files)

    assert whole.kind_info(*resources.TENANT.key) is None
    assert "Tenant" not in unknown(whole)
    assert "Tenant" in unknown(some)


def test_a_must_gather_answers_for_the_namespaces_that_it_contains(cluster: list[Json]) -> None:
    snapshot = read(inspected(cluster, spaces=["empty"]))

    assert snapshot.is_absent("", "ConfigMap", "openshift-ingress", "other") is False  # Nobody asked.
    deployment = ("apps", "Deployment", "redhat-ods-applications", "ai-gateway-controller")
    assert snapshot.is_absent(*deployment)
    gap = snapshot.gap_for("apps", "Deployment", "opendatahub", "maas-controller")
    assert gap is not None
    assert "only" in gap.message


def test_a_model_namespace_that_was_not_gathered_is_a_gap_and_not_empty(cluster: list[Json]) -> None:
    names_it = a_subscription("more", "far", model_namespace="far-away")

    snapshot = read(inspected([*cluster, names_it]))

    gap = snapshot.gap_for("maas.opendatahub.io", "MaaSModelRef")
    assert gap is not None
    assert "far-away" in gap.message


def test_a_must_gather_says_which_namespaces_it_has_unless_it_has_all(cluster: list[Json]) -> None:
    some = read(inspected(cluster))
    spaces = {thing["metadata"].get("namespace", "") for thing in cluster} - {""}
    names = a_list([a_namespace(space) for space in sorted(spaces)])
    files = {path: file for path, file in inspected(cluster).items() if "/core/namespaces/" not in path}
    everything = read(files | {f"{IMAGE}/cluster-scoped-resources/core/namespaces.yaml": names})

    assert "Namespace" in unknown(some)
    assert [gap.query for gap in everything.gaps if gap.query == resources.NAMESPACE.query()] == []


def test_the_later_of_two_readings_of_one_object_counts() -> None:
    old, new = (
        changed(a_namespace("kube-system", "u"), {"metadata": {"resourceVersion": version, "labels": {"v": version}}})
        for version in ("9", "10")
    )

    for files in ({"a.yaml": old, "b.yaml": new}, {"a.yaml": new, "b.yaml": old}):
        found = read(files).find("", "Namespace", "", "kube-system")
        assert found is not None
        assert found.labels == {"v": "10"}


def test_two_clusters_in_one_folder_are_refused() -> None:
    with pytest.raises(BadInputError, match="another cluster"):
        read({"a.yaml": a_namespace("kube-system", "one"), "b.yaml": a_namespace("kube-system", "two")})


@pytest.mark.parametrize(
    "document",
    [
        "text",
        5,
        [1],
        {"kind": "ConfigMap"},
        {"kind": "List", "items": 3},
        {"kind": "List", "items": ["x"]},
        {"a": "b"},
        a_list([{}]),
    ],
)
def test_what_is_no_object_is_refused_and_its_file_named(document: Any) -> None:
    with pytest.raises(BadInputError, match=r"dump/odd\.yaml"):
        read({"odd.yaml": document})


def test_a_refusal_that_was_saved_is_told_as_one() -> None:
    status = {"apiVersion": "v1", "kind": "Status", "metadata": {}, "message": "maassubscriptions is forbidden"}

    with pytest.raises(BadInputError, match="maassubscriptions is forbidden"):
        read({"maassubscriptions.json": status})


def test_nothing_at_all_is_refused() -> None:
    with pytest.raises(BadInputError, match="no Kubernetes object"):
        read({"a.yaml": None})


def test_a_secret_never_comes_in(cluster: list[Json]) -> None:
    canary = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s", "namespace": "n"},
        "data": {"k": "canary"},
    }

    snapshot = read({**get_all(cluster), "secrets.yaml": a_list([canary])})

    assert b"canary" not in msgspec.json.encode(snapshot)


def test_the_time_is_the_newest_that_an_object_tells_else_that_of_the_files() -> None:
    told = changed(a_namespace("kube-system", "u"), {"metadata": {"creationTimestamp": "2026-11-30T14:26:46Z"}})
    silent = changed(told, {"metadata": {"creationTimestamp": "yesterday"}})

    assert read({"a.yaml": told}).taken_at == "2026-11-30T14:26:46+00:00"
    assert read({"a.yaml": silent}).taken_at == MODIFIED_AT


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x/namespaces/n/core/configmaps.yaml", ("ConfigMap", "n", True)),
        ("x/namespaces/n/apps/deployments.yaml", ("Deployment", "n", True)),
        ("x/namespaces/n/pods/p-1/p-1.yaml", ("Pod", "n", False)),
        ("x/namespaces/n/maas.opendatahub.io/maassubscriptions/gold.yaml", ("MaaSSubscription", "n", False)),
        ("x/namespaces/n/n.yaml", ("Namespace", "", False)),
        ("x/cluster-scoped-resources/core/namespaces/n.yaml", ("Namespace", "", False)),
        ("x/cluster-scoped-resources/core/namespaces.yaml", ("Namespace", "", True)),
        ("x/cluster-scoped-resources/maas.opendatahub.io/configs/default.yaml", ("Config", "", False)),
        ("x/namespaces/all/namespaces/n/core/configmaps.yaml", ("ConfigMap", "n", True)),
        ("namespaces/configmaps.yaml", None),
        ("x/namespaces/n/pods/p-1/container/odd.yaml", None),
        ("configmaps.yaml", None),
        ("x/namespaces/n/core/secrets.yaml", (None, "n", True)),
    ],
)
def test_a_place_says_what_lies_there(path: str, expected: tuple[str | None, str, bool] | None) -> None:
    spot = spot_of(tuple(path.split("/")))

    assert (spot and (spot.kind.kind if spot.kind else None, spot.namespace, spot.is_list)) == expected


def test_of_a_must_gather_only_what_matters_is_opened() -> None:
    places = [
        ("g", "namespaces", "n", "core", "configmaps.yaml"),
        ("g", "namespaces", "n", "core", "events.yaml"),
        ("g", "namespaces", "n", "core", "secrets.yaml"),
        ("g", "etcd_info", "health.json"),
    ]

    assert choose(places) == (places[0],)
    assert choose([("d", "a.yaml"), ("d", "b.json")]) == (("d", "a.yaml"), ("d", "b.json"))
