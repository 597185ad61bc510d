"""The table of built-in resources."""

from collections.abc import Mapping
from typing import Final, Literal

from migrate.sandbox.apiserver.resources.columns import COLUMNS
from migrate.sandbox.apiserver.resources.definitions import schema_of
from migrate.sandbox.apiserver.resources.resource import ALL_VERBS, COMMON_FIELDS, Resource

_NOTHING: Final[tuple[str, ...]] = ()
_STATUS: Final = ("status",)
_SCALED: Final = ("scale", "status")
_WORKLOAD: Final = ("all",)
_RBAC: Final = "rbac.authorization.k8s.io"
_ADMISSION: Final = "admissionregistration.k8s.io"
_API_EXTENSIONS: Final = "apiextensions.k8s.io"

_Generation = Literal["spec", "all", "none"]
_Row = tuple[str, str, str, str, bool, tuple[str, ...], tuple[str, ...], tuple[str, ...], _Generation]

# group, version, plural, kind, namespaced, short names, categories, subresources, generation
_TABLE: Final[tuple[_Row, ...]] = (
    ("", "v1", "namespaces", "Namespace", False, ("ns",), _NOTHING, ("finalize", "status"), "none"),
    ("", "v1", "configmaps", "ConfigMap", True, ("cm",), _NOTHING, _NOTHING, "none"),
    ("", "v1", "secrets", "Secret", True, _NOTHING, _NOTHING, _NOTHING, "none"),
    ("", "v1", "pods", "Pod", True, ("po",), _WORKLOAD, _STATUS, "spec"),
    ("", "v1", "services", "Service", True, ("svc",), _WORKLOAD, _STATUS, "none"),
    ("", "v1", "serviceaccounts", "ServiceAccount", True, ("sa",), _NOTHING, _NOTHING, "none"),
    ("", "v1", "events", "Event", True, ("ev",), _NOTHING, _NOTHING, "none"),
    ("", "v1", "endpoints", "Endpoints", True, ("ep",), _NOTHING, _NOTHING, "none"),
    ("", "v1", "nodes", "Node", False, ("no",), _NOTHING, _STATUS, "none"),
    ("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", True, ("pvc",), _NOTHING, _STATUS, "none"),
    ("", "v1", "persistentvolumes", "PersistentVolume", False, ("pv",), _NOTHING, _STATUS, "none"),
    ("", "v1", "resourcequotas", "ResourceQuota", True, ("quota",), _NOTHING, _STATUS, "none"),
    ("", "v1", "limitranges", "LimitRange", True, ("limits",), _NOTHING, _NOTHING, "none"),
    ("apps", "v1", "deployments", "Deployment", True, ("deploy",), _WORKLOAD, _SCALED, "spec"),
    ("apps", "v1", "replicasets", "ReplicaSet", True, ("rs",), _WORKLOAD, _SCALED, "spec"),
    ("apps", "v1", "statefulsets", "StatefulSet", True, ("sts",), _WORKLOAD, _SCALED, "spec"),
    ("apps", "v1", "daemonsets", "DaemonSet", True, ("ds",), _WORKLOAD, _STATUS, "spec"),
    ("apps", "v1", "controllerrevisions", "ControllerRevision", True, _NOTHING, _NOTHING, _NOTHING, "none"),
    ("batch", "v1", "jobs", "Job", True, _NOTHING, _WORKLOAD, _STATUS, "spec"),
    ("batch", "v1", "cronjobs", "CronJob", True, ("cj",), _WORKLOAD, _STATUS, "spec"),
    (
        "autoscaling",
        "v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        True,
        ("hpa",),
        _WORKLOAD,
        _STATUS,
        "none",
    ),
    ("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", True, ("netpol",), _NOTHING, _NOTHING, "spec"),
    ("networking.k8s.io", "v1", "ingresses", "Ingress", True, ("ing",), _NOTHING, _STATUS, "spec"),
    ("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", True, ("pdb",), _NOTHING, _STATUS, "spec"),
    (_RBAC, "v1", "roles", "Role", True, _NOTHING, _NOTHING, _NOTHING, "none"),
    (_RBAC, "v1", "rolebindings", "RoleBinding", True, _NOTHING, _NOTHING, _NOTHING, "none"),
    (_RBAC, "v1", "clusterroles", "ClusterRole", False, _NOTHING, _NOTHING, _NOTHING, "none"),
    (_RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding", False, _NOTHING, _NOTHING, _NOTHING, "none"),
    ("coordination.k8s.io", "v1", "leases", "Lease", True, _NOTHING, _NOTHING, _NOTHING, "none"),
    ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", True, _NOTHING, _NOTHING, _NOTHING, "spec"),
    ("events.k8s.io", "v1", "events", "Event", True, ("ev",), _NOTHING, _NOTHING, "none"),
    ("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", False, ("pc",), _NOTHING, _NOTHING, "none"),
    ("storage.k8s.io", "v1", "storageclasses", "StorageClass", False, ("sc",), _NOTHING, _NOTHING, "none"),
    (
        _API_EXTENSIONS,
        "v1",
        "customresourcedefinitions",
        "CustomResourceDefinition",
        False,
        ("crd", "crds"),
        ("api-extensions",),
        _STATUS,
        "spec",
    ),
    (
        "apiregistration.k8s.io",
        "v1",
        "apiservices",
        "APIService",
        False,
        _NOTHING,
        ("api-extensions",),
        _STATUS,
        "none",
    ),
    (
        _ADMISSION,
        "v1",
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
        False,
        _NOTHING,
        ("api-extensions",),
        _NOTHING,
        "all",
    ),
    (
        _ADMISSION,
        "v1",
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
        False,
        _NOTHING,
        ("api-extensions",),
        _NOTHING,
        "all",
    ),
    (
        _ADMISSION,
        "v1",
        "validatingadmissionpolicies",
        "ValidatingAdmissionPolicy",
        False,
        _NOTHING,
        ("api-extensions",),
        _STATUS,
        "spec",
    ),
    (
        _ADMISSION,
        "v1",
        "validatingadmissionpolicybindings",
        "ValidatingAdmissionPolicyBinding",
        False,
        _NOTHING,
        ("api-extensions",),
        _NOTHING,
        "spec",
    ),
)

_REVIEWS: Final = (
    ("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview", False),
    ("authorization.k8s.io", "selfsubjectrulesreviews", "SelfSubjectRulesReview", False),
    ("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", False),
    ("authorization.k8s.io", "localsubjectaccessreviews", "LocalSubjectAccessReview", True),
    ("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview", False),
    ("authentication.k8s.io", "tokenreviews", "TokenReview", False),
)

_FIELDS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "pods": {
        "spec.nodeName": ("spec", "nodeName"),
        "spec.restartPolicy": ("spec", "restartPolicy"),
        "spec.schedulerName": ("spec", "schedulerName"),
        "spec.serviceAccountName": ("spec", "serviceAccountName"),
        "status.phase": ("status", "phase"),
        "status.podIP": ("status", "podIP"),
    },
    "namespaces": {"status.phase": ("status", "phase")},
    "secrets": {"type": ("type",)},
    "services": {"spec.clusterIP": ("spec", "clusterIP"), "spec.type": ("spec", "type")},
    "nodes": {"spec.unschedulable": ("spec", "unschedulable")},
    "jobs": {"status.successful": ("status", "succeeded")},
    "replicasets": {"status.replicas": ("status", "replicas")},
    "events": {
        "involvedObject.kind": ("involvedObject", "kind"),
        "involvedObject.namespace": ("involvedObject", "namespace"),
        "involvedObject.name": ("involvedObject", "name"),
        "involvedObject.uid": ("involvedObject", "uid"),
        "involvedObject.apiVersion": ("involvedObject", "apiVersion"),
        "involvedObject.resourceVersion": ("involvedObject", "resourceVersion"),
        "involvedObject.fieldPath": ("involvedObject", "fieldPath"),
        "reason": ("reason",),
        "reportingComponent": ("reportingComponent",),
        "source": ("source", "component"),
        "type": ("type",),
    },
}

