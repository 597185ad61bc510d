"""The product's own kinds. Source: contract 1.3 to 1.9; the fields of 3.6 from Upgrade to 3.6."""

from typing import Any, Final

from migrate.sandbox.crds.schema import (
    ANYTHING,
    LABEL,
    LABEL_OR_EMPTY,
    CustomKind,
    Schema,
    choice,
    conditions,
    flag,
    items,
    number,
    text,
    texts,
    thing,
    whole,
)

MAAS: Final = "maas.opendatahub.io"
INFERENCE: Final = "inference.opendatahub.io"
Crd = dict[str, Any]

_REASON: Final = choice(
    "Reconciled",
    "ReconcileFailed",
    "PartialFailure",
    "Valid",
    "NotFound",
    "GetFailed",
    "Accepted",
    "AcceptedEnforced",
    "NotAccepted",
    "Enforced",
    "NotEnforced",
    "BackendNotReady",
    "ConditionsNotFound",
    "InvalidSpec",
    "Unknown",
    "NoPairingFound",
    "GovernancePaired",
    "GovernanceGap",
    "RuntimeHealthy",
    "RuntimeHealthFailure",
)
_PHASE: Final = choice("Pending", "Active", "Degraded", "Failed", "Invalid")
_NAME: Final = text(least=1, most=63)
_LONG_NAME: Final = text(least=1, most=253)
_PHASE_COLUMN: Final = ("Phase", "string", ".status.phase")
_READY_COLUMN: Final = ("Ready", "string", '.status.conditions[?(@.type=="Ready")].status')
_REASON_COLUMN: Final = ("Reason", "string", '.status.conditions[?(@.type=="Ready")].reason')


def maas_kinds(*, is_new: bool) -> list[Crd]:
    """Return the CRDs of the group ``maas.opendatahub.io``, of 3.6 when *is_new*."""
    return [
        _kind("MaaSSubscription", "maassubscriptions", _subscription(is_new=is_new), columns=(_PHASE_COLUMN,)),
        _kind("MaaSAuthPolicy", "maasauthpolicies", _auth_policy(), columns=(_PHASE_COLUMN,)),
        _kind("MaaSModelRef", "maasmodelrefs", _model_ref(), columns=(_PHASE_COLUMN,)),
        _kind(
            "MaasTenantConfig",
            "maastenantconfigs",
            _tenant_config(is_new=is_new),
            columns=(_READY_COLUMN, _REASON_COLUMN),
        ),
        _kind("Tenant", "tenants", _tenant(), columns=(_READY_COLUMN,)),
        _kind("AITenant", "aitenants", _ai_tenant(), short_names=("ait",), columns=(_READY_COLUMN,)),
        _kind("Config", "configs", _config(is_new=is_new), namespaced=False, short_names=("maasconfig",)),
        _kind("ExternalModel", "externalmodels", _old_external_model(), columns=(_PHASE_COLUMN,)),
    ]


def inference_kinds(*, is_new: bool) -> list[Crd]:
    """Return the CRDs of the group ``inference.opendatahub.io``, of 3.6 when *is_new*."""
    model, provider = _external_model(is_new=is_new), _external_provider(is_new=is_new)
    kinds = (
        CustomKind(INFERENCE, ("v1alpha1",), "ExternalModel", "externalmodels", schema=model, columns=(_PHASE_COLUMN,)),
        CustomKind(
            INFERENCE, ("v1alpha1",), "ExternalProvider", "externalproviders", schema=provider, columns=(_PHASE_COLUMN,)
        ),
    )
    return [kind.to_crd() for kind in kinds]


def _kind(kind: str, plural: str, schema: Schema, **more: Any) -> Crd:
    return CustomKind(MAAS, ("v1alpha1",), kind, plural, schema=schema, **more).to_crd()


def _groups() -> Schema:
    return items(thing({"name": text()}, required=("name",)))


def _metering() -> Schema:
    return thing({"organizationId": text(), "costCenter": text(), "labels": texts()})


