"""Deployments roll out, owners take their dependents along, namespaces empty: as on any cluster."""

from migrate.maas.resources import CONFIG_MAP, DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from migrate.sandbox.controllers.registry import cast
from migrate.sandbox.controllers.workloads import owner_reference
from tests.unit.sandbox.controllers.builders import NAMESPACE as WORK
from tests.unit.sandbox.controllers.builders import a_config_map, a_deployment, a_platform
from tests.unit.sandbox.controllers36.stage import Stage


def pods(stage: Stage) -> list[str]:
    return sorted(pod.name for pod in stage.all(POD))


def test_a_deployment_becomes_available_at_its_generation() -> None:
    stage = a_platform(a_deployment(replicas=2))

    assert stage.play(60)

    deployment = stage.must(DEPLOYMENT, WORK, "web")
    assert deployment.get("status", "availableReplicas") == 2
    assert deployment.get("status", "observedGeneration") == deployment.generation
    assert (deployment.condition("Available") or {})["status"] == "True"
    assert all(pod.get("status", "startTime") for pod in stage.all(POD))


def test_a_restart_replaces_every_pod_and_never_goes_below_what_is_wanted() -> None:
    stage = a_platform(a_deployment())
    stage.play(60)
    before = pods(stage)
    restart = {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "2026-12-01T00:00:00Z"}}}

    stage.patch(DEPLOYMENT, WORK, "web", {"spec": {"template": restart}})
    never_down = not stage.play(
        60, until=lambda: stage.must(DEPLOYMENT, WORK, "web").get("status", "availableReplicas") is None
    )
    stage.play(60)

    assert never_down
    assert len(pods(stage)) == 1
    assert pods(stage) != before


def test_scaling_down_deletes_pods() -> None:
    stage = a_platform(a_deployment(replicas=3))
    stage.play(60)

    stage.patch(DEPLOYMENT, WORK, "web", {"spec": {"replicas": 1}})
    stage.play(60)

    assert len(pods(stage)) == 1


def test_a_pod_waits_for_the_config_map_that_it_mounts() -> None:
    stage = a_platform(a_deployment(config_map="settings"))
    stage.play(60)
    before = stage.must(DEPLOYMENT, WORK, "web").get("status", "availableReplicas")

    stage.create(CONFIG_MAP, a_config_map("settings"))
    stage.play(60)

    assert before is None
    assert stage.must(DEPLOYMENT, WORK, "web").get("status", "availableReplicas") == 1


def test_a_deployment_out_of_a_dump_takes_over_its_pods_without_a_ripple() -> None:
    first = a_platform(a_deployment())
    first.play(60)
    deployment = dict(first.must(DEPLOYMENT, WORK, "web").raw)
    pod = dict(first.all(POD)[0].raw)
    pod["metadata"] = {**pod["metadata"], "ownerReferences": None}

    stage = a_platform(deployment, pod)
    told = stage.must(DEPLOYMENT, WORK, "web").get("status")
    stage.play(60)

    assert pods(stage) == [pod["metadata"]["name"]]
    assert stage.must(DEPLOYMENT, WORK, "web").get("status") == told


def test_a_deleted_deployment_takes_everything_along() -> None:
    stage = a_platform(a_deployment())
    stage.play(60)

    stage.delete(DEPLOYMENT, WORK, "web")
    stage.play(60)

    assert stage.all(REPLICA_SET) == []
    assert stage.all(POD) == []


def test_a_foreground_deletion_leaves_the_owner_until_the_last_dependent_is_gone() -> None:
    stage = a_platform(a_deployment())
    stage.play(60)
    live = stage.person.get(DEPLOYMENT, WORK, "web")

    stage.person.delete(DEPLOYMENT, live, propagation="Foreground")
    held = stage.must(DEPLOYMENT, WORK, "web").get("metadata", "finalizers")
    stage.play(60)

    assert held == ["foregroundDeletion"]
    assert stage.find(DEPLOYMENT, WORK, "web") is None
    assert stage.all(POD) == []


def test_an_object_with_another_owner_left_stays_and_loses_the_reference() -> None:
    stage = a_platform(a_config_map("one"), a_config_map("two"), a_config_map("child"))
    owners = [
        owner_reference(CONFIG_MAP, stage.person.get(CONFIG_MAP, WORK, name), controller=False)
        for name in ("one", "two")
    ]
    stage.patch(CONFIG_MAP, WORK, "child", {"metadata": {"ownerReferences": owners}})
    stage.play(60)

    stage.delete(CONFIG_MAP, WORK, "one")
    stage.play(60)
    left = [owner["name"] for owner in stage.must(CONFIG_MAP, WORK, "child").owners]
    stage.delete(CONFIG_MAP, WORK, "two")
    stage.play(60)

    assert left == ["two"]
    assert stage.find(CONFIG_MAP, WORK, "child") is None


def test_an_owner_that_was_created_again_is_another_owner() -> None:
    stage = a_platform(a_config_map("parent"), a_config_map("child"))
    owner = owner_reference(CONFIG_MAP, stage.person.get(CONFIG_MAP, WORK, "parent"))
    stage.patch(CONFIG_MAP, WORK, "child", {"metadata": {"ownerReferences": [owner]}})

    stage.delete(CONFIG_MAP, WORK, "parent")
    stage.create(CONFIG_MAP, a_config_map("parent"))
    stage.play(60)

    assert stage.find(CONFIG_MAP, WORK, "child") is None


def test_an_owner_of_a_kind_that_nobody_serves_says_nothing() -> None:
    owner = {"apiVersion": "example.com/v1", "kind": "Thing", "name": "x", "uid": "u"}
    stage = a_platform(a_config_map("child", ownerReferences=[owner]))

    stage.play(60)

    assert stage.find(CONFIG_MAP, WORK, "child") is not None


def test_a_deleted_namespace_is_emptied_and_goes() -> None:
    stage = a_platform(a_deployment(), a_config_map("settings"))
    stage.play(60)

    stage.delete(NAMESPACE, "", WORK)
    stage.play(60)

    assert stage.find(NAMESPACE, "", WORK) is None
    assert stage.all(POD) == []


def test_beside_a_real_controller_manager_only_the_kubelet_of_the_cluster_is_played() -> None:
    context = a_platform().context

    everybody = {player.name for player in cast("platform", context)}
    context.real_cluster = True
    beside = {player.name for player in cast("platform", context)}

    assert everybody - beside == {"deployments", "replicasets", "garbage-collector", "namespaces"}
    assert "kubelet" in beside
