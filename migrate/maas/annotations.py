"""
Annotation keys, labels, finalizers and field managers, with their legal values.

Sources: the product page "Upgrade to 3.6"; contract §2.1 (migration), §2.2
(management), §2.3 (labels, finalizers, managers), §0.2 (older builds).
"""

from collections.abc import Mapping
from typing import Final

PAYLOAD_PROCESSING_TYPE: Final = "maas.opendatahub.io/payload-processing-type"
"""
Which engine a tenant asks for, on MaasTenantConfig: ``ipp``, ``praxis`` or absent. Written by the administrator.

Absent means IPP in handshake generation C and Praxis in generation D. Source: Upgrade to 3.6; contract §2.1, §0.2.
"""

TYPE_IPP: Final = "ipp"
"""Keeps, or goes back to, IPP. Inert on 3.5. Source: contract §0.2."""

TYPE_PRAXIS: Final = "praxis"
"""Flips the tenant to Praxis. Source: Upgrade to 3.6."""

PAYLOAD_PROCESSING_STATUS: Final = "maas.opendatahub.io/payload-processing-status"
"""
Who owns the shared names: absent (IPP), ``cleanup-complete`` (nobody), ``steady`` (Praxis); on MaasTenantConfig.

Written by both controllers by compare-and-swap, never by us. Any other value is a claim by the peer: leave it alone.
Source: contract §2.1.
"""

STATUS_CLEANUP_COMPLETE: Final = "cleanup-complete"
"""The names are free to claim. Source: contract §2.1."""

STATUS_STEADY: Final = "steady"
"""ai-gateway-controller holds the names: Praxis runs, or is about to. Source: contract §2.1."""

PAYLOAD_PROCESSING_MIGRATION: Final = "maas.opendatahub.io/payload-processing-migration"
"""
``blocked`` while the controller refuses to migrate; on MaasTenantConfig, written by maas-controller.

Source: Upgrade to 3.6, "While blocked"; contract §2.1.
"""

MIGRATION_BLOCKED: Final = "blocked"
"""The only value of the migration annotation. Source: Upgrade to 3.6."""

FORCE_PAYLOAD_PROCESSING_MIGRATION: Final = "maas.opendatahub.io/force-payload-processing-migration"
"""
Exactly ``true`` lets the gate pass without reading the ConfigMap; anything else counts as absent.

Written by the administrator; no controller removes it. Source: Upgrade to 3.6; contract §2.1.
"""

FORCE_TRUE: Final = "true"
"""The only value of the force annotation that counts. Source: contract §2.1."""

GENERATION_B_MARKER_SUFFIX: Final = "ipp-migration-cleanup-complete"
"""Handshake generation B marks the end of the cleanup by an annotation whose key ends so. Source: contract §2.1."""

GENERATION_B_MARKER: Final = f"maas.opendatahub.io/{GENERATION_B_MARKER_SUFFIX}"
"""A key that ends so; what stands before the suffix is in no source."""

RATE_LIMIT_IDENTITY: Final = "maas.opendatahub.io/rate-limit-identity"
"""``short`` or ``legacy`` on a MaaSSubscription; identity generation V4 only. Source: contract §2.1, §0.2."""

MANAGED: Final = "opendatahub.io/managed"
"""
``false``: the controller leaves the object alone (the cleanup does not). Absent or other: managed.

On the plugins ConfigMap absent means one reset of the two known keys, ``true`` continuous resets.
Source: contract §2.2.
"""

MANAGED_FALSE: Final = "false"
"""The value that opts out. Source: contract §2.2."""

MANAGEMENT_STATE: Final = "component.opendatahub.io/management-state"
"""``Managed``, ``Unmanaged`` or ``Removed`` on MaasTenantConfig, from the operator. Source: contract §2.2."""

AITENANT_NAME: Final = "maas.opendatahub.io/aitenant-name"
"""Name of the AITenant behind a MaasTenantConfig. Source: contract §2.2."""

AITENANT_NAMESPACE: Final = "maas.opendatahub.io/aitenant-namespace"
"""Namespace of the AITenant behind a MaasTenantConfig. Source: contract §2.2."""

SUBSCRIPTIONS: Final = "maas.opendatahub.io/subscriptions"
"""On a TRLP: sorted, comma separated ``namespace/name`` of the subscriptions in it. Source: contract §2.2, §1.3."""

