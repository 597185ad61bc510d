"""
AITenants and the Config: what maas-controller sets up before a tenant's platform. Used by 3.5 and 3.6 alike.

Source: contract 1.7, 1.8, 2.2, 2.3, 7.6.
"""

import hashlib
import json
from typing import ClassVar, Final

from migrate.maas import annotations, resources
from migrate.maas.resources import (
    AI_TENANT,
    CONFIG,
    CONFIG_MAP,
    GATEWAY,
    MAAS_TENANT_CONFIG,
    NAMESPACE,
    PERSES_DASHBOARD,
    Kind,
)
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.refusals import AlreadyExistsError
from migrate.sandbox.controllers.shapes import condition, is_true, merged_conditions
from migrate.sandbox.controllers.tenancy import infra_namespace, monitoring_namespace
from migrate.sandbox.controllers.workloads import owner_reference

BOOTSTRAPPED: Final = "maas.opendatahub.io/default-aitenant-bootstrapped"
CREATED_BY_AITENANT: Final = "maas.opendatahub.io/created-by-aitenant"
GATEWAY_CLAIM: Final = "maas.opendatahub.io/gateway-claim"
GENERATED: Final = "opendatahub.io/generated-namespace"
GATEWAY_SELECTORS: Final = "maas.opendatahub.io/gateway-selector-labels"
"""Which Gateways want which label on the namespace of maas-api, as JSON."""


