"""
Builders of the objects that a cluster holds, in their smallest useful shape.

Each returns JSON (a ``dict``) as a server would give it, so that a test changes one
field and puts it into a snapshot: ``a_snapshot(a_tenant_config(), ...)``.
"""

import copy
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import Kind
from migrate.records.merging import merge
from migrate.records.objects import Json, KubeObject, Query
from migrate.records.snapshot import ClusterIdentity, Gap, KindInfo, Snapshot

TAKEN_AT = "2026-10-03T22:00:00Z"
CREATED_AT = "2026-09-01T08:00:00Z"
CLUSTER_ID = "c1u50000-0000-4000-8000-000000000001"

ALL_KINDS: tuple[Kind, ...] = tuple(value for value in vars(resources).values() if isinstance(value, Kind))


def a_uid(kind: str, namespace: str, name: str) -> str:
    """Return a UID that is the same in every run."""
    digest = hashlib.sha256(f"{kind}/{namespace}/{name}".encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def an_object(kind: Kind, namespace: str, name: str, **sections: Any) -> Json:
    """Return an object of *kind*; *sections* are its top-level members (``spec=``, ``metadata=`` is merged in)."""
    metadata: Json = {
        "name": name,
        "uid": a_uid(kind.kind, namespace, name),
        "resourceVersion": "1",
        "creationTimestamp": CREATED_AT,
    }
    if namespace:
        metadata["namespace"] = namespace
    metadata = merge(metadata, sections.pop("metadata", {}))
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **copy.deepcopy(sections)}


def changed(thing: Mapping[str, Any], patch: Mapping[str, Any]) -> Json:
    """Return a copy of *thing* with a merge patch applied; None removes a field."""
    result: Json = merge(copy.deepcopy(dict(thing)), patch)
    return result


def annotated(thing: Mapping[str, Any], **by_name: str) -> Json:
    """Return a copy of *thing* with annotations added; ``annotated(x, **{key: value})``."""
    return changed(thing, {"metadata": {"annotations": dict(by_name)}})


def conditions(*types: str, status: str = "True", observed: int = 1) -> list[Json]:
    """Return status conditions of these types."""
    return [
        {"type": kind, "status": status, "reason": kind, "message": "", "observedGeneration": observed}
        for kind in types
    ]


def managed_by(manager: str, operation: str = "Apply", time: str = CREATED_AT) -> list[Json]:
    """Return managedFields with one entry."""
    return [{"manager": manager, "operation": operation, "time": time}]


def namespace_of(tenant: str) -> str:
    """Return a tenant's namespace."""
    return resources.DEFAULT_TENANT_NAMESPACE if tenant == resources.DEFAULT_TENANT_NAME else f"ai-tenant-{tenant}"


def id_of(tenant: str) -> str:
    """Return a tenant's id."""
    return "" if tenant == resources.DEFAULT_TENANT_NAME else tenant


def gateway_name_of(tenant: str) -> str:
    """Return the name of a tenant's gateway."""
    return resources.DEFAULT_GATEWAY if tenant == resources.DEFAULT_TENANT_NAME else tenant


def a_tenant_config(tenant: str = resources.DEFAULT_TENANT_NAME, **sections: Any) -> Json:
    """Return a healthy MaasTenantConfig of an AITenant."""
    namespace = namespace_of(tenant)
    thing = an_object(
        resources.MAAS_TENANT_CONFIG,
        namespace,
        resources.TENANT_CONFIG_NAME,
        metadata={
            "generation": 1,
            "labels": {
                annotations.MANAGED_BY_AITENANT: "true",
                annotations.TENANT_NAME: tenant,
                annotations.TENANT_NAMESPACE: namespace,
            },
            "annotations": {
                annotations.AITENANT_NAME: tenant,
                annotations.AITENANT_NAMESPACE: resources.AITENANT_NAMESPACE,
            },
            "finalizers": [annotations.TENANT_CLEANUP_FINALIZER],
            "managedFields": managed_by(annotations.MAAS_MANAGER, "Update"),
        },
        spec={},
        status={
            "phase": "Active",
            "infraNamespace": resources.INFRA_NAMESPACE,
            "conditions": [
                *conditions("DependenciesAvailable", "MaaSPrerequisitesAvailable", "DeploymentsAvailable", "Ready"),
                {"type": "Degraded", "status": "False", "reason": "NoWarnings", "observedGeneration": 1},
            ],
        },
    )
    return changed(thing, sections)


