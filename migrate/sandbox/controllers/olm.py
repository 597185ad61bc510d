"""
OLM and the operator: an approved InstallPlan takes the cluster from 3.5 to 3.6.

In this order: CRDs, the Deployments of ai-gateway-controller and
maas-controller (the 3.5 player leaves, then the 3.6 players come), maas-api,
and last the versions that CSV, DataScienceCluster and DSCInitialization tell.
Every stage looks at the cluster, so a restart goes on where it stood.
Source: contract 4.8, 7.4.
"""

from collections.abc import Callable
from typing import ClassVar, Final

from migrate.maas import annotations, naming, resources, versions
from migrate.maas.resources import Kind
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers import registry
from migrate.sandbox.controllers.build_36 import as_built
from migrate.sandbox.controllers.olm_manifests import (
    NEW_CSV,
    NEW_VERSION,
    controller_deployment,
    gateway_controller_deployment,
    install_plan,
    new_csv,
    with_images,
)
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.crds import crds_of
from migrate.sandbox.crds.overlay import overlaid

STAGE_S: Final = 3.0
"""How long OLM takes between two stages, in the product's seconds."""

COMPLETE: Final = "Complete"
_OF_THE_PRODUCT: Final = (resources.MAAS_GROUP, resources.INFERENCE_GROUP)
OLD_PART: Final = "3.5"
NEW_PART: Final = "3.6"


class Olm(Player):
    """OLM and the operator, as far as an upgrade to 3.6 shows them."""

    name: ClassVar[str] = "olm"
    manager: ClassVar[str] = "rhods-operator"
    kinds: ClassVar[tuple[Kind, ...]] = (
        resources.INSTALL_PLAN,
        resources.CLUSTER_SERVICE_VERSION,
        resources.OLM_SUBSCRIPTION,
        resources.CRD,
        resources.DATA_SCIENCE_CLUSTER,
        resources.DSC_INITIALIZATION,
        resources.DEPLOYMENT,
        resources.MAAS_TENANT_CONFIG,
    )

    def reconcile(self) -> None:
        """Offer the upgrade, and carry it out once it is approved."""
        plans = [plan for plan in self.view.list(resources.INSTALL_PLAN) if is_for_36(plan)]
        if not plans and self.view.is_served(resources.INSTALL_PLAN) and self._installed(NEW_CSV) is None:
            self.attempt(self._offer)
        for plan in plans:
            if plan["spec"].get("approved") is True and (plan.get("status") or {}).get("phase") != COMPLETE:
                self._upgrade(plan)

    def _installed(self, name: str) -> Json | None:
        return next((csv for csv in self._csvs() if csv["metadata"]["name"] == name), None)

    def _csvs(self) -> list[Json]:
        return [
            csv
            for csv in self.view.list(resources.CLUSTER_SERVICE_VERSION)
            if annotations.CSV_LABEL in KubeObject(csv).labels
        ]

    def _offer(self) -> None:
        old = next(iter(self._csvs()), None)
        namespace = old["metadata"]["namespace"] if old else resources.OPERATOR_NAMESPACE
        if old is not None:
            self.ensure(resources.INSTALL_PLAN, install_plan(namespace))

    def _upgrade(self, plan: Json) -> None:
        """Do the stages in order, up to the first that is not over; a pause lies between two."""
        stages: tuple[Callable[[Json], bool], ...] = (
            self._begin,
            self._swap_crds,
            self._swap_controllers,
            self._roll_maas_api,
            self._tell_versions,
        )
        uid = plan["metadata"]["uid"]
        for number, stage in enumerate(stages):
            if not self.timers.elapsed((uid, number), STAGE_S) or not stage(plan):
                return

    def _begin(self, plan: Json) -> bool:
        self.ensure_status(resources.INSTALL_PLAN, plan, {"phase": "Installing"})
        namespace = plan["metadata"]["namespace"]
        if self._installed(NEW_CSV) is None:
            old = next(iter(self._csvs()), None)
            made = self.ensure(resources.CLUSTER_SERVICE_VERSION, new_csv(namespace, old))
            self.ensure_status(resources.CLUSTER_SERVICE_VERSION, made, {"phase": "Installing"})
        return True

    def _swap_crds(self, _plan: Json) -> bool:
        before = {crd["metadata"]["name"]: crd for crd in crds_of(OLD_PART)}
        definitions = as_built(crds_of(NEW_PART), self.context.build)
        for crd in (crd for crd in definitions if crd["spec"]["group"] in _OF_THE_PRODUCT):
            name = crd["metadata"]["name"]
            live = self.view.get(resources.CRD, "", name)
            if live is None:
                self.ensure(resources.CRD, crd)
                continue
            wanted = overlaid(live, before.get(name, crd), crd)
            if not _says_the_same(live, wanted):
                metadata = {**live["metadata"], "managedFields": None}
                self._keep(resources.CRD, self.client.update(resources.CRD, {**wanted, "metadata": metadata}))
        return True

    def _swap_controllers(self, _plan: Json) -> bool:
        """Roll both controllers; the 3.5 players leave before, the 3.6 players come after."""
        troupe = self.context.troupe
        coming = registry.cast(NEW_PART, self.context)
        leaving = self._names(OLD_PART)
        playing = {player.name for player in troupe.players}
        if playing & ({player.name for player in coming} - leaving):
            return True
        troupe.remove(*leaving)
        old = self._deployment(resources.MAAS_CONTROLLER_DEPLOYMENT)
        where = old["metadata"]["namespace"] if old else resources.APPLICATIONS_NAMESPACE
        rolled = (
            self.ensure(resources.DEPLOYMENT, gateway_controller_deployment(where)),
            self._renewed(old) if old else self.ensure(resources.DEPLOYMENT, controller_deployment(where)),
        )
        if not all(is_rolled_out(deployment) for deployment in rolled):
            return False
        troupe.add(*coming)
        return True

    def _names(self, part: str) -> set[str]:
        return {player.name for player in registry.cast(part, self.context)}

    def _renewed(self, deployment: Json) -> Json:
        containers = with_images(deployment, NEW_VERSION)
        body = {"spec": {"template": {"spec": {"containers": containers}}}}
        return self.ensure_patched(resources.DEPLOYMENT, deployment, body)

    def _roll_maas_api(self, _plan: Json) -> bool:
        """Wait for maas-controller, which renders maas-api anew."""
        found = [
            deployment
            for deployment in self.view.list(resources.DEPLOYMENT)
            if deployment["metadata"]["name"] == naming.MAAS_API
            or deployment["metadata"]["name"].startswith(f"{naming.MAAS_API}-")
        ]
        return all(is_rolled_out(deployment) and _is_release_36(deployment) for deployment in found)

    def _tell_versions(self, plan: Json) -> bool:
        namespace = plan["metadata"]["namespace"]
        for csv in self._csvs():
            if csv["metadata"]["name"] == NEW_CSV:
                self.ensure_status(resources.CLUSTER_SERVICE_VERSION, csv, {"phase": "Succeeded"})
            else:
                self.remove(resources.CLUSTER_SERVICE_VERSION, csv)
        for kind in (resources.DATA_SCIENCE_CLUSTER, resources.DSC_INITIALIZATION):
            for thing in self.view.list(kind):
                self.ensure_status(self.view.served(kind), thing, {"release": {"version": NEW_VERSION}})
        for subscription in self.view.list(resources.OLM_SUBSCRIPTION, namespace):
            told = {"installedCSV": NEW_CSV, "currentCSV": NEW_CSV, "state": "AtLatestKnown"}
            self.ensure_status(resources.OLM_SUBSCRIPTION, subscription, told)
        live = self.view.get(resources.INSTALL_PLAN, namespace, plan["metadata"]["name"]) or plan
        self.ensure_status(resources.INSTALL_PLAN, live, {"phase": COMPLETE})
        return True

    def _deployment(self, name: str) -> Json | None:
        found = (thing for thing in self.view.list(resources.DEPLOYMENT) if thing["metadata"]["name"] == name)
        return next(found, None)


