"""What an upgrade to 3.6 brings: CSV, InstallPlan, CRDs and the controllers' Deployments."""

import copy
import re
from typing import Final

from migrate.maas import annotations, resources
from migrate.records.objects import Json

NEW_VERSION: Final = "3.6.0"
NEW_CSV: Final = f"rhods-operator.{NEW_VERSION}"
INSTALL_PLAN_NAME: Final = "install-rhods-3-6-0"
_MAAS_CONTROLLER_IMAGE: Final = "registry.redhat.io/rhoai/odh-maas-controller-rhel9:v3.6"
_GATEWAY_CONTROLLER_IMAGE: Final = "registry.redhat.io/rhoai/odh-ai-gateway-controller-rhel9:v3.6"


def install_plan(namespace: str) -> Json:
    """Return the InstallPlan that waits for approval."""
    return {
        "apiVersion": resources.INSTALL_PLAN.api_version,
        "kind": resources.INSTALL_PLAN.kind,
        "metadata": {"name": INSTALL_PLAN_NAME, "namespace": namespace},
        "spec": {"approval": "Manual", "approved": False, "clusterServiceVersionNames": [NEW_CSV]},
    }


def new_csv(namespace: str, old: Json | None) -> Json:
    """Return the CSV of 3.6, which replaces *old*."""
    spec: Json = {"displayName": "Red Hat OpenShift AI", "version": NEW_VERSION}
    if old is not None:
        spec["replaces"] = old["metadata"]["name"]
    return {
        "apiVersion": resources.CLUSTER_SERVICE_VERSION.api_version,
        "kind": resources.CLUSTER_SERVICE_VERSION.kind,
        "metadata": {"name": NEW_CSV, "namespace": namespace, "labels": {annotations.CSV_LABEL: ""}},
        "spec": spec,
    }


def with_images(deployment: Json, version: str) -> list[Json]:
    """Return the containers of *deployment* with every 3.5 image, in ``image`` and in the environment, of *version*."""
    tag = ":v" + version.rpartition(".")[0]
    containers: list[Json] = copy.deepcopy(deployment["spec"]["template"]["spec"]["containers"])
    for container in containers:
        container["image"] = _retagged(container["image"], tag)
        for variable in container.get("env") or ():
            if str(variable.get("name", "")).startswith("RELATED_IMAGE_"):
                variable["value"] = _retagged(str(variable.get("value", "")), tag)
    return containers


def controller_deployment(namespace: str) -> Json:
    """Return maas-controller of 3.6, for a cluster that had none."""
    labels = {annotations.APP: resources.MAAS_CONTROLLER_DEPLOYMENT}
    return _deployment(namespace, resources.MAAS_CONTROLLER_DEPLOYMENT, labels, _MAAS_CONTROLLER_IMAGE)


def gateway_controller_deployment(namespace: str) -> Json:
    """Return ai-gateway-controller, which 3.5 does not have."""
    labels = {annotations.APP: resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT}
    return _deployment(namespace, resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT, labels, _GATEWAY_CONTROLLER_IMAGE)


def _deployment(namespace: str, name: str, labels: dict[str, str], image: str) -> Json:
    marked = {**labels, annotations.CONTROL_PLANE: name}
    return {
        "apiVersion": resources.DEPLOYMENT.api_version,
        "kind": resources.DEPLOYMENT.kind,
        "metadata": {"name": name, "namespace": namespace, "labels": marked},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": marked},
            "template": {
                "metadata": {"labels": marked},
                "spec": {"containers": [{"name": "manager", "image": image}]},
            },
        },
    }


def _retagged(image: str, tag: str) -> str:
    """Return *image* with *tag* in the place of its tag or digest; one without either stays."""
    return re.sub(r"(@sha256:[0-9a-f]+|:[^/:@]+)$", tag, image)