def an_ai_tenant(tenant: str = resources.DEFAULT_TENANT_NAME, **sections: Any) -> Json:
    """Return a healthy AITenant."""
    thing = an_object(
        resources.AI_TENANT,
        resources.AITENANT_NAMESPACE,
        tenant,
        metadata={"generation": 1},
        spec={"gateway": {"name": gateway_name_of(tenant)}},
        status={
            "phase": "Active",
            "tenantNamespace": namespace_of(tenant),
            "gatewayRef": {"name": gateway_name_of(tenant), "namespace": resources.GATEWAY_NAMESPACE},
            "conditions": conditions("Ready"),
        },
    )
    return changed(thing, sections)


def a_config(**sections: Any) -> Json:
    """Return the Config called default."""
    thing = an_object(
        resources.CONFIG, "", resources.CONFIG_NAME, spec={"limitadorScrapeInterval": "30s", "usageLogging": False}
    )
    return changed(thing, sections)


def a_gateway(
    name: str = resources.DEFAULT_GATEWAY, namespace: str = resources.GATEWAY_NAMESPACE, **sections: Any
) -> Json:
    """Return a programmed Gateway with one listener."""
    thing = an_object(
        resources.GATEWAY,
        namespace,
        name,
        metadata={"generation": 1},
        spec={
            "gatewayClassName": resources.GATEWAY_CLASS,
            "listeners": [{"name": "https", "protocol": "HTTPS", "port": 443}],
        },
        status={
            "conditions": conditions("Accepted", "Programmed"),
            "listeners": [{"name": "https", "conditions": conditions("Accepted", "Programmed")}],
        },
    )
    return changed(thing, sections)


def a_namespace(name: str, uid: str = "") -> Json:
    """Return an active Namespace."""
    thing = an_object(resources.NAMESPACE, "", name, status={"phase": "Active"})
    return changed(thing, {"metadata": {"uid": uid}}) if uid else thing


PRE_PROCESSING_TEXT = """\
apiVersion: llm-d.ai/v1alpha1
kind: PayloadProcessorConfig
plugins:
- type: body-field-to-header
  name: model-extractor
  parameters: {fieldName: model, headerName: X-Gateway-Model-Name}
- type: model-provider-resolver
profiles:
- name: default
  plugins:
    request: [{pluginRef: model-extractor}, {pluginRef: model-provider-resolver}]
"""
_PROCESSING_TEXT = """\
apiVersion: llm-d.ai/v1alpha1
kind: PayloadProcessorConfig
plugins:
- {type: maas-headers-guard, name: maas-headers-guard}
- {type: stream-usage-enforcer}
- {type: model-provider-resolver}
- {type: api-translation}
- {type: apikey-injection}
profiles:
- name: default
  plugins:
    request:
    - {pluginRef: maas-headers-guard}
    - {pluginRef: stream-usage-enforcer}
    - {pluginRef: model-provider-resolver}
    - {pluginRef: api-translation}
    - {pluginRef: apikey-injection}
    response: RESPONSE
"""
PROCESSING_TEXT = _PROCESSING_TEXT.replace("RESPONSE", "[]")
RESPONSE_TRANSLATION_TEXT = _PROCESSING_TEXT.replace("RESPONSE", "[{pluginRef: api-translation}]")
CUSTOM_TEXT = PROCESSING_TEXT.replace(
    "- {type: apikey-injection}\n", "- {type: apikey-injection}\n- {type: metering}\n", 1
)