def cast(context: PlayerContext) -> list[Player]:
    """Return OLM."""
    return [Olm(context)]


def is_for_36(plan: Json) -> bool:
    """Return whether an InstallPlan brings OpenShift AI 3.6."""
    names = (plan.get("spec") or {}).get("clusterServiceVersionNames")
    return isinstance(names, list) and any(versions.release_of(name) == versions.RHOAI_36 for name in names)


def is_rolled_out(deployment: Json) -> bool:
    """Return whether every Pod of a Deployment is of its current generation and available."""
    wanted = (deployment.get("spec") or {}).get("replicas", 1)
    status = deployment.get("status") or {}
    seen = int(status.get("observedGeneration", 0)) >= int(deployment["metadata"].get("generation", 0))
    return seen and all(status.get(key, 0) == wanted for key in ("updatedReplicas", "availableReplicas"))


def _is_release_36(deployment: Json) -> bool:
    containers = deployment["spec"]["template"]["spec"]["containers"]
    return all(
        versions.release_of(container["image"].rpartition(":")[2]) != versions.RHOAI_35 for container in containers
    )


def _says_the_same(live: Json, crd: Json) -> bool:
    """Return whether a live CRD holds the schemas of *crd*; the server's defaults around them do not count."""
    schemas = [[version.get("schema") for version in thing["spec"]["versions"]] for thing in (live, crd)]
    return bool(schemas[0] == schemas[1])
