"""What has to go when a tenant leaves IPP, and may not: finalizers, and deletions that hang already."""

from typing import Any

import pytest

from migrate.maas import annotations, resources
from migrate.records.objects import KubeObject
from tests.builders import (
    a_cluster,
    a_pod,
    a_provider,
    an_external_model,
    an_object,
    changed,
    managed_by,
)
from tests.unit.changes.assess.judging import judged, said, tenant, the

GATEWAYS = "openshift-ingress"
OWNED = {"managedFields": managed_by(annotations.MAAS_CONTROLLER)}
HOLD = {"metadata": {"finalizers": ["foregroundDeletion", "example.com/hold"]}}
GOING = {"metadata": {"deletionTimestamp": "2026-11-30T10:00:00Z"}}
BY_NAME = (
    (resources.CONFIG_MAP, "payload-processing-plugins"),
    (resources.DEPLOYMENT, "payload-processing"),
    (resources.DEPLOYMENT, "payload-pre-processing"),
    (resources.SERVICE, "payload-pre-processing"),
    (resources.ENVOY_FILTER, "payload-processing"),
    (resources.NETWORK_POLICY, "payload-processing"),
    (resources.DESTINATION_RULE, "payload-processing"),
    (resources.SERVICE_ACCOUNT, "payload-processing"),
    (resources.HPA, "payload-processing"),
)


def things(patch: Any) -> list[Any]:
    """Return everything that the clean-up of IPP deletes, with *patch* in it."""
    known = {(thing["kind"], thing["metadata"]["name"]): thing for thing in a_cluster()}
    named = [known.get((kind.kind, name)) or an_object(kind, GATEWAYS, name, metadata=OWNED) for kind, name in BY_NAME]
    labels = {
        annotations.MANAGED_BY: annotations.IPP_EXTERNAL_MODEL_RECONCILER,
        annotations.INFERENCE_EXTERNAL_MODEL: "gpt-4o",
    }
    more = [
        an_object(resources.CLUSTER_ROLE_BINDING, "", "payload-processing-reader", metadata=OWNED),
        a_pod("payload-processing-5d9c7b6f4d-x2x2x", GATEWAYS, app="payload-processing"),
        an_object(resources.HTTP_ROUTE, "llm", "maas-gpt-4o", metadata={"labels": labels}),
    ]
    return [changed(thing, patch) for thing in (*named, *more)]


def a_cluster_with(thing: Any) -> list[Any]:
    return [*a_cluster(), a_provider("openai"), an_external_model("gpt-4o", "openai"), thing]


@pytest.mark.parametrize("thing", things(HOLD), ids=lambda thing: f"{thing['kind']}-{thing['metadata']['name']}")
def test_what_goes_with_ipp_and_is_held_is_told_before(thing: Any) -> None:
    assessment = judged(a_cluster_with(thing))

    told = the(assessment, "HeldByFinalizer")
    assert (told.object, told.impact) == (KubeObject(thing).ref, "advisory")
    assert "the finalizer example.com/hold:" in told.message
    assert tenant(assessment).decision == "proceed"


def test_what_the_garbage_collector_serves_itself_holds_nothing() -> None:
    patch = {"metadata": {"finalizers": ["foregroundDeletion", "orphan"]}}

    assert not said(judged([*a_cluster(), *things(patch)]), "HeldByFinalizer")


@pytest.mark.parametrize(("held", "how"), [(HOLD, "held by example.com/hold"), ({}, "on its way")])
def test_what_is_going_already_is_told(held: Any, how: str) -> None:
    (policy,) = (thing for thing in things(GOING) if thing["kind"] == "NetworkPolicy")

    told = the(judged(a_cluster_with(changed(policy, held))), "PayloadObjectTerminating")

    assert told.impact == "advisory"
    assert "since 2026-11-30T10:00:00Z" in told.message
    assert how in told.message


def test_a_plugins_config_map_that_is_going_is_no_advice() -> None:
    (texts,) = (thing for thing in things(GOING) if thing["kind"] == "ConfigMap")

    assessment = judged(a_cluster_with(changed(texts, HOLD)))

    assert the(assessment, "PluginsConfigMapTerminating").impact == "blocking"
    assert not said(assessment, "PayloadObjectTerminating")


def test_nothing_is_told_of_an_object_that_the_clean_up_leaves_alone() -> None:
    """It has a name of the tenant's and no mark: that is a finding of its own."""
    stranger = an_object(resources.NETWORK_POLICY, GATEWAYS, "payload-processing", metadata=HOLD["metadata"])

    assessment = judged(a_cluster_with(stranger))

    assert said(assessment, "ObjectWithoutOwnershipMark")
    assert not said(assessment, "HeldByFinalizer")