_NEEDS_VERSION: Final = frozenset({"leases", "customresourcedefinitions", "apiservices", "validatingadmissionpolicies"})

_CREATED_BY_UPDATE: Final = frozenset(
    {"clusterrolebindings", "clusterroles", "endpoints", "events", "leases", "limitranges", "rolebindings", "roles"}
)


def builtin_resources() -> list[Resource]:
    """Return all built-in resources, reviews included."""
    return [_resource(row) for row in _TABLE] + [_review(*row) for row in _REVIEWS]


def _resource(row: _Row) -> Resource:
    group, version, plural, kind, namespaced, short_names, categories, subresources, generation = row
    return Resource(
        group=group,
        version=version,
        plural=plural,
        singular=kind.lower(),
        kind=kind,
        list_kind=kind + "List",
        namespaced=namespaced,
        short_names=short_names,
        categories=categories,
        verbs=tuple(verb for verb in ALL_VERBS if (plural, verb) != ("namespaces", "deletecollection")),
        subresources=subresources,
        schema=schema_of(group, version, kind),
        generation=generation,
        fields={**COMMON_FIELDS, **_FIELDS.get(plural, {})},
        columns=COLUMNS.get(kind, ()),
        created_by_update=plural in _CREATED_BY_UPDATE,
        unconditional=plural not in _NEEDS_VERSION,
    )


def _review(group: str, plural: str, kind: str, namespaced: bool) -> Resource:  # noqa: FBT001 - a row of the table
    return Resource(
        group=group,
        version="v1",
        plural=plural,
        singular=kind.lower(),
        kind=kind,
        list_kind=kind + "List",
        namespaced=namespaced,
        verbs=("create",),
        schema=schema_of(group, "v1", kind),
    )
