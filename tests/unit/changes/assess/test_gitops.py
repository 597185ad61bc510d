"""GitOps owners of what a run writes: told by labels, annotations, field managers and owners."""

from typing import Any

import pytest

from migrate.changes.platform.gitops import gitops_owner
from migrate.records.objects import KubeObject
from tests.builders import a_cluster, a_tenant_config, changed, patched
from tests.unit.changes.assess.judging import judged, said, tenant, the

MARKS = [
    ("argo-tracking-id", {"annotations": {"argocd.argoproj.io/tracking-id": "maas:x"}}, "Argo CD"),
    ("argo-instance-label", {"labels": {"argocd.argoproj.io/instance": "maas"}}, "Argo CD"),
    ("argo-manager", {"managedFields": [{"manager": "argocd-controller"}]}, "Argo CD"),
    ("flux-kustomization", {"labels": {"kustomize.toolkit.fluxcd.io/name": "maas"}}, "Flux Kustomization"),
    ("flux-manager", {"managedFields": [{"manager": "kustomize-controller"}]}, "Flux Kustomization"),
    ("flux-helm", {"labels": {"helm.toolkit.fluxcd.io/name": "maas"}}, "Flux HelmRelease"),
    (
        "acm-subscription",
        {"annotations": {"apps.open-cluster-management.io/hosting-subscription": "a/b"}},
        "Advanced Cluster Management",
    ),
    (
        "acm-work",
        {"ownerReferences": [{"apiVersion": "work.open-cluster-management.io/v1", "kind": "AppliedManifestWork"}]},
        "Advanced Cluster Management",
    ),
]


@pytest.mark.parametrize(("marks", "tool"), [row[1:] for row in MARKS], ids=[row[0] for row in MARKS])
def test_each_mark_names_its_tool(marks: dict[str, Any], tool: str) -> None:
    assert gitops_owner(KubeObject(changed(a_tenant_config(), {"metadata": marks}))).startswith(tool)


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param({}, id="none"),
        pytest.param({"managedFields": [{"manager": "kubectl-client-side-apply"}]}, id="kubectl"),
        pytest.param({"labels": {"app.kubernetes.io/instance": "maas"}}, id="a-label-that-helm-sets-too"),
        pytest.param(
            {"ownerReferences": [{"apiVersion": "maas.opendatahub.io/v1alpha1", "kind": "Config"}]}, id="config"
        ),
    ],
)
def test_what_is_no_mark_names_nobody(marks: dict[str, Any]) -> None:
    assert gitops_owner(KubeObject(changed(a_tenant_config(), {"metadata": marks}))) == ""


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("MaasTenantConfig", "default-tenant"),
        ("ConfigMap", "payload-processing-plugins"),
        ("Deployment", "payload-processing"),
        ("Deployment", "payload-pre-processing"),
    ],
)
def test_every_object_that_is_written_is_looked_at(kind: str, name: str) -> None:
    mark = {"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "maas:x"}}}

    assessment = judged(patched(a_cluster(), kind, name, mark))

    assert [one.object.name for one in said(assessment, "GitOpsManaged") if one.object] == [name]
    assert tenant(assessment).decision == "needs-acceptance"


def test_ch_19_the_manager_of_the_field_is_named_with_it_and_the_change_is_asked_for_in_git() -> None:
    metadata = {
        "annotations": {"argocd.argoproj.io/tracking-id": "maas:maas.opendatahub.io/MaasTenantConfig:x"},
        "managedFields": [
            {"manager": "argocd-controller", "fieldsV1": {"f:spec": {"f:apiTranslation": {"f:enabled": {}}}}}
        ],
    }
    patch = {"metadata": metadata, "spec": {"apiTranslation": {"enabled": False}}}

    found = the(judged(patched(a_cluster("3.6"), "MaasTenantConfig", "default-tenant", patch)), "GitOpsManaged")

    assert "argocd-controller holds spec.apiTranslation" in found.message
    assert "in Git" in found.resolution


def test_an_object_that_is_not_written_may_belong_to_whom_it_will() -> None:
    mark = {"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "maas:x"}}}

    assert not said(judged(patched(a_cluster(), "Gateway", "maas-default-gateway", mark)), "GitOpsManaged")
