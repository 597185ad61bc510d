"""
Kinds, their groups, versions and plurals; default names and namespaces.

Sources: contract §1.1 (kinds), §1.2 (namespaces). A live cluster's preferred
version goes first: ask the snapshot's ``kind_info`` where a version matters.
"""

from typing import Final

from migrate.records.objects import ObjectRef, Query, Record


class Kind(Record, kw_only=True):
    """
    One kind.

    Attributes:
        version: The version of a 3.5 install.

        plural: As in the REST path.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """``version`` or ``group/version``."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> tuple[str, str]:
        """Group and kind, the first two arguments of every question to a snapshot."""
        return self.group, self.kind

    @property
    def crd_name(self) -> str:
        """The name of its CustomResourceDefinition."""
        return f"{self.plural}.{self.group}"

    def ref(self, namespace: str, name: str) -> ObjectRef:
        """Return the reference of one object of this kind; *namespace* is ``""`` for a cluster-scoped one."""
        return ObjectRef(api_version=self.api_version, kind=self.kind, namespace=namespace, name=name)

    def query(
        self, namespace: str = "", name: str = "", *, label_selector: str = "", fields: tuple[tuple[str, ...], ...] = ()
    ) -> Query:
        """Return the question for one object, or for a list when *name* is empty."""
        return Query(
            group=self.group,
            kind=self.kind,
            namespace=namespace,
            name=name,
            label_selector=label_selector,
            fields=fields,
        )


MAAS_GROUP: Final = "maas.opendatahub.io"
"""Source: contract §1.1."""
INFERENCE_GROUP: Final = "inference.opendatahub.io"
"""Source: contract §1.1."""
KUADRANT_GROUP: Final = "kuadrant.io"
"""Source: contract §1.1."""
GATEWAY_GROUP: Final = "gateway.networking.k8s.io"
"""Source: contract §1.1."""


def _kind(group: str, version: str, kind: str, plural: str, *, namespaced: bool = True) -> Kind:
    return Kind(group=group, version=version, kind=kind, plural=plural, namespaced=namespaced)


# MaaS. Source of all rows below: contract §1.1.
MAAS_SUBSCRIPTION: Final = _kind(MAAS_GROUP, "v1alpha1", "MaaSSubscription", "maassubscriptions")
MAAS_AUTH_POLICY: Final = _kind(MAAS_GROUP, "v1alpha1", "MaaSAuthPolicy", "maasauthpolicies")
MAAS_MODEL_REF: Final = _kind(MAAS_GROUP, "v1alpha1", "MaaSModelRef", "maasmodelrefs")
MAAS_TENANT_CONFIG: Final = _kind(MAAS_GROUP, "v1alpha1", "MaasTenantConfig", "maastenantconfigs")
TENANT: Final = _kind(MAAS_GROUP, "v1alpha1", "Tenant", "tenants")
AI_TENANT: Final = _kind(MAAS_GROUP, "v1alpha1", "AITenant", "aitenants")
CONFIG: Final = _kind(MAAS_GROUP, "v1alpha1", "Config", "configs", namespaced=False)
MAAS_EXTERNAL_MODEL: Final = _kind(MAAS_GROUP, "v1alpha1", "ExternalModel", "externalmodels")

# Inference.
EXTERNAL_MODEL: Final = _kind(INFERENCE_GROUP, "v1alpha1", "ExternalModel", "externalmodels")
EXTERNAL_PROVIDER: Final = _kind(INFERENCE_GROUP, "v1alpha1", "ExternalProvider", "externalproviders")
LLM_INFERENCE_SERVICE: Final = _kind("serving.kserve.io", "v1alpha1", "LLMInferenceService", "llminferenceservices")

# The platform.
AI_GATEWAY: Final = _kind("components.platform.opendatahub.io", "v1alpha1", "AIGateway", "aigateways", namespaced=False)
DATA_SCIENCE_CLUSTER: Final = _kind(
    "datasciencecluster.opendatahub.io", "v2", "DataScienceCluster", "datascienceclusters", namespaced=False
)
DSC_INITIALIZATION: Final = _kind(
    "dscinitialization.opendatahub.io", "v1", "DSCInitialization", "dscinitializations", namespaced=False
)
INSTALL_PLAN: Final = _kind("operators.coreos.com", "v1alpha1", "InstallPlan", "installplans")
CLUSTER_SERVICE_VERSION: Final = _kind(
    "operators.coreos.com", "v1alpha1", "ClusterServiceVersion", "clusterserviceversions"
)
OLM_SUBSCRIPTION: Final = _kind("operators.coreos.com", "v1alpha1", "Subscription", "subscriptions")
CLUSTER_VERSION: Final = _kind("config.openshift.io", "v1", "ClusterVersion", "clusterversions", namespaced=False)