def _subscription(*, is_new: bool) -> Schema:
    window = text(least=2, most=5, pattern=r"^[1-9]\d{0,3}(s|m|h)$")
    rate = thing({"limit": number(1, 1_000_000_000, form="int64"), "window": window}, required=("limit", "window"))
    reference: Schema = {
        "name": _NAME,
        "namespace": _NAME,
        "tokenRateLimits": items(rate, least=1),
        "billingRate": thing({"perToken": text()}, required=("perToken",)),
    }
    spec: Schema = {
        "owner": thing({"groups": _groups(), "users": items(text())}),
        "priority": number(default=0),
        "tokenMetadata": _metering(),
    }
    status: Schema = {
        "phase": _PHASE,
        "conditions": conditions(),
        "modelRefStatuses": items(_item_status(model=False)),
        "tokenRateLimitStatuses": items(_item_status(model=True)),
    }
    if is_new:
        reference["unlimited"] = {"type": "boolean"}
        rule = "has(self.tokenRateLimits) != (has(self.unlimited) && self.unlimited)"
        message = "exactly one of tokenRateLimits and unlimited: true must be set"
        model_ref = thing(reference, required=("name", "namespace"), rules=((rule, message),))
        spec |= {"inferencePriority": number(), "rateLimitIdentity": choice("short", "legacy")}
        status["rateLimitIdentity"] = choice("short", "legacy")
    else:
        model_ref = thing(reference, required=("name", "namespace", "tokenRateLimits"))
    spec["modelRefs"] = items(model_ref, least=1)
    return whole(thing(spec, required=("owner", "modelRefs")), thing(status))


def _item_status(*, model: bool) -> Schema:
    fields: Schema = {
        "name": text(most=253),
        "namespace": text(most=63),
        "ready": {"type": "boolean"},
        "reason": _REASON,
        "message": text(most=1024),
    }
    required = ["name", "namespace", "ready"]
    if model:
        fields["model"] = _NAME
        required.append("model")
    return thing(fields, required=required)


def _auth_policy() -> Schema:
    reference = thing({"name": _NAME, "namespace": _NAME}, required=("name", "namespace"))
    rule = "(has(self.groups) && size(self.groups) > 0) || (has(self.users) && size(self.users) > 0)"
    subjects = thing(
        {"groups": _groups(), "users": items(text())},
        rules=((rule, "at least one group or user must be specified in subjects"),),
    )
    spec = {"modelRefs": items(reference, least=1), "subjects": subjects, "meteringMetadata": _metering()}
    policy = _item_status(model=True)
    policy["properties"]["modelNamespace"] = _NAME
    status = {"phase": _PHASE, "conditions": conditions(), "authPolicies": items(policy)}
    return whole(thing(spec, required=("modelRefs", "subjects")), thing(status))


def _model_ref() -> Schema:
    kinds = choice("LLMInferenceService", "ExternalModel")
    spec = {
        "modelRef": thing({"kind": kinds, "name": _LONG_NAME}, required=("kind", "name")),
        "endpointOverride": text(),
        "tenantRef": text(most=253, pattern=LABEL),
    }
    told = (
        "endpoint",
        "httpRouteName",
        "httpRouteNamespace",
        "httpRouteGatewayName",
        "httpRouteGatewayNamespace",
        "resolvedTenantRef",
        "resolvedModelAlias",
    )
    status: Schema = {name: text() for name in told}
    status |= {
        "phase": choice("Pending", "Ready", "Unhealthy", "Failed", "Invalid"),
        "httpRouteHostnames": items(text()),
        "conditions": conditions(),
    }
    return whole(thing(spec, required=("modelRef",)), thing(status))


def _payload_processing() -> Schema:
    autoscaling = {
        "maxReplicas": number(1, 100, default=10),
        "targetCPUUtilization": number(1, 100, default=70),
        "targetMemoryUtilization": number(1, 100, default=80),
    }
    return thing({"replicas": number(1, 100), "autoscaling": thing(autoscaling)})


def _tenant_spec() -> Schema:
    metrics = {
        "captureOrganization": flag(default=True),
        "captureUser": flag(default=False),
        "captureGroup": flag(default=False),
        "captureModelUsage": flag(default=True),
    }
    return {
        "apiKeys": thing({"maxExpirationDays": number(1)}),
        "telemetry": thing({"enabled": flag(default=True), "metrics": thing(metrics)}),
        "payloadProcessing": _payload_processing(),
    }


def _tenant_status() -> Schema:
    phase = choice("Pending", "Active", "Degraded", "Failed")
    return thing({"phase": phase, "infraNamespace": text(most=63, pattern=LABEL), "conditions": conditions()})


def _tenant_config(*, is_new: bool) -> Schema:
    spec = _tenant_spec()
    if is_new:
        sized = thing({"replicas": number(1, 100), "resources": ANYTHING})
        spec["payloadProcessing"]["properties"]["resources"] = ANYTHING
        spec["telemetry"]["properties"]["logs"] = thing({"captureUser": flag(default=False)})
        spec |= {
            "apiTranslation": thing({"enabled": {"type": "boolean"}}),
            "maasApi": sized,
            "payloadPreProcessing": sized,
        }
    rules = (("self.metadata.name == 'default-tenant'", "MaasTenantConfig name must be default-tenant"),)
    return whole(thing(spec), _tenant_status(), rules=rules, needs_spec=False)


