"""Rules of namespaces, services, policies, autoscalers and role bindings."""

from migrate.sandbox.apiserver.protocol.statuses import Cause
from migrate.sandbox.apiserver.protocol.values import Document, metadata_of, name_of


def fill_namespace(document: Document) -> None:
    """Label a namespace with its own name."""
    if name_of(document):
        labels = metadata_of(document).get("labels") or {}
        metadata_of(document)["labels"] = {**labels, "kubernetes.io/metadata.name": name_of(document)}


def begin_namespace(document: Document) -> None:
    """Make a namespace active, with the finalizer that its content will be removed under."""
    document["spec"] = {"finalizers": ["kubernetes"]}
    document["status"] = {"phase": "Active"}


def fill_service(document: Document) -> None:
    """Fill the defaults of a Service."""
    spec = document.setdefault("spec", {})
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    if spec["type"] != "ExternalName":
        spec.setdefault("ipFamilies", ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "SingleStack")
        spec.setdefault("internalTrafficPolicy", "Cluster")
    for port in spec.get("ports") or ():
        port.setdefault("protocol", "TCP")
        port.setdefault("targetPort", port.get("port"))


def begin_service(document: Document) -> None:
    """Give a new Service an empty load balancer and an address that follows from its name."""
    document["status"] = {"loadBalancer": {}}
    spec = document["spec"]
    if spec["type"] != "ExternalName" and "clusterIP" not in spec:
        spec["clusterIP"] = f"10.0.0.{sum(name_of(document).encode()) % 250 + 2}"
    if "clusterIP" in spec:
        spec.setdefault("clusterIPs", [spec["clusterIP"]])


def fill_binding(document: Document) -> None:
    """Fill the groups that a binding leaves out."""
    role = document.get("roleRef")
    if role and not role.get("apiGroup"):
        role["apiGroup"] = "rbac.authorization.k8s.io"
    for subject in document.get("subjects") or ():
        if subject.get("kind") in {"User", "Group"} and not subject.get("apiGroup"):
            subject["apiGroup"] = "rbac.authorization.k8s.io"


def check_binding(document: Document, old: Document | None) -> list[Cause]:
    """Return what is wrong with a binding; its role may never change."""
    role = document.get("roleRef") or {}
    if not role.get("name"):
        return [Cause.required("roleRef.name")]
    if old is not None and role != old.get("roleRef"):
        return [Cause.invalid("roleRef", role, "cannot change roleRef")]
    return []


def fill_network_policy(document: Document) -> None:
    """Fill the directions that a NetworkPolicy speaks of."""
    spec = document.setdefault("spec", {})
    spec.setdefault("podSelector", {})
    spec.setdefault("policyTypes", ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"])
    for rule in [*(spec.get("ingress") or ()), *(spec.get("egress") or ())]:
        for port in rule.get("ports") or ():
            port.setdefault("protocol", "TCP")


def fill_autoscaler(document: Document) -> None:
    """Fill the least number of replicas."""
    document.setdefault("spec", {}).setdefault("minReplicas", 1)