# Kuadrant.
AUTH_POLICY: Final = _kind(KUADRANT_GROUP, "v1", "AuthPolicy", "authpolicies")
TOKEN_RATE_LIMIT_POLICY: Final = _kind(KUADRANT_GROUP, "v1alpha1", "TokenRateLimitPolicy", "tokenratelimitpolicies")
RATE_LIMIT_POLICY: Final = _kind(KUADRANT_GROUP, "v1", "RateLimitPolicy", "ratelimitpolicies")
KUADRANT: Final = _kind(KUADRANT_GROUP, "v1beta1", "Kuadrant", "kuadrants")
TELEMETRY_POLICY: Final = _kind("extensions.kuadrant.io", "v1alpha1", "TelemetryPolicy", "telemetrypolicies")
LIMITADOR: Final = _kind("limitador.kuadrant.io", "v1alpha1", "Limitador", "limitadors")
AUTHORINO: Final = _kind("operator.authorino.kuadrant.io", "v1beta1", "Authorino", "authorinos")
AUTH_CONFIG: Final = _kind("authorino.kuadrant.io", "v1beta3", "AuthConfig", "authconfigs")

# Gateway API and Istio.
GATEWAY: Final = _kind(GATEWAY_GROUP, "v1", "Gateway", "gateways")
HTTP_ROUTE: Final = _kind(GATEWAY_GROUP, "v1", "HTTPRoute", "httproutes")
ENVOY_FILTER: Final = _kind("networking.istio.io", "v1alpha3", "EnvoyFilter", "envoyfilters")
DESTINATION_RULE: Final = _kind("networking.istio.io", "v1", "DestinationRule", "destinationrules")
SERVICE_ENTRY: Final = _kind("networking.istio.io", "v1", "ServiceEntry", "serviceentries")
WASM_PLUGIN: Final = _kind("extensions.istio.io", "v1alpha1", "WasmPlugin", "wasmplugins")
TELEMETRY: Final = _kind("telemetry.istio.io", "v1", "Telemetry", "telemetries")

# Dashboards.
PERSES_DASHBOARD: Final = _kind("perses.dev", "v1alpha1", "PersesDashboard", "persesdashboards")
PERSES_DATASOURCE: Final = _kind("perses.dev", "v1alpha1", "PersesDatasource", "persesdatasources")

# Kubernetes.
DEPLOYMENT: Final = _kind("apps", "v1", "Deployment", "deployments")
REPLICA_SET: Final = _kind("apps", "v1", "ReplicaSet", "replicasets")
HPA: Final = _kind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
NETWORK_POLICY: Final = _kind("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies")
CLUSTER_ROLE_BINDING: Final = _kind(
    "rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False
)
CLUSTER_ROLE: Final = _kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", namespaced=False)
CRON_JOB: Final = _kind("batch", "v1", "CronJob", "cronjobs")
LEASE: Final = _kind("coordination.k8s.io", "v1", "Lease", "leases")
CRD: Final = _kind(
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
)
NAMESPACE: Final = _kind("", "v1", "Namespace", "namespaces", namespaced=False)
POD: Final = _kind("", "v1", "Pod", "pods")
SERVICE: Final = _kind("", "v1", "Service", "services")
SERVICE_ACCOUNT: Final = _kind("", "v1", "ServiceAccount", "serviceaccounts")
CONFIG_MAP: Final = _kind("", "v1", "ConfigMap", "configmaps")

_BY_KEY: Final[dict[tuple[str, str], Kind]] = {
    value.key: value for value in tuple(globals().values()) if isinstance(value, Kind)
}


def kind_of(group: str, kind: str) -> Kind | None:
    """Return the row of the table above, None for a kind that is not in it."""
    return _BY_KEY.get((group, kind))


REQUIRED: Final = (
    MAAS_SUBSCRIPTION,
    MAAS_AUTH_POLICY,
    MAAS_MODEL_REF,
    MAAS_TENANT_CONFIG,
    AI_TENANT,
    CONFIG,
    AUTH_POLICY,
    TOKEN_RATE_LIMIT_POLICY,
    GATEWAY,
    HTTP_ROUTE,
    ENVOY_FILTER,
    DESTINATION_RULE,
    AUTH_CONFIG,
)
"""Kinds without which there is nothing to migrate. Source: contract §7.2, point 1."""