EXTPROC_CONFIG_SHA256: Final = "ai-gateway-controller.opendatahub.io/extproc-config-sha256"
"""On Praxis Pods: hash of the configuration they run. Source: contract §2.2."""

RESTARTED_AT: Final = "kubectl.kubernetes.io/restartedAt"
"""On a Pod template: a new value restarts the Deployment, as ``kubectl rollout restart``. Source: contract §4.6."""

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""The copy that client-side apply keeps in the object. Source: Kubernetes."""

MAAS_TLS: Final = "maas.opendatahub.io/tls"
"""On an old ExternalModel: whether the endpoint speaks TLS, default ``true``. Source: contract §1.9."""

MAAS_PORT: Final = "maas.opendatahub.io/port"
"""On an old ExternalModel: the endpoint's port, default ``443``. Source: contract §1.9."""

MIGRATION_ANNOTATIONS: Final = (
    PAYLOAD_PROCESSING_TYPE,
    PAYLOAD_PROCESSING_STATUS,
    PAYLOAD_PROCESSING_MIGRATION,
    FORCE_PAYLOAD_PROCESSING_MIGRATION,
)
"""The four of contract §2.1 on MaasTenantConfig."""

MANAGED_BY_AITENANT: Final = "maas.opendatahub.io/managed-by-aitenant"
"""Label ``true`` on a tenant namespace and MaasTenantConfig made or adopted by an AITenant. Source: contract §2.3."""

TENANT_NAME: Final = "maas.opendatahub.io/tenant-name"
"""Label: the AITenant's name. Source: contract §2.3."""

TENANT_NAMESPACE: Final = "maas.opendatahub.io/tenant-namespace"
"""Label: the tenant's namespace. Source: contract §2.3."""

TENANT_INSTANCE: Final = "maas.opendatahub.io/tenant-instance"
"""Label on Pods and in selectors of Services: the Deployment's name. Source: contract §2.3."""

GATEWAY_ACCESS: Final = "maas.opendatahub.io/gateway-access"
"""Label ``true`` on tenant namespaces: the listeners' selector. Source: contract §2.3."""

GATEWAY_TENANT: Final = "ai-gateway.opendatahub.io/tenant"
"""Label on tenant resources. Source: contract §2.3."""

IPP_PROFILE: Final = "maas.opendatahub.io/ipp-profile"
"""Label ``praxis`` on the plugins ConfigMap of Praxis. Source: contract §2.3."""

IPP_PROFILE_PRAXIS: Final = "praxis"
"""Source: contract §2.3."""

MANAGED_BY: Final = "app.kubernetes.io/managed-by"
"""Label: ``ai-gateway-controller`` on Praxis objects, absent on every IPP object of 3.5. Source: contract §2.3."""

PART_OF: Final = "app.kubernetes.io/part-of"
"""Label: ``maas-subscription`` on a TRLP. Source: contract §2.3."""

COMPONENT: Final = "app.kubernetes.io/component"
"""Label: ``token-rate-limit-policy`` on a TRLP. Source: contract §2.3."""

APP_NAME: Final = "app.kubernetes.io/name"
"""Label: ``maas-api`` on what is rendered from manifests; the model on its HTTPRoute. Source: contract §1.5, §2.3."""

PART_OF_SUBSCRIPTION: Final = "maas-subscription"
"""Source: contract §2.3."""

COMPONENT_TRLP: Final = "token-rate-limit-policy"
"""Source: contract §2.3."""

MODEL: Final = "maas.opendatahub.io/model"
"""Label on a TRLP: the model's name. Source: contract §2.3."""

MODEL_NAMESPACE: Final = "maas.opendatahub.io/model-namespace"
"""Label on a TRLP: the model's namespace. Source: contract §2.3."""

INFERENCE_EXTERNAL_MODEL: Final = "inference.opendatahub.io/external-model"
"""Label on HTTPRoutes that IPP made for an ExternalModel; they go in the cleanup. Source: contract §2.3, §4.3."""

MAAS_EXTERNAL_MODEL_LABEL: Final = "maas.opendatahub.io/external-model"
"""Label on the ``maas-<name>`` objects of an old ExternalModel. Source: contract §1.9."""

APP: Final = "app"
"""Label of Pods (``payload-processing``) and of the Deployment ``maas-controller``. Source: contract §2.3."""

CONTROL_PLANE: Final = "control-plane"
"""Label of the Deployment ``maas-controller``. Source: contract §2.3."""

