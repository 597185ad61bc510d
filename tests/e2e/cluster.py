"""What the tests look at in a cluster, and what they compare of it."""

from typing import Any

from tests.e2e.api import Json
from tests.e2e.stage import Stage

TENANT_NAMESPACE = "models-as-a-service"
GATEWAY_NAMESPACE = "openshift-ingress"
TYPE = "maas.opendatahub.io/payload-processing-type"
STATUS = "maas.opendatahub.io/payload-processing-status"
MIGRATION = "maas.opendatahub.io/payload-processing-migration"
FORCE = "maas.opendatahub.io/force-payload-processing-migration"
MANAGED = "opendatahub.io/managed"
CONFIG = f"/apis/maas.opendatahub.io/v1alpha1/namespaces/{TENANT_NAMESPACE}/maastenantconfigs/default-tenant"
PLUGINS = f"/api/v1/namespaces/{GATEWAY_NAMESPACE}/configmaps/payload-processing-plugins"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{GATEWAY_NAMESPACE}/deployments"
IPP_KEYS = {"custom-pre-processing-ipp-config.yaml", "custom-ipp-config.yaml"}
PRAXIS_KEYS = {"pre-extproc.yaml", "extproc.yaml"}

COMPARED = (
    CONFIG.rpartition("/")[0],
    PLUGINS.rpartition("/")[0],
    DEPLOYMENTS,
    "/apis/maas.opendatahub.io/v1alpha1/maassubscriptions",
    "/apis/maas.opendatahub.io/v1alpha1/maasmodelrefs",
    "/apis/maas.opendatahub.io/v1alpha1/aitenants",
    "/apis/maas.opendatahub.io/v1alpha1/configs",
    "/apis/inference.opendatahub.io/v1alpha1/externalmodels",
    "/apis/kuadrant.io/v1alpha1/tokenratelimitpolicies",
    "/apis/kuadrant.io/v1/authpolicies",
    "/apis/gateway.networking.k8s.io/v1/httproutes",
    "/apis/networking.istio.io/v1alpha3/envoyfilters",
)
"""The lists whose content two runs must leave alike."""

_SERVERS = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "selfLink")
RESTARTED = "kubectl.kubernetes.io/restartedAt"


def annotations(stage: Stage) -> dict[str, str]:
    """Return the annotations of the default tenant's config."""
    found: dict[str, str] = stage.api.get(CONFIG)["metadata"].get("annotations", {})
    return found


def annotate(stage: Stage, *words: str) -> None:
    """Set (``key=value``) or remove (``key-``) annotations of the default tenant's config with kubectl."""
    stage.kubectl("annotate", "maastenantconfig", "default-tenant", "-n", TENANT_NAMESPACE, "--overwrite", *words)


def data_of(stage: Stage) -> dict[str, str]:
    """Return the data of the plugins ConfigMap, nothing while it is not there."""
    found: dict[str, str] = (stage.api.find(PLUGINS) or {}).get("data", {})
    return found


def ready(stage: Stage) -> Json:
    """Return the Ready condition of the default tenant's config."""
    conditions = stage.api.get(CONFIG).get("status", {}).get("conditions", [])
    found: Json = next((entry for entry in conditions if entry["type"] == "Ready"), {})
    return found


def on_praxis(stage: Stage) -> bool:
    """Whether Praxis has the default tenant, ready."""
    return (
        annotations(stage).get(STATUS) == "steady"
        and ready(stage).get("status") == "True"
        and set(data_of(stage)) == PRAXIS_KEYS
    )


def on_ipp(stage: Stage) -> bool:
    """Whether IPP has the default tenant, ready."""
    noted = annotations(stage)
    return (
        STATUS not in noted
        and noted.get(TYPE) != "praxis"
        and ready(stage).get("status") == "True"
        and set(data_of(stage)) >= IPP_KEYS
    )


def blocked(stage: Stage) -> bool:
    """Whether the controller has refused to move the default tenant."""
    noted = annotations(stage)
    condition = ready(stage)
    return (
        noted.get(MIGRATION) == "blocked"
        and STATUS not in noted
        and (condition.get("status"), condition.get("reason")) == ("False", "DeploymentsNotReady")
    )


def ipp_uids(stage: Stage) -> dict[str, str]:
    """Return the UIDs of what a clean-up would delete first."""
    found = {"plugins": stage.api.get(PLUGINS)["metadata"]["uid"]}
    for name in ("payload-processing", "payload-pre-processing"):
        found[name] = stage.api.get(f"{DEPLOYMENTS}/{name}")["metadata"]["uid"]
    return found


def content(stage: Stage) -> dict[str, Any]:
    """Return what the cluster holds, without what servers and clocks write."""
    found = {}
    for path in COMPARED:
        for item in stage.api.get(path)["items"]:
            metadata = item["metadata"]
            name = f"{path.rpartition('/')[2]} {metadata.get('namespace', '')}/{metadata['name']}"
            found[name] = _essence(item)
    return found


def _essence(item: Json) -> Json:
    metadata = {key: value for key, value in item["metadata"].items() if key not in _SERVERS}
    metadata["ownerReferences"] = [
        {key: value for key, value in owner.items() if key != "uid"} for owner in metadata.get("ownerReferences", [])
    ]
    kept = {key: value for key, value in item.items() if key not in {"metadata", "status"}}
    template = kept.get("spec", {}).get("template", {}).get("metadata", {}).get("annotations", {})
    template.pop(RESTARTED, None)
    identity = item.get("status", {}).get("rateLimitIdentity")
    return {**kept, "metadata": metadata, "identity": identity}