OPERATOR_NAMESPACE: Final = "redhat-ods-operator"
"""Source: contract §1.2."""
OPERATOR_NAMESPACES: Final = ("redhat-ods-operator", "openshift-operators", "opendatahub-operator-system")
"""OpenShift AI's, then those of Open Data Hub. Source: contract §1.2."""

APPLICATIONS_NAMESPACE: Final = "redhat-ods-applications"
"""Where maas-controller and ai-gateway-controller run. Source: contract §1.2."""
APPLICATIONS_NAMESPACES: Final = ("redhat-ods-applications", "opendatahub")
"""OpenShift AI's, then Open Data Hub's. Source: contract §1.2."""

INFRA_NAMESPACE: Final = "redhat-ai-gateway-infra"
"""Where maas-api runs; the live value is ``status.infraNamespace`` of MaasTenantConfig. Source: contract §1.2."""
INFRA_NAMESPACES: Final = {"redhat-ods-applications": "redhat-ai-gateway-infra", "opendatahub": "odh-ai-gateway-infra"}
"""By the namespace of the controller; an unknown one is its own infra namespace. Source: contract §1.2."""

DEFAULT_TENANT_NAMESPACE: Final = "models-as-a-service"
"""Source: contract §1.2."""
DEFAULT_TENANT_NAME: Final = "models-as-a-service"
"""The AITenant behind the default tenant; its tenant id is empty. Source: contract §1.1, §2.4."""
TENANT_NAMESPACE_PREFIX: Final = "ai-tenant-"
"""Namespaces of other tenants; the live value is ``AITenant.status.tenantNamespace``. Source: contract §1.2."""
AITENANT_NAMESPACE: Final = "ai-tenants"
"""Source: contract §1.2."""
TENANT_CONFIG_NAME: Final = "default-tenant"
"""The name that every MaasTenantConfig and legacy Tenant must have. Source: contract §1.6."""
CONFIG_NAME: Final = "default"
"""The name of the one Config. Source: contract §1.8."""

GATEWAY_NAMESPACE: Final = "openshift-ingress"
"""Source: contract §1.2, §2.5."""
DEFAULT_GATEWAY: Final = "maas-default-gateway"
"""Source: contract §1.1, §2.5."""
GATEWAY_CLASS: Final = "openshift-default"
"""Source: contract §1.1."""

MONITORING_NAMESPACE: Final = "redhat-ods-monitoring"
"""Source: contract §1.2."""
MONITORING_NAMESPACES: Final = {"redhat-ods-applications": "redhat-ods-monitoring", "opendatahub": "opendatahub"}
"""By the namespace of the controller. Source: contract §1.2."""

KUADRANT_NAMESPACES: Final = ("kuadrant-system", "rh-connectivity-link")
"""Community, and Red Hat Connectivity Link. Source: contract §1.1."""

MAAS_CONTROLLER_DEPLOYMENT: Final = "maas-controller"
"""In the applications namespace. Source: contract §2.3."""
AI_GATEWAY_CONTROLLER_DEPLOYMENT: Final = "ai-gateway-controller"
"""In the applications namespace, 3.6 only. Source: contract §7.4, signal 4."""
AUTHORINO_DEPLOYMENT: Final = "authorino"
"""In the Kuadrant namespace. Source: contract §7.2, point 5."""
LIMITADOR_DEPLOYMENTS: Final = ("limitador-limitador", "limitador")
"""In the Kuadrant namespace; either name. Source: contract §7.2, point 5."""
KUADRANT_OPERATOR_DEPLOYMENTS: Final = ("kuadrant-operator-controller-manager", "kuadrant-operator")
"""In the Kuadrant namespace; either name [inferred]. Source: contract §7.2, point 5."""
AI_GATEWAY_NAME: Final = "default-aigateway"
"""Source: contract §1.1."""

USAGE_DASHBOARD: Final = "dashboard-3-maas-usage-admin"
"""The Prometheus usage dashboard, opt-in from 3.6 on. Source: Upgrade to 3.6; contract §7.6."""
USAGE_LOG_DASHBOARDS: Final = ("dashboard-4-maas-usage-logs-admin", "dashboard-5-maas-usage-logs")
"""The logs-based ones, preferred. Source: contract §7.6."""
KUBE_SYSTEM: Final = "kube-system"
"""Its Namespace UID is the cluster's identity. Source: issue of the migration, point 5."""
LOCK_NAME: Final = "maas-migrate"
"""Name of our Lease. Source: contract §4.7."""
