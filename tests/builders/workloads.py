"""Deployments and Pods."""

from typing import Any

from migrate.maas import annotations, resources
from migrate.records.objects import Json
from tests.builders.objects import an_object, changed, conditions, managed_by


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