def a_plugins_config_map(
    tenant: str = resources.DEFAULT_TENANT_NAME,
    processing: str = PROCESSING_TEXT,
    namespace: str = resources.GATEWAY_NAMESPACE,
    **sections: Any,
) -> Json:
    """Return the plugins ConfigMap of IPP; the product default unless *processing* says otherwise."""
    thing = an_object(
        resources.CONFIG_MAP,
        namespace,
        naming.suffixed(naming.PLUGINS_CONFIG_MAP, id_of(tenant)),
        metadata={
            "labels": {annotations.TENANT_NAME: tenant},
            "annotations": {annotations.MANAGED: "false"},
            "managedFields": managed_by(annotations.MAAS_CONTROLLER),
            "ownerReferences": [_config_owner()],
        },
        data={
            "custom-pre-processing-ipp-config.yaml": PRE_PROCESSING_TEXT,
            "custom-ipp-config.yaml": processing,
        },
    )
    return changed(thing, sections)


def a_praxis_config_map(tenant: str = resources.DEFAULT_TENANT_NAME, **sections: Any) -> Json:
    """Return the plugins ConfigMap of Praxis."""
    thing = an_object(
        resources.CONFIG_MAP,
        resources.GATEWAY_NAMESPACE,
        naming.suffixed(naming.PLUGINS_CONFIG_MAP, id_of(tenant)),
        metadata={
            "labels": {
                annotations.TENANT_NAME: tenant,
                annotations.MANAGED_BY: annotations.AI_GATEWAY_CONTROLLER,
                annotations.IPP_PROFILE: annotations.IPP_PROFILE_PRAXIS,
            },
            "managedFields": managed_by(annotations.AI_GATEWAY_CONTROLLER),
        },
        data={"pre-extproc.yaml": "server: {}\n", "extproc.yaml": "server: {}\n"},
    )
    return changed(thing, sections)


def a_deployment(
    name: str, namespace: str, *, config_map: str = "", image: str = "registry.example.com/image:v1", **sections: Any
) -> Json:
    """Return a rolled out Deployment; *config_map* is mounted when given."""
    pod_spec: Json = {"containers": [{"name": name, "image": image}]}
    if config_map:
        pod_spec["volumes"] = [{"name": "config", "configMap": {"name": config_map}}]
    thing = an_object(
        resources.DEPLOYMENT,
        namespace,
        name,
        metadata={"generation": 1, "managedFields": managed_by(annotations.MAAS_CONTROLLER)},
        spec={"replicas": 1, "template": {"spec": pod_spec}},
        status={
            "observedGeneration": 1,
            "replicas": 1,
            "updatedReplicas": 1,
            "availableReplicas": 1,
            "conditions": [{"type": "Available", "status": "True"}],
        },
    )
    return changed(thing, sections)


def a_pod(name: str, namespace: str, *, app: str, started_at: str = "2026-09-02T08:00:00Z", **sections: Any) -> Json:
    """Return a ready Pod with the label ``app``."""
    thing = an_object(
        resources.POD,
        namespace,
        name,
        metadata={"labels": {annotations.APP: app}},
        status={"phase": "Running", "startTime": started_at, "conditions": conditions("Ready")},
    )
    return changed(thing, sections)


def a_model_ref(
    name: str, namespace: str = "llm", *, kind: str = "LLMInferenceService", tenant: str = "", **sections: Any
) -> Json:
    """Return a ready MaaSModelRef."""
    spec: Json = {"modelRef": {"kind": kind, "name": name}}
    if tenant:
        spec["tenantRef"] = tenant
    thing = an_object(
        resources.MAAS_MODEL_REF,
        namespace,
        name,
        metadata={"generation": 1},
        spec=spec,
        status={
            "phase": "Ready",
            "httpRouteName": f"{name}-kserve-route",
            "httpRouteNamespace": namespace,
            "conditions": conditions("Ready"),
        },
    )
    return changed(thing, sections)


