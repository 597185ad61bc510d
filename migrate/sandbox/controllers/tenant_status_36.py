"""The status of a MaasTenantConfig as maas-controller 3.6 writes it. Pure. Source: contract 1.6, 4.8."""

from typing import Final

from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.shapes import condition, merged_conditions

ACCEPTED: Final = "CompatibilityRiskAccepted"
"""The reason of Degraded for an accepted risk. Source: contract 4.8, a ruling."""

READY_MESSAGE: Final = "MaaS platform manifests applied and maas-api deployment is available"


def degraded_condition(message: str, generation: int) -> Json:
    """Return the Degraded condition: True with *message* for an accepted risk, else False."""
    if message:
        return condition("Degraded", "True", ACCEPTED, message, generation=generation)
    return condition("Degraded", "False", "NoWarnings", generation=generation)


def early_status(config: KubeObject, reason: str, phase: str, message: str, now: str) -> Json:
    """Return the status of a tenant that fails a precondition: only Ready and phase move."""
    ready = condition("Ready", "False", reason, message, generation=config.generation)
    return {"phase": phase, "conditions": merged_conditions(config.get("status", "conditions"), [ready], now)}


def degraded_status(config: KubeObject, message: str, now: str) -> Json:
    """Return the status that records an accepted risk, before anything is deleted."""
    told = degraded_condition(message, config.generation)
    return {"conditions": merged_conditions(config.get("status", "conditions"), [told], now)}


def platform_status(
    config: KubeObject, stop: tuple[str, str, str] | None, degraded: str, infra_namespace: str, now: str
) -> Json:
    """
    Return the status after a pass over the platform.

    Args:
        config: As it is now.

        stop: Reason, phase and message of what keeps it from being Ready, or None.

        degraded: What is said of accepted risks.

        infra_namespace: Where maas-api runs.

        now: As Kubernetes writes it.
    """
    reason, phase, message = stop or ("Reconciled", "Degraded" if degraded else "Active", READY_MESSAGE)
    truth = "False" if stop else "True"
    available = reason if stop else "DeploymentsReady"
    told = "maas-api deployment and payload-processing EnvoyFilter are available" if not stop else message
    generation = config.generation
    conditions = [
        condition(
            "DependenciesAvailable",
            "True",
            "DependenciesMet",
            "AuthConfig CRD (Kuadrant) is available on the cluster",
            generation=generation,
        ),
        condition(
            "MaaSPrerequisitesAvailable",
            "True",
            "PrerequisitesMet",
            "All prerequisites are satisfied",
            generation=generation,
        ),
        condition("DeploymentsAvailable", truth, available, told, generation=generation),
        condition("Ready", truth, reason, message, generation=generation),
        degraded_condition(degraded, generation),
    ]
    return {
        "phase": phase,
        "infraNamespace": infra_namespace,
        "conditions": merged_conditions(config.get("status", "conditions"), conditions, now),
    }
