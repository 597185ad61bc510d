"""
The gateway's AuthPolicy and the MaaSAuthPolicies, as maas-controller of 3.5 writes them.

Expressions are our own; names of fields, rules and headers are the product's.
Source: contract 1.4, 6.5.
"""

from typing import Any, ClassVar, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.gateways import flag_of
from migrate.maas.resources import (
    AUTH_POLICY,
    CONFIG,
    DEPLOYMENT,
    GATEWAY,
    MAAS_AUTH_POLICY,
    MAAS_TENANT_CONFIG,
    Kind,
)
from migrate.records.objects import Json, KubeObject, get_in
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.shapes import condition, merged_conditions
from migrate.sandbox.controllers.tenancy import GatewayError, Tenancy, controller_deployment, tenancy_of
from migrate.sandbox.controllers.view import View
from migrate.sandbox.controllers.workloads import owner_reference

DEFAULT_TTL_S: Final = 60
"""Both caches, when the flags of maas-controller say nothing. Source: contract 1.2."""

DENIED_HEADERS: Final = ("x-maas-username", "x-maas-group")
"""Headers that a client may not send. Source: contract 6.5."""

_INFO: Final = "auth.metadata['subscription-info']"
_HAS_KEY: Final = "request.headers.authorization.startsWith('Bearer sk-oai-')"
_HAS_TOKEN: Final = f"!{_HAS_KEY}"
_ASKS_FOR_MODEL: Final = "!request.path.startsWith('/maas-api')"

IDENTITY: Final[dict[str, str]] = {
    "userid": "auth.identity.user.username",
    "groups": "auth.identity.user.groups",
    "groups_str": "auth.identity.user.groups.join(',')",
    "keyId": "has(auth.metadata.apiKeyValidation) ? auth.metadata.apiKeyValidation.keyId : ''",
    "keyName": "has(auth.metadata.apiKeyValidation) ? auth.metadata.apiKeyValidation.keyName : ''",
    "selected_subscription": f"{_INFO}.name",
    "selected_subscription_key": f"{_INFO}.namespace + '/' + {_INFO}.name + '@' + {_INFO}.resolvedModel",
    "subscription_info": _INFO,
    "subscription_error": f"{_INFO}.error",
    "subscription_error_message": f"{_INFO}.message",
}
"""The ten identity fields of 3.5. Source: contract 6.5."""


def gateway_auth_policy(tenant: Tenancy, view: View) -> Json:
    """Return the AuthPolicy of a tenant's gateway: on the default gateway without owner, else owned by the Gateway."""
    metadata: Json = {
        "name": naming.auth_policy_name(tenant.gateway_name),
        "namespace": tenant.gateway_namespace,
        "labels": {
            annotations.MANAGED_BY: annotations.MAAS_CONTROLLER,
            annotations.PART_OF: naming.DEFAULT_AUTH_POLICY,
            annotations.COMPONENT: "gateway-auth",
        },
    }
    gateway = view.get(GATEWAY, tenant.gateway_namespace, tenant.gateway_name)
    if metadata["name"] != naming.DEFAULT_AUTH_POLICY and gateway is not None:
        metadata["ownerReferences"] = [owner_reference(GATEWAY, gateway, block=False)]
    rules = {
        "authentication": _authentication(),
        "metadata": _metadata(tenant, ttl_of(view, "--metadata-cache-ttl", "METADATA_CACHE_TTL")),
        "authorization": _authorization(ttl_of(view, "--authz-cache-ttl", "AUTHZ_CACHE_TTL")),
        "response": _response(),
    }
    when = [{"predicate": '!request.path.startsWith("/maas-api/health")'}]
    return {
        "apiVersion": AUTH_POLICY.api_version,
        "kind": AUTH_POLICY.kind,
        "metadata": metadata,
        "spec": {
            "targetRef": {"group": GATEWAY.group, "kind": GATEWAY.kind, "name": tenant.gateway_name},
            "defaults": {"strategy": "atomic", "when": when, "rules": rules},
        },
    }


def ttl_of(view: View, flag: str, env: str) -> int:
    """Return a cache TTL of maas-controller, in seconds."""
    deployment = controller_deployment(view)
    text = flag_of(KubeObject(deployment), flag, env) if deployment else ""
    return int(text) if text.isdigit() else DEFAULT_TTL_S