class AITenants(Player):
    """Each AITenant gets its namespace, its claim on a gateway and its MaasTenantConfig."""

    name = "maas-aitenants"
    manager = annotations.MAAS_MANAGER
    kinds: ClassVar[tuple[Kind, ...]] = (
        AI_TENANT,
        CONFIG,
        MAAS_TENANT_CONFIG,
        NAMESPACE,
        GATEWAY,
        CONFIG_MAP,
    )

    def reconcile(self) -> None:
        """Set up the default tenant once, then see to every AITenant."""
        config = self.view.get(CONFIG, "", resources.CONFIG_NAME)
        if config is not None and not config["metadata"].get("deletionTimestamp"):
            self.attempt(lambda: self._bootstrap(config))
        self.each(self.view.list(AI_TENANT, resources.AITENANT_NAMESPACE), self._drive)

    def seed_annotations(self) -> Json:
        """Return further annotations of a new MaasTenantConfig; 3.5 has none."""
        return {}

    def mirrored(self, tenant: Json) -> Json:
        """Return annotations that the AITenant decides, null for those that go; 3.5 mirrors none."""
        del tenant
        return {}

    def _bootstrap(self, config: Json) -> None:
        if (config["metadata"].get("annotations") or {}).get(BOOTSTRAPPED) == "true":
            return
        self._namespace(resources.AITENANT_NAMESPACE, {annotations.PART_OF: "maas-controller"}, {})
        default = {
            "apiVersion": AI_TENANT.api_version,
            "kind": AI_TENANT.kind,
            "metadata": {"name": resources.DEFAULT_TENANT_NAME, "namespace": resources.AITENANT_NAMESPACE},
            "spec": {"gateway": {"name": resources.DEFAULT_GATEWAY}},
        }
        if self._live(AI_TENANT, default) is None:
            self.ensure(AI_TENANT, default)
        self.ensure_patched(CONFIG, config, {"metadata": {"annotations": {BOOTSTRAPPED: "true"}}})

    def _drive(self, tenant: Json) -> None:
        if tenant["metadata"].get("deletionTimestamp"):
            self._take_down(tenant)
            return
        tenant = self._hold(tenant)
        self._claim(tenant)
        self._namespace(namespace_of(tenant), self._labels(tenant), self._origin(tenant))
        config = self._config(tenant)
        self._open_infra(tenant)
        self._tell(tenant, config)

    def _hold(self, tenant: Json) -> Json:
        held = tenant["metadata"].get("finalizers") or []
        body: Json = {}
        if annotations.AITENANT_CLEANUP_FINALIZER not in held:
            body["finalizers"] = [*held, annotations.AITENANT_CLEANUP_FINALIZER]
        owners = self._owners(tenant)
        if owners and not tenant["metadata"].get("ownerReferences"):
            body["ownerReferences"] = owners
        return self.ensure_patched(AI_TENANT, tenant, {"metadata": body}) if body else tenant

    def _owners(self, tenant: Json) -> list[Json]:
        config = self.view.get(CONFIG, "", resources.CONFIG_NAME)
        if config is None or tenant["metadata"]["name"] != resources.DEFAULT_TENANT_NAME:
            return []
        return [owner_reference(CONFIG, config, controller=False, block=False)]

    def _claim(self, tenant: Json) -> None:
        gateway = gateway_name(tenant)
        claims = self.view.list(CONFIG_MAP, resources.AITENANT_NAMESPACE)
        if any(((found.get("data") or {}).get("gatewayName")) == gateway for found in claims):
            return
        namespace = gateway_namespace(tenant)
        digest = hashlib.sha256(f"{namespace}/{gateway}".encode()).hexdigest()[:32]
        marks = {**self._origin(tenant)}
        marks.pop(CREATED_BY_AITENANT)
        self.ensure(
            CONFIG_MAP,
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": f"gateway-claim-{digest}",
                    "namespace": resources.AITENANT_NAMESPACE,
                    "labels": {
                        annotations.MANAGED_BY: annotations.MAAS_CONTROLLER,
                        annotations.MANAGED_BY_AITENANT: "true",
                        GATEWAY_CLAIM: "true",
                    },
                    "annotations": marks,
                    "ownerReferences": [owner_reference(AI_TENANT, tenant)],
                },
                "data": {"gatewayName": gateway, "gatewayNamespace": namespace},
            },
        )

    def _namespace(self, name: str, labels: Json, marks: Json) -> None:
        labels = {**labels, annotations.MANAGED_BY: annotations.MAAS_CONTROLLER}
        live = self.view.get(NAMESPACE, "", name)
        if live is not None:
            if annotations.MANAGED_BY_AITENANT in labels:
                self.ensure_patched(NAMESPACE, live, {"metadata": {"labels": labels}})
            return
        metadata: Json = {"name": name, "labels": {**labels, GENERATED: "true"}}
        if marks:
            metadata["annotations"] = marks
        try:
            self.ensure(NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        except AlreadyExistsError:
            return  # Made a moment ago by somebody else; the next pass labels it.

    def _labels(self, tenant: Json) -> Json:
        name = tenant["metadata"]["name"]
        return {
            annotations.GATEWAY_TENANT: name,
            annotations.MANAGED_BY: annotations.MAAS_CONTROLLER,
            annotations.PART_OF: "modelsasservice",
            annotations.GATEWAY_ACCESS: "true",
            annotations.MANAGED_BY_AITENANT: "true",
            annotations.TENANT_NAME: name,
            annotations.TENANT_NAMESPACE: namespace_of(tenant),
        }

    def _origin(self, tenant: Json) -> Json:
        return {
            annotations.AITENANT_NAME: tenant["metadata"]["name"],
            annotations.AITENANT_NAMESPACE: tenant["metadata"]["namespace"],
            CREATED_BY_AITENANT: "true",
        }

    def _config(self, tenant: Json) -> Json:
        marks = self._origin(tenant)
        marks.pop(CREATED_BY_AITENANT)
        metadata: Json = {
            "name": resources.TENANT_CONFIG_NAME,
            "namespace": namespace_of(tenant),
            "labels": self._labels(tenant),
            "annotations": marks,
        }
        metadata |= {"ownerReferences": owners} if (owners := self._owners(tenant)) else {}
        desired = {
            "apiVersion": MAAS_TENANT_CONFIG.api_version,
            "kind": MAAS_TENANT_CONFIG.kind,
            "metadata": metadata,
            "spec": {},
        }
        live = self._live(MAAS_TENANT_CONFIG, desired)
        mirrored = self.mirrored(tenant)
        if live is None:
            said = {key: value for key, value in mirrored.items() if value is not None}
            metadata["annotations"] = {**marks, **self.seed_annotations(), **said}
        else:
            metadata["annotations"] = {**marks, **mirrored}
        return self.ensure(MAAS_TENANT_CONFIG, desired)

    def _open_infra(self, tenant: Json) -> None:
        gateway = self.view.get(GATEWAY, gateway_namespace(tenant), gateway_name(tenant))
        infra = self.view.get(NAMESPACE, "", infra_namespace(self.view))
        listeners = (((gateway or {}).get("spec") or {}).get("listeners")) or []
        wanted: Json = {}
        for listener in listeners:
            namespaces = (listener.get("allowedRoutes") or {}).get("namespaces") or {}
            wanted |= (namespaces.get("selector") or {}).get("matchLabels") or {}
        if infra is not None and wanted:
            marks = {GATEWAY_SELECTORS: _with_gateway(infra, wanted, gateway_name(tenant))}
            self.ensure_patched(
                NAMESPACE, infra, {"metadata": {"labels": {**wanted, GENERATED: "true"}, "annotations": marks}}
            )

    def _tell(self, tenant: Json, config: Json) -> None:
        generation = tenant["metadata"].get("generation", 1)
        old = (tenant.get("status") or {}).get("conditions")
        message = next((str(entry.get("message", "")) for entry in old or [] if entry.get("type") == "Ready"), "")
        # The AITenant is set up once its platform was; later trouble there does not take that back.
        done = is_true(config, "Ready") or is_true(tenant, "Ready")
        told = ("True", "Reconciled", message) if done else ("False", "Reconciling", "")
        new = [condition("Ready", *told, generation=generation)]
        status = {
            "phase": "Active" if done else "Pending",
            "tenantNamespace": namespace_of(tenant),
            "gatewayRef": {"name": gateway_name(tenant), "namespace": gateway_namespace(tenant)},
            "conditions": merged_conditions(old, new, self.now()),
        }
        self.ensure_status(AI_TENANT, tenant, status)

    def _take_down(self, tenant: Json) -> None:
        held = tenant["metadata"].get("finalizers") or []
        if annotations.AITENANT_CLEANUP_FINALIZER not in held:
            return
        name = namespace_of(tenant)
        config = self.view.get(MAAS_TENANT_CONFIG, name, resources.TENANT_CONFIG_NAME)
        if config is not None:
            self.remove(MAAS_TENANT_CONFIG, config)
            self.timers.hold(name, 5, pending=True)
            return
        left = [mark for mark in held if mark != annotations.AITENANT_CLEANUP_FINALIZER]
        self.ensure_patched(AI_TENANT, tenant, {"metadata": {"finalizers": left or None}})


class UsageDashboards(Player):
    """The Prometheus usage dashboard: 3.5 always has it; 3.6 subclasses this."""

    name = "maas-dashboards"
    manager = annotations.MAAS_CONTROLLER
    kinds: ClassVar[tuple[Kind, ...]] = (CONFIG, PERSES_DASHBOARD, NAMESPACE)

    def reconcile(self) -> None:
        """Make the dashboard when it is wanted and missing."""
        config = self.view.get(CONFIG, "", resources.CONFIG_NAME)
        if config is None or not self.view.is_served(PERSES_DASHBOARD):
            return
        namespace = monitoring_namespace(self.view)
        live = self.view.get(PERSES_DASHBOARD, namespace, resources.USAGE_DASHBOARD)
        wanted = self.is_wanted(config) and self.view.get(NAMESPACE, "", namespace) is not None
        if live is None and wanted:
            self.ensure_applied(PERSES_DASHBOARD, usage_dashboard(config, namespace))
        elif live is not None and not self.is_wanted(config) and _is_ours(live):
            self.remove(PERSES_DASHBOARD, live)

    def is_wanted(self, config: Json) -> bool:
        """Whether the dashboard should be there."""
        return bool(config)


def usage_dashboard(config: Json, namespace: str) -> Json:
    """Return the dashboard, owned by the Config."""
    query = {"kind": "PrometheusTimeSeriesQuery", "spec": {"query": "sum by (subscription) (authorized_hits)"}}
    panel = {"kind": "Panel", "spec": {"queries": [{"kind": "TimeSeriesQuery", "spec": {"plugin": query}}]}}
    return {
        "apiVersion": PERSES_DASHBOARD.api_version,
        "kind": PERSES_DASHBOARD.kind,
        "metadata": {
            "name": resources.USAGE_DASHBOARD,
            "namespace": namespace,
            "labels": {
                annotations.COMPONENT: "perses",
                annotations.MANAGED_BY: "maas-observability",
                annotations.PART_OF: "models-as-a-service",
                "app.opendatahub.io/modelsasservice": "true",
            },
            "ownerReferences": [owner_reference(CONFIG, config)],
        },
        "spec": {"duration": "1h", "panels": {"usage": panel}},
    }


def _with_gateway(infra: Json, labels: Json, gateway: str) -> str:
    """Return the annotation of the namespace of maas-api with *gateway* among those that want *labels*."""
    told = json.loads((infra["metadata"].get("annotations") or {}).get(GATEWAY_SELECTORS) or "{}")
    wanted = {**told, **{label: sorted({*told.get(label, []), gateway}) for label in labels}}
    return json.dumps(wanted, sort_keys=True, separators=(",", ":"))


def namespace_of(tenant: Json) -> str:
    """Return the namespace of an AITenant's tenant."""
    name = str(tenant["metadata"]["name"])
    told = str((tenant.get("status") or {}).get("tenantNamespace", ""))
    default = name == resources.DEFAULT_TENANT_NAME
    return told or (resources.DEFAULT_TENANT_NAMESPACE if default else f"{resources.TENANT_NAMESPACE_PREFIX}{name}")


def gateway_name(tenant: Json) -> str:
    """Return the name of the Gateway that an AITenant asks for: by default its own."""
    asked = ((tenant.get("spec") or {}).get("gateway") or {}).get("name")
    return str(asked or tenant["metadata"]["name"])


def gateway_namespace(tenant: Json) -> str:
    """Return the namespace of that Gateway: as the status tells it already, else the controller's configured one."""
    told = ((tenant.get("status") or {}).get("gatewayRef") or {}).get("namespace")
    return str(told or resources.GATEWAY_NAMESPACE)


def _is_ours(dashboard: Json) -> bool:
    owners = dashboard["metadata"].get("ownerReferences") or []
    return any(owner.get("kind") == CONFIG.kind for owner in owners)
