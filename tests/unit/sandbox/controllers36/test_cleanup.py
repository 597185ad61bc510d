"""Contract 4.3: what is deleted, in which order, and what is left alone."""

from typing import Any

import pytest

from migrate.records.objects import KubeObject
from migrate.sandbox.controllers.cleanup import ipp_resources, is_ipp_route, is_maas_owned, is_payload_pod


def an_object(*managers: str, **metadata: Any) -> KubeObject:
    return KubeObject({"metadata": {"managedFields": [{"manager": manager} for manager in managers], **metadata}})


CONFIG_OWNER = {"kind": "Config", "name": "default", "controller": True}


@pytest.mark.parametrize(
    ("thing", "owned"),
    [
        pytest.param(an_object("maas-controller"), True, id="field manager"),
        pytest.param(an_object("kubectl", annotations={"opendatahub.io/managed": "false"}), True, id="opted out"),
        pytest.param(an_object("kubectl", ownerReferences=[CONFIG_OWNER]), True, id="owner"),
        pytest.param(an_object("kubectl", labels={"maas.opendatahub.io/tenant-name": "a"}), True, id="label"),
        pytest.param(an_object("kubectl", "ai-gateway-controller", "maas-controller"), False, id="Praxis holds it"),
        pytest.param(an_object("kubectl", annotations={"opendatahub.io/managed": "true"}), False, id="hand-made"),
        pytest.param(an_object("kubectl", ownerReferences=[CONFIG_OWNER | {"controller": False}]), False, id="no head"),
    ],
)
def test_one_mark_of_ownership_is_needed_and_praxis_must_not_hold_it(thing: KubeObject, owned: bool) -> None:
    assert is_maas_owned(thing) is owned


def test_the_clean_up_goes_in_the_listed_order() -> None:
    listed = [(kind.kind, ref.namespace, ref.name) for kind, ref in ipp_resources("redteam", "openshift-ingress")]

    assert [kind for kind, _, _ in listed] == [
        "HorizontalPodAutoscaler",
        "HorizontalPodAutoscaler",
        "Deployment",
        "Deployment",
        "Service",
        "Service",
        "EnvoyFilter",
        "NetworkPolicy",
        "DestinationRule",
        "DestinationRule",
        "ServiceAccount",
        "ConfigMap",
        "ClusterRoleBinding",
    ]
    assert listed[-2:] == [
        ("ConfigMap", "openshift-ingress", "payload-processing-plugins-redteam"),
        ("ClusterRoleBinding", "", "payload-processing-reader-redteam"),
    ]


def test_pods_are_told_apart_by_tenant() -> None:
    pods = {
        instance: KubeObject(
            {"metadata": {"labels": {"app": "payload-processing", "maas.opendatahub.io/tenant-instance": instance}}}
        )
        for instance in ("payload-processing", "payload-processing-redteam")
    }

    assert is_payload_pod(pods["payload-processing"], "")
    assert not is_payload_pod(pods["payload-processing-redteam"], "")
    assert is_payload_pod(pods["payload-processing-redteam"], "redteam")


def a_route(uid: str = "u1", *managers: str, **labels: str) -> KubeObject:
    marks = {
        "app.kubernetes.io/managed-by": "ipp-external-model-reconciler",
        "inference.opendatahub.io/external-model": "gpt-4o",
    }
    owner = {
        "apiVersion": "inference.opendatahub.io/v1alpha1",
        "kind": "ExternalModel",
        "name": "gpt-4o",
        "uid": uid,
        "controller": True,
    }
    return an_object(*managers, namespace="llm", labels=marks | labels, ownerReferences=[owner])


def test_a_route_goes_only_with_both_labels_the_living_owner_and_no_field_of_praxis() -> None:
    models = {("llm", "gpt-4o"): KubeObject({"metadata": {"namespace": "llm", "name": "gpt-4o", "uid": "u1"}})}

    assert is_ipp_route(a_route(), models)
    assert not is_ipp_route(a_route("another"), models)
    assert not is_ipp_route(a_route("u1", "ai-gateway-controller"), models)
    assert not is_ipp_route(a_route("u1", **{"app.kubernetes.io/managed-by": "maas-external-model-reconciler"}), models)
    assert not is_ipp_route(a_route(), {})