def has_contract_of_35(policy: Json) -> bool:
    """Whether the policy has the ten identity fields, no more, and the rule against forged headers."""
    rules = get_in(policy, "spec", "defaults", "rules", default={})
    fields = get_in(rules, "response", "success", "filters", "identity", "json", "properties", default={})
    denies = get_in(rules, "authorization", "deny-client-identity-headers") is not None
    return set(fields) == set(IDENTITY) and denies


class Access(Player):
    """MaaSAuthPolicies of 3.5: finalizer, status, and the repair of the gateway's AuthPolicy when one changes."""

    name = "maas-auth-policies"
    manager = annotations.MAAS_MANAGER
    kinds: ClassVar[tuple[Kind, ...]] = (MAAS_AUTH_POLICY, MAAS_TENANT_CONFIG, AUTH_POLICY, CONFIG, DEPLOYMENT)
    release: ClassVar[str] = "3.5"

    def __init__(self, context: PlayerContext) -> None:
        super().__init__(context)
        self._repaired: dict[str, int] = {}

    def reconcile(self) -> None:
        """Look at every MaaSAuthPolicy in a tenant's namespace."""
        tenants = {config["metadata"]["namespace"] for config in self.view.list(MAAS_TENANT_CONFIG)}
        policies = self.view.list(MAAS_AUTH_POLICY)
        self.each([found for found in policies if found["metadata"]["namespace"] in tenants], self._drive)

    def policy_spec(self, tenant: Tenancy) -> Json:
        """Return the AuthPolicy of the tenant's gateway."""
        return gateway_auth_policy(tenant, self.view)

    def is_current(self, live: Json) -> bool:
        """Whether a live AuthPolicy says what this release writes."""
        return has_contract_of_35(live)

    def status_of(self, policy: Json) -> Json:
        """Return the status of a MaaSAuthPolicy, without its conditions."""
        del policy
        return {"phase": "Active"}

    def _drive(self, policy: Json) -> None:
        held = policy["metadata"].get("finalizers") or []
        if policy["metadata"].get("deletionTimestamp"):
            left = [name for name in held if name != annotations.AUTHPOLICY_CLEANUP_FINALIZER]
            self.ensure_patched(MAAS_AUTH_POLICY, policy, {"metadata": {"finalizers": left or None}})
            return
        if annotations.AUTHPOLICY_CLEANUP_FINALIZER not in held:
            body = {"metadata": {"finalizers": [*held, annotations.AUTHPOLICY_CLEANUP_FINALIZER]}}
            policy = self.ensure_patched(MAAS_AUTH_POLICY, policy, body)
        self._repair(policy)
        generation = policy["metadata"].get("generation", 1)
        new = [
            condition("Ready", "True", "Reconciled", "successfully reconciled", generation=generation),
            condition("ConflictingAuthPolicy", "False", "NoConflict", "no conflict", generation=generation),
        ]
        old = (policy.get("status") or {}).get("conditions")
        for entry in new:
            entry["message"] = _words(old, entry)
        status = {**self.status_of(policy), "conditions": merged_conditions(old, new, self.now())}
        self.ensure_status(MAAS_AUTH_POLICY, policy, status)

    def _repair(self, policy: Json) -> None:
        key = policy["metadata"]["uid"]
        generation = policy["metadata"].get("generation", 1)
        if self._repaired.get(key) == generation:
            return
        config = self.view.get(MAAS_TENANT_CONFIG, policy["metadata"]["namespace"], resources.TENANT_CONFIG_NAME)
        owner = self.view.get(CONFIG, "", resources.CONFIG_NAME)
        if config is None or owner is None:
            return
        try:
            desired = self.policy_spec(tenancy_of(self.view, config, owner, self.release))
        except (GatewayError, naming.TenantIdentityError):
            return  # The tenant's own reconciler says so in its status.
        live = self.view.get(AUTH_POLICY, desired["metadata"]["namespace"], desired["metadata"]["name"])
        opted_out = live is not None and annotations.is_opted_out(live["metadata"].get("annotations") or {})
        if live is not None and not opted_out and not self.is_current(live):
            self.replace_spec(AUTH_POLICY, live, desired)
        self._repaired[key] = generation