CSV_LABEL: Final = "operators.coreos.com/rhods-operator.redhat-ods-operator"
"""Label that OLM sets on the operator's ClusterServiceVersion. Source: contract §2.3, §7.4."""

MAAS_CONTROLLER: Final = "maas-controller"
"""Field manager of what 3.5 renders from manifests, by Apply. Source: contract §2.3."""

MAAS_MANAGER: Final = "manager"
"""Field manager of the policies, MaasTenantConfig, AITenant, Config and statuses, by Update. Source: contract §2.3."""

AI_GATEWAY_CONTROLLER: Final = "ai-gateway-controller"
"""Label value and field manager of everything that Praxis owns. Source: contract §2.3."""

IPP_EXTERNAL_MODEL_RECONCILER: Final = "ipp-external-model-reconciler"
"""``managed-by`` of the HTTPRoutes that IPP makes for external models. Source: contract §2.3."""

MAAS_EXTERNAL_MODEL_RECONCILER: Final = "maas-external-model-reconciler"
"""``managed-by`` of the objects made for an old ExternalModel. Source: contract §1.9."""

PRAXIS_CLEANUP_FINALIZER: Final = "ai-gateway-controller.opendatahub.io/praxis-cleanup"
"""On MaasTenantConfig while Praxis holds it. Source: contract §2.3."""

TENANT_CLEANUP_FINALIZER: Final = "maas.opendatahub.io/tenant-cleanup"
"""On MaasTenantConfig. Source: contract §2.3."""

SUBSCRIPTION_CLEANUP_FINALIZER: Final = "maas.opendatahub.io/subscription-cleanup"
"""On MaaSSubscription. Source: contract §2.3."""

AUTHPOLICY_CLEANUP_FINALIZER: Final = "maas.opendatahub.io/authpolicy-cleanup"
"""On MaaSAuthPolicy. Source: contract §2.3."""

MODEL_CLEANUP_FINALIZER: Final = "maas.opendatahub.io/model-cleanup"
"""On MaaSModelRef. Source: contract §2.3."""

AITENANT_CLEANUP_FINALIZER: Final = "maas.opendatahub.io/aitenant-cleanup"
"""On AITenant. Source: contract §2.3."""

GITOPS: Final[tuple[tuple[str, str], ...]] = (
    ("argocd.argoproj.io/", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/", "Flux Kustomization"),
    ("helm.toolkit.fluxcd.io/", "Flux HelmRelease"),
    ("apps.open-cluster-management.io/", "Advanced Cluster Management"),
    ("policy.open-cluster-management.io/", "Advanced Cluster Management policy"),
)
"""Prefixes of labels and annotations that a GitOps tool leaves on what it owns, and its name. Source: those tools."""

GITOPS_MANAGERS: Final[tuple[tuple[str, str], ...]] = (
    ("argocd", "Argo CD"),
    ("kustomize-controller", "Flux Kustomization"),
    ("helm-controller", "Flux HelmRelease"),
    ("flux", "Flux"),
    ("config-policy-controller", "Advanced Cluster Management policy"),
    ("application-manager", "Advanced Cluster Management"),
    ("open-cluster-management", "Advanced Cluster Management"),
)
"""Prefixes of field managers of the same tools, and their name. Source: those tools."""

GITOPS_OWNER_GROUPS: Final[tuple[tuple[str, str], ...]] = (
    ("argoproj.io", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io", "Flux Kustomization"),
    ("helm.toolkit.fluxcd.io", "Flux HelmRelease"),
    ("work.open-cluster-management.io", "Advanced Cluster Management"),
    ("policy.open-cluster-management.io", "Advanced Cluster Management policy"),
    ("apps.open-cluster-management.io", "Advanced Cluster Management"),
)
"""API groups of owners that mean the same. Source: those tools."""

ARGO_INSTANCE: Final = "app.kubernetes.io/instance"
"""Argo CD's default tracking label; it means Argo CD only beside another of its marks, since Helm sets it too."""


def is_forced(annotations: Mapping[str, str]) -> bool:
    """Return whether the force annotation counts. Source: contract §2.1."""
    return annotations.get(FORCE_PAYLOAD_PROCESSING_MIGRATION) == FORCE_TRUE


def is_opted_out(annotations: Mapping[str, str]) -> bool:
    """Return whether ``opendatahub.io/managed`` says that the controller leaves the object alone. Contract §2.2."""
    return annotations.get(MANAGED) == MANAGED_FALSE