def a_subscription(
    name: str,
    *models: str,
    namespace: str = resources.DEFAULT_TENANT_NAMESPACE,
    model_namespace: str = "llm",
    rates: Iterable[tuple[int, str]] = ((100, "1m"),),
    identity: str = "",
    **sections: Any,
) -> Json:
    """Return an active MaaSSubscription; *identity* is its stamp."""
    status: Json = {"phase": "Active", "conditions": conditions("Ready")}
    if identity:
        status["rateLimitIdentity"] = identity
    thing = an_object(
        resources.MAAS_SUBSCRIPTION,
        namespace,
        name,
        metadata={"generation": 1},
        spec={
            "owner": {"groups": [{"name": "system:authenticated"}]},
            "modelRefs": [
                {
                    "name": model,
                    "namespace": model_namespace,
                    "tokenRateLimits": [{"limit": limit, "window": window} for limit, window in rates],
                }
                for model in (models or ("granite",))
            ],
        },
        status=status,
    )
    return changed(thing, sections)


def a_policy(
    model: str,
    limits: Mapping[str, Any],
    *subscriptions: str,
    namespace: str = "llm",
    route: str = "",
    **sections: Any,
) -> Json:
    """Return the accepted TokenRateLimitPolicy of a model; *subscriptions* are ``namespace/name``."""
    thing = an_object(
        resources.TOKEN_RATE_LIMIT_POLICY,
        namespace,
        naming.trlp_name(model),
        metadata={
            "generation": 1,
            "labels": {
                annotations.MODEL: model,
                annotations.MODEL_NAMESPACE: namespace,
                annotations.PART_OF: annotations.PART_OF_SUBSCRIPTION,
            },
            "annotations": {annotations.SUBSCRIPTIONS: ",".join(sorted(subscriptions))},
        },
        spec={
            "targetRef": {
                "group": resources.GATEWAY_GROUP,
                "kind": "HTTPRoute",
                "name": route or f"{model}-kserve-route",
            },
            "limits": dict(limits),
        },
        status={"conditions": conditions("Accepted", "Enforced")},
    )
    return changed(thing, sections)


def an_auth_policy(
    gateway: str = resources.DEFAULT_GATEWAY,
    namespace: str = resources.GATEWAY_NAMESPACE,
    *,
    properties: Iterable[str] = ("userid", "selected_subscription", "selected_subscription_key"),
    **sections: Any,
) -> Json:
    """Return the AuthPolicy of a gateway with these identity properties."""
    identity = {name: {"expression": "x"} for name in properties}
    rules = {"response": {"success": {"filters": {"identity": {"json": {"properties": identity}}}}}}
    thing = an_object(
        resources.AUTH_POLICY,
        namespace,
        naming.auth_policy_name(gateway),
        metadata={"generation": 1},
        spec={
            "targetRef": {"group": resources.GATEWAY_GROUP, "kind": "Gateway", "name": gateway},
            "defaults": {"rules": rules},
        },
        status={"conditions": conditions("Accepted", "Enforced")},
    )
    return changed(thing, sections)


def a_provider(
    provider: str = "openai",
    *,
    name: str = "",
    namespace: str = "llm",
    auth: str = "apikey",
    host: str = "",
    **sections: Any,
) -> Json:
    """Return a ready ExternalProvider."""
    thing = an_object(
        resources.EXTERNAL_PROVIDER,
        namespace,
        name or provider,
        spec={
            "provider": provider,
            "endpoint": host or f"api.{provider}.com",
            "auth": {"type": auth, "secretRef": {"name": f"{provider}-key"}},
        },
        status={"phase": "Ready"},
    )
    return changed(thing, sections)


def an_external_model(
    name: str,
    provider: str = "openai",
    *,
    api_format: str = "openai-chat",
    path: str = "/v1/chat/completions",
    weight: int | None = None,
    namespace: str = "llm",
    **sections: Any,
) -> Json:
    """Return a ready ExternalModel of the inference group with one provider reference."""
    reference: Json = {"ref": {"name": provider}, "targetModel": name, "apiFormat": api_format, "path": path}
    if weight is not None:
        reference["weight"] = weight
    thing = an_object(
        resources.EXTERNAL_MODEL,
        namespace,
        name,
        spec={"modelName": name, "externalProviderRefs": [reference]},
        status={"phase": "Ready", "httpRouteName": f"maas-{name}"},
    )
    return changed(thing, sections)