def _words(old: Any, entry: Json) -> str:
    for before in old or []:
        if isinstance(before, dict) and before.get("type") == entry["type"] and before.get("status") == entry["status"]:
            return str(before.get("message", ""))
    return str(entry["message"])


def _authentication() -> Json:
    key = {"operator": "matches", "selector": "request.headers.authorization", "value": "^Bearer sk-oai-.*"}
    return {
        "api-keys": {"priority": 0, "plain": {"selector": "request.headers.authorization"}, "when": [key]},
        "openshift-identities": {
            "priority": 2,
            "kubernetesTokenReview": {"audiences": ["https://kubernetes.default.svc"]},
            "when": [{"predicate": '!request.headers.authorization.startsWith("Bearer sk-oai-")'}],
        },
    }


def _metadata(tenant: Tenancy, ttl_s: int) -> Json:
    root = f"https://{tenant.named(naming.MAAS_API)}.{tenant.infra_namespace}.svc.cluster.local:8443/internal/v1"
    return {
        "apiKeyValidation": _call(
            f"{root}/api-keys/validate", "{'key': request.headers.authorization}", ttl_s, 0, _HAS_KEY
        ),
        "subscription-info": _call(
            f"{root}/subscriptions/select",
            "{'user': auth.identity.user.username, 'model': request.path}",
            ttl_s,
            1,
            _ASKS_FOR_MODEL,
        ),
    }


def _call(url: str, body: str, ttl_s: int, priority: int, when: str) -> Json:
    return {
        "priority": priority,
        "when": [{"predicate": when}],
        "cache": {"key": {"selector": "request.headers.authorization"}, "ttl": ttl_s},
        "http": {"url": url, "method": "POST", "contentType": "application/json", "body": {"expression": body}},
    }


def _authorization(ttl_s: int) -> Json:
    cache = {"key": {"selector": "request.headers.authorization"}, "ttl": ttl_s}
    rules = {
        name: {"priority": 0, "cache": cache, "opa": {"allValues": False, "rego": f"allow {{ {rule} }}"}}
        for name, rule in (
            ("auth-valid", "input.auth.identity"),
            ("require-group-membership", "count(input.auth.identity.user.groups) > 0"),
            ("subscription-valid", 'input.auth.metadata["subscription-info"].name'),
        )
    }
    for name in ("require-group-membership", "subscription-valid"):
        rules[name]["when"] = [{"predicate": _ASKS_FOR_MODEL}]
    denied = [{"predicate": f'!("{header}" in request.headers)'} for header in DENIED_HEADERS]
    rules["deny-client-identity-headers"] = {"priority": 0, "patternMatching": {"patterns": denied}}
    return rules


def _response() -> Json:
    properties = {name: {"expression": expression} for name, expression in IDENTITY.items()}
    return {
        "success": {
            "filters": {"identity": {"priority": 0, "metrics": True, "json": {"properties": properties}}},
            "headers": _headers(),
        },
        "unauthenticated": {"code": 401, "message": {"value": "Authentication required"}},
        "unauthorized": {
            "code": 403,
            "body": {"expression": "auth.identity.subscription_error_message"},
            "headers": {
                "content-type": {"value": "text/plain"},
                "x-ext-auth-reason": {"expression": "auth.identity.subscription_error"},
            },
        },
    }


def _headers() -> Json:
    """Return the headers that are injected: user and group from a key or from a token, and the subscription."""

    def header(when: str, priority: int = 0, key: str = "", **plain: str) -> Json:
        made: Json = {"priority": priority, "plain": plain, "when": [{"predicate": when}]}
        return {**made, "key": key} if key else made

    return {
        "X-MaaS-Username": header(_HAS_KEY, selector="auth.identity.userid"),
        "X-MaaS-Group": header(_HAS_KEY, expression="auth.identity.groups_str"),
        "X-MaaS-Username-Token": header(_HAS_TOKEN, 1, "X-MaaS-Username", expression="auth.identity.userid"),
        "X-MaaS-Group-Token": header(_HAS_TOKEN, 1, "X-MaaS-Group", expression="auth.identity.groups_str"),
        "X-MaaS-Subscription": header(
            "has(auth.identity.selected_subscription)", expression=IDENTITY["selected_subscription"]
        ),
    }