def _tenant() -> Schema:
    reference = thing({"name": text(most=63), "namespace": text(most=63)})
    spec = {**_tenant_spec(), "gatewayRef": reference, "externalOIDC": ANYTHING}
    rules = (("self.metadata.name == 'default-tenant'", "Tenant name must be default-tenant"),)
    return whole(thing(spec), _tenant_status(), rules=rules, needs_spec=False)


def _ai_tenant() -> Schema:
    oidc = {
        "issuerUrl": text(least=9, most=2048, pattern=r"^https://\S+$"),
        "clientId": text(least=1, most=256, pattern=r"^\S+$"),
        "ttl": {"type": "integer", "minimum": 30, "default": 300},
    }
    admin = {"kind": choice("User", "Group", "ServiceAccount"), "name": _LONG_NAME, "namespace": text(most=63)}
    spec = {
        "gateway": thing({"name": text(most=63, pattern=LABEL_OR_EMPTY)}),
        "oidc": thing(oidc, required=("issuerUrl", "clientId")),
        "rbac": thing({"admins": items(thing(admin, required=("kind", "name")), most=128)}),
    }
    gateway = {
        "name": text(most=63, pattern=LABEL_OR_EMPTY, default="maas-default-gateway"),
        "namespace": text(most=63, pattern=LABEL_OR_EMPTY, default="openshift-ingress"),
    }
    status = {
        "phase": choice("Pending", "Active", "Failed", "Terminating"),
        "tenantNamespace": text(),
        "gatewayRef": thing(gateway),
        "conditions": conditions(),
    }
    rules = (
        ("self.metadata.name.size() <= 41", "AITenant name must be at most 41 characters"),
        (f"self.metadata.name.matches('{LABEL}')", "AITenant name must be a DNS-1123 label"),
    )
    return whole(thing(spec), thing(status), rules=rules, needs_spec=False)


def _config(*, is_new: bool) -> Schema:
    interval = text(most=16, pattern=r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$", default="30s")
    spec: Schema = {"limitadorScrapeInterval": interval, "usageLogging": flag(default=False)}
    status: Schema = {}
    if is_new:
        spec["usageMetricsDashboard"] = flag(default=False)
        status["conditions"] = conditions()
    rules = (("self.metadata.name == 'default'", "Config name must be default"),)
    return whole(thing(spec), thing(status), rules=rules, needs_spec=False)


def _old_external_model() -> Schema:
    label = r"[a-zA-Z0-9]([a-zA-Z0-9\-]*[a-zA-Z0-9])?"
    spec = {
        "provider": _NAME,
        "targetModel": _LONG_NAME,
        "endpoint": text(least=1, most=253, pattern=rf"^{label}(\.{label})*$"),
        "credentialRef": thing({"name": _LONG_NAME}, required=("name",)),
    }
    status = {"phase": choice("Pending", "Ready", "Failed"), "conditions": conditions()}
    return whole(thing(spec, required=tuple(spec)), thing(status))


def _auth(*, is_new: bool) -> Schema:
    secret = thing({"name": text(least=1, most=253, pattern=LABEL)}, required=("name",))
    kinds = ("apikey", "sigv4", "oauth2") if is_new else ("apikey", "simple", "sigv4", "oauth2")
    return thing({"type": choice(*kinds), "secretRef": secret}, required=("type", "secretRef"))


def _external_model(*, is_new: bool) -> Schema:
    name = thing({"name": text(least=1, most=253, pattern=LABEL)}, required=("name",))
    reference = {
        "ref": name,
        "targetModel": _LONG_NAME,
        "apiFormat": _NAME,
        "path": text(least=1, most=512, pattern="^/.*"),
        "weight": {"type": "integer", "minimum": 0, "maximum": 100, "default": 1},
        "auth": _auth(is_new=is_new),
        "config": texts(),
    }
    required = ("ref", "targetModel", "apiFormat", "path")
    references = items(thing(reference, required=required), least=1, most=64)
    status: Schema = {"phase": choice("Pending", "Ready", "Failed"), "httpRouteName": text()}
    if is_new:
        status |= {"observedGeneration": number(form="int64"), "overlayDigest": text()}
        status["overlayGeneration"] = number(form="int64")
    status["conditions"] = conditions()
    spec = thing({"modelName": text(most=253), "externalProviderRefs": references}, required=("externalProviderRefs",))
    return whole(spec, thing(status))


def _external_provider(*, is_new: bool) -> Schema:
    label = r"[a-zA-Z0-9]([a-zA-Z0-9\-]*[a-zA-Z0-9])?"
    spec = {
        "provider": _NAME,
        "endpoint": text(least=1, most=253, pattern=rf"^{label}(\.{label})+$"),
        "auth": _auth(is_new=is_new),
        "config": texts(),
    }
    status = {"phase": choice("Pending", "Ready", "Failed"), "conditions": conditions()}
    return whole(thing(spec, required=("provider", "endpoint", "auth")), thing(status))