def a_maas_external_model(
    name: str, provider: str = "azure-openai", *, namespace: str = "llm", host: str = "", **sections: Any
) -> Json:
    """Return an ExternalModel of the old maas group."""
    thing = an_object(
        resources.MAAS_EXTERNAL_MODEL,
        namespace,
        name,
        spec={
            "provider": provider,
            "endpoint": host or f"team-a.{provider}.example.com",
            "targetModel": f"{name}-target",
            "credentialRef": {"name": f"{provider}-key"},
        },
    )
    return changed(thing, sections)


def a_crd(kind: Kind, *paths: str) -> Json:
    """Return a CustomResourceDefinition that knows the dotted *paths* (``spec.apiTranslation``)."""
    schema: Json = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"known": {}}}}}
    for path in paths:
        inner: Json = {"type": "object"}
        for part in reversed(path.split(".")):
            inner = {"type": "object", "properties": {part: inner}}
        schema = merge(schema, inner)
    return an_object(
        resources.CRD,
        "",
        kind.crd_name,
        spec={
            "group": kind.group,
            "names": {"kind": kind.kind, "plural": kind.plural},
            "versions": [
                {"name": kind.version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
            ],
        },
        status={"conditions": [{"type": "Established", "status": "True"}]},
    )


def crds(release: str = "3.5") -> list[Json]:
    """Return the CRDs of the MaaS group of a release."""
    news = {
        resources.CONFIG.kind: ("spec.usageMetricsDashboard",),
        resources.MAAS_SUBSCRIPTION.kind: ("spec.rateLimitIdentity", "status.rateLimitIdentity"),
        resources.MAAS_TENANT_CONFIG.kind: ("spec.apiTranslation.enabled",),
    }
    return [
        a_crd(kind, *(news.get(kind.kind, ()) if release == "3.6" else ()))
        for kind in (
            resources.MAAS_SUBSCRIPTION,
            resources.MAAS_AUTH_POLICY,
            resources.MAAS_MODEL_REF,
            resources.MAAS_TENANT_CONFIG,
            resources.AI_TENANT,
            resources.CONFIG,
        )
    ]


def a_platform(release: str = "3.5") -> list[Json]:
    """Return the objects that say which release runs and that its platform is healthy."""
    version = f"{release}.0"
    components = {"aigateway": {"managementState": "Managed", "modelsAsAService": {"managementState": "Managed"}}}
    kuadrant = "rh-connectivity-link"
    things = [
        an_object(
            resources.DATA_SCIENCE_CLUSTER,
            "",
            "default-dsc",
            spec={"components": components},
            status={"release": {"name": "OpenShift AI Self-Managed", "version": version}},
        ),
        an_object(
            resources.DSC_INITIALIZATION,
            "",
            "default-dsci",
            status={
                "release": {"name": "OpenShift AI Self-Managed", "version": version},
                "conditions": conditions("MonitoringReady", "MonitoringStackAvailable", "PersesAvailable"),
            },
        ),
        an_object(
            resources.CLUSTER_SERVICE_VERSION,
            resources.OPERATOR_NAMESPACE,
            f"rhods-operator.{version}",
            metadata={"labels": {annotations.CSV_LABEL: ""}},
            spec={"version": version},
            status={"phase": "Succeeded"},
        ),
        an_object(
            resources.CLUSTER_SERVICE_VERSION,
            kuadrant,
            "rhcl-operator.v1.4.1",
            metadata={"labels": {f"operators.coreos.com/rhcl-operator.{kuadrant}": ""}},
            spec={"version": "1.4.1"},
            status={"phase": "Succeeded"},
        ),
        an_object(
            resources.CLUSTER_VERSION,
            "",
            "version",
            status={"desired": {"version": "4.19.12"}, "history": [{"version": "4.19.12", "state": "Completed"}]},
        ),
        an_object(resources.KUADRANT, kuadrant, "kuadrant", status={"conditions": conditions("Ready")}),
        an_object(
            resources.AUTHORINO,
            kuadrant,
            "authorino",
            spec={"listener": {"tls": {"enabled": True, "certSecretRef": {"name": "authorino-tls"}}}},
            status={"conditions": conditions("Ready")},
        ),
        an_object(
            resources.LIMITADOR,
            kuadrant,
            "limitador",
            spec={"storage": {"redis": {}}},
            status={"conditions": conditions("Ready")},
        ),
        a_deployment(
            "maas-controller", resources.APPLICATIONS_NAMESPACE, image=f"r.example.com/maas-controller:v{release}"
        ),
        a_deployment("authorino", kuadrant),
        a_deployment("limitador-limitador", kuadrant),
        a_deployment("kuadrant-operator-controller-manager", kuadrant),
        *crds(release),
    ]
    if release == "3.6":
        things.append(a_deployment("ai-gateway-controller", resources.APPLICATIONS_NAMESPACE))
    return things


PROPERTIES = {
    "3.5": ("userid", "selected_subscription", "selected_subscription_key"),
    "3.6": ("userid", "selected_subscription", "selected_subscription_key", "selected_subscription_id"),
}
"""Identity properties of a gateway's AuthPolicy that matter, by release."""


def a_tenant(
    tenant: str = resources.DEFAULT_TENANT_NAME, *, processing: str = PROCESSING_TEXT, release: str = "3.5"
) -> list[Json]:
    """Return everything of a healthy tenant on IPP."""
    tenant_id = id_of(tenant)
    plugins = naming.suffixed(naming.PLUGINS_CONFIG_MAP, tenant_id)
    gateway = gateway_name_of(tenant)
    namespace = resources.GATEWAY_NAMESPACE
    marks = {
        "metadata": {
            "labels": {annotations.TENANT_NAME: tenant},
            "managedFields": managed_by(annotations.MAAS_CONTROLLER),
            "ownerReferences": [_config_owner()],
        }
    }
    deployments = [
        changed(a_deployment(naming.suffixed(base, tenant_id), namespace, config_map=plugins), marks)
        for base in (naming.PAYLOAD_PROCESSING, naming.PAYLOAD_PRE_PROCESSING)
    ]
    others = [
        changed(an_object(kind, namespace, naming.suffixed(base, tenant_id)), marks)
        for kind, base in naming.GATEWAY_KINDS
        if kind not in {resources.DEPLOYMENT, resources.CONFIG_MAP, resources.HPA, resources.ENVOY_FILTER}
    ]
    envoy_filter = changed(
        an_object(
            resources.ENVOY_FILTER,
            namespace,
            naming.suffixed(naming.PAYLOAD_PROCESSING, tenant_id),
            spec={
                "priority": 10,
                "workloadSelector": {"labels": {"gateway.networking.k8s.io/gateway-name": gateway}},
            },
        ),
        marks,
    )
    return [
        a_tenant_config(tenant),
        an_ai_tenant(tenant),
        a_gateway(gateway),
        a_namespace(namespace_of(tenant)),
        a_plugins_config_map(tenant, processing),
        *deployments,
        *others,
        envoy_filter,
        a_deployment(naming.suffixed(naming.MAAS_API, tenant_id), resources.INFRA_NAMESPACE),
        an_auth_policy(gateway, properties=PROPERTIES[release]),
    ]


def a_cluster(release: str = "3.5", *tenants: str) -> list[Json]:
    """Return a healthy cluster with these tenants (the default one when none is named) and nothing to complain of."""
    things = [
        a_namespace(resources.KUBE_SYSTEM, CLUSTER_ID),
        a_namespace(resources.GATEWAY_NAMESPACE),
        a_config(),
        *a_platform(release),
    ]
    for tenant in tenants or (resources.DEFAULT_TENANT_NAME,):
        things += a_tenant(tenant, release=release)
    return things


def on_praxis(things: Iterable[Mapping[str, Any]], tenant: str = resources.DEFAULT_TENANT_NAME) -> list[Json]:
    """Return the objects of a cluster with *tenant* flipped: what IPP had belongs to Praxis."""
    names = {naming.suffixed(base, id_of(tenant)) for _, base in naming.GATEWAY_KINDS}
    praxis = {
        "metadata": {
            "labels": {annotations.MANAGED_BY: annotations.AI_GATEWAY_CONTROLLER},
            "managedFields": managed_by(annotations.AI_GATEWAY_CONTROLLER),
            "ownerReferences": None,
        }
    }
    flipped = []
    for thing in things:
        metadata = thing["metadata"]
        if thing["kind"] == resources.MAAS_TENANT_CONFIG.kind and metadata["namespace"] == namespace_of(tenant):
            flipped.append(
                annotated(
                    thing,
                    **{
                        annotations.PAYLOAD_PROCESSING_TYPE: annotations.TYPE_PRAXIS,
                        annotations.PAYLOAD_PROCESSING_STATUS: annotations.STATUS_STEADY,
                    },
                )
            )
        elif metadata.get("namespace") == resources.GATEWAY_NAMESPACE and metadata["name"] in names:
            is_plugins = thing["kind"] == resources.CONFIG_MAP.kind
            flipped.append(a_praxis_config_map(tenant) if is_plugins else changed(thing, praxis))
        else:
            flipped.append(dict(thing))
    return flipped


def _config_owner() -> Json:
    return {
        "apiVersion": resources.CONFIG.api_version,
        "kind": resources.CONFIG.kind,
        "name": resources.CONFIG_NAME,
        "uid": a_uid(resources.CONFIG.kind, "", resources.CONFIG_NAME),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def kind_infos(kinds: Iterable[Kind] = ALL_KINDS) -> tuple[KindInfo, ...]:
    """Return what the API server serves."""
    return tuple(
        KindInfo(group=kind.group, version=kind.version, kind=kind.kind, plural=kind.plural, namespaced=kind.namespaced)
        for kind in kinds
    )


def a_snapshot(
    *objects: Mapping[str, Any],
    gaps: Iterable[Gap] = (),
    kinds: Iterable[Kind] = ALL_KINDS,
    answered: Iterable[Query] | None = None,
) -> Snapshot:
    """
    Return a snapshot that holds *objects*; a later one replaces an earlier one of the same name.

    Every kind counts as listed in all namespaces, so what is not given is absent; a kind that
    a gap speaks of is asked for by that gap alone. *answered* says otherwise.
    """
    gaps = tuple(gaps)
    kinds = tuple(kinds)
    by_key = {(o["apiVersion"], o["kind"], KubeObject(o).namespace, KubeObject(o).name): dict(o) for o in objects}
    if answered is None:
        asked = {(gap.query.group, gap.query.kind) for gap in gaps if not gap.query.name}
        answered = [kind.query() for kind in kinds if kind.key not in asked]
        named = [gap.query for gap in gaps if gap.query.name]
        answered = [
            query for query in answered if (query.group, query.kind) not in {(gap.group, gap.kind) for gap in named}
        ]
    return Snapshot(
        taken_at=TAKEN_AT,
        source="test",
        cluster=ClusterIdentity(server="https://api.example.com:6443", id=CLUSTER_ID),
        kinds=kind_infos(kinds),
        answered=tuple(answered),
        gaps=gaps,
        objects=tuple(by_key[key] for key in sorted(by_key)),
    )


def a_gap(kind: Kind, namespace: str = "", name: str = "", *, status: int = 403) -> Gap:
    """Return a refused question."""
    return Gap(query=kind.query(namespace, name), reason="forbidden", message="forbidden", status=status)
