"""What was found in a snapshot and what it means: findings, risks, tenants, subscriptions."""

from typing import Literal

import msgspec

from migrate.records.objects import ObjectRef, Record
from migrate.records.snapshot import ClusterIdentity

Impact = Literal["blocking", "risk", "advisory", "info"]
Decision = Literal["nothing-to-do", "proceed", "needs-acceptance", "blocked"]
Identity = Literal["legacy", "short", "unknown"]


class Finding(Record, kw_only=True):
    """
    One observation.

    Attributes:
        code: Stable, CamelCase, for scripts and for ``explain``.

        impact: ``blocking`` stops the tenant (or everything, when *tenant* is
            empty); ``risk`` needs the acceptance named in *risk*.

        object: What it is about, None for the cluster.

        tenant: The tenant's name, ``""`` for all.

        path: Field path in the object, ``""`` for the object as a whole.

        message: What is the case, with the observed value.

        resolution: The next move, imperative.

        source: The document that says so.

        risk: Id of the risk that accepts it, ``""`` when none does.

        unreadable: It stands for a refused or failed read.
    """

    code: str
    impact: Impact
    object: ObjectRef | None = None
    tenant: str = ""
    path: str = ""
    message: str
    resolution: str = ""
    source: str = ""
    risk: str = ""
    unreadable: bool = False


class Risk(Record, kw_only=True):
    """
    A risk that is at stake or was accepted.

    Attributes:
        id: As in ``--accept ID=REASON``.

        statement: What may be lost.

        at_stake: Whether anything found needs the acceptance.

        accepted: Whether the operator accepted it.

        reason: The operator's words.

        by: User and host that accepted.
    """

    id: str
    statement: str
    at_stake: bool = True
    accepted: bool = False
    reason: str = ""
    by: str = ""


class Options(Record, kw_only=True):
    """
    What the operator said before anything was judged; it decides the steps.

    Attributes:
        accepted: Accepted risks by id, with the operator's reason.

        by: User and host that accept.

        api_translation: What ``--api-translation`` asks for, by tenant; ``""`` stands for every tenant.

        only_tenants: The tenants named by ``--tenant``; none means all.
    """

    accepted: dict[str, str] = msgspec.field(default_factory=dict)
    by: str = ""
    api_translation: dict[str, bool] = msgspec.field(default_factory=dict)
    only_tenants: tuple[str, ...] = ()

    def translation_for(self, tenant: str) -> bool | None:
        """Return what is asked for *tenant*, None when nothing is."""
        return self.api_translation.get(tenant, self.api_translation.get(""))


class ConfigMapFacts(Record, kw_only=True):
    """The plugins ConfigMap of a tenant as judged; *uid* is empty when it is absent or unread."""

    namespace: str
    name: str
    uid: str = ""
    resource_version: str = ""
    verdict: str
    digest: str | None = None


class ApiTranslation(Record, kw_only=True):
    """
    ``spec.apiTranslation.enabled``: three states, None is absent.

    Attributes:
        before: As it is.

        after: As it will be after the run, whoever writes it.

        written_by: ``operator`` (it stands), ``us`` (``--api-translation``),
            ``controller`` (as foretold), ``""`` when it stays absent.
    """

    before: bool | None = None
    after: bool | None = None
    written_by: Literal["", "operator", "us", "controller"] = ""


class ModelBinding(Record, kw_only=True):
    """
    One provider reference of one external model.

    Attributes:
        object: The ExternalModel.

        active: Not deleting and weight not 0.

        qualified: Whether Praxis serves it as IPP did, with the translation as it will be set.

        needs_translation: Qualified only with translation on.

        reason: Why not, ``""`` when qualified.
    """

    object: ObjectRef
    provider: str
    api_format: str
    auth: str
    path: str
    host: str
    active: bool
    qualified: bool
    needs_translation: bool = False
    reason: str = ""


class TenantAssessment(Record, kw_only=True):
    """
    One tenant.

    Attributes:
        name: As for ``--tenant``: the default one is ``models-as-a-service``, others like their AITenant.

        namespace: Where its MaasTenantConfig lives.

        tenant_id: ``""`` for the default names, else the suffix.

        config: Its MaasTenantConfig.

        gateway: Its Gateway, None when it cannot be resolved.

        force: Whether the run sets the force annotation.

        extra_backups: Objects that are not called as a tenant's objects are and are lost all the same:
            the ConfigMap that IPP really runs from.

        lost: Differences of its plugins ConfigMap against the nearest baseline, one sentence each; what a
            forced flip loses.
    """

    name: str
    namespace: str
    tenant_id: str
    config: ObjectRef
    config_uid: str = ""
    gateway: ObjectRef | None = None
    config_map: ConfigMapFacts | None = None
    decision: Decision
    api_translation: ApiTranslation = ApiTranslation()
    force: bool = False
    external_models: tuple[ModelBinding, ...] = ()
    extra_backups: tuple[ObjectRef, ...] = ()
    lost: tuple[str, ...] = ()


class SubscriptionExpectation(Record, kw_only=True):
    """The identity that one subscription, by UID, must have after the run, and why."""

    namespace: str
    name: str
    uid: str
    expected: Identity
    why: str


class VersionSignal(Record, kw_only=True):
    """One signal of the platform's version: what was looked at, what it says (``3.5``, ``3.6``, ``""``)."""

    signal: str
    says: str
    evidence: str = ""


class Assessment(Record, kw_only=True):
    """
    All that the decisions rest on.

    Attributes:
        platform: ``3.5``, ``3.6``, ``in-transition`` or ``unknown``.

        generation: What kind of build it is: handshake and identity generation.

        tenants: Sorted by name.

        findings: Sorted by impact, code, object.
    """

    taken_at: str
    cluster: ClusterIdentity
    platform: Literal["3.5", "3.6", "in-transition", "unknown"]
    signals: tuple[VersionSignal, ...] = ()
    generation: str = ""
    tenants: tuple[TenantAssessment, ...] = ()
    subscriptions: tuple[SubscriptionExpectation, ...] = ()
    findings: tuple[Finding, ...] = ()
    risks: tuple[Risk, ...] = ()
    requests: dict[str, int] = msgspec.field(default_factory=dict)
