"""Which release runs, by every signal there is, and whether the platform under it is new enough."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from migrate.changes.findings import finding
from migrate.changes.platform.reading import absent, application_namespaces, controller_of, found, listed, served
from migrate.changes.platform.tenants import TenantView
from migrate.maas import annotations, naming, rate_limits, resources, versions
from migrate.maas.resources import Kind
from migrate.records.assessment import Finding, VersionSignal
from migrate.records.objects import KubeObject, get_in
from migrate.records.snapshot import Snapshot

Platform = Literal["3.5", "3.6", "in-transition", "unknown"]

MIXED: Final = "mixed"
"""What a signal says that is half one release and half the other."""
WEAK: Final = frozenset({"image of maas-controller"})
"""Signals that decide only where no other says anything. Source: contract §7.4, "so 8 is weak"."""

_GATEWAY_CONTROLLER: Final = resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT
_KNOWN: Final = frozenset({versions.RHOAI_35, versions.RHOAI_36, MIXED})
_FIELDS: Final[tuple[tuple[Kind, tuple[tuple[str, ...], ...]], ...]] = (
    (resources.CONFIG, (("spec", versions.USAGE_DASHBOARD_FIELD),)),
    (
        resources.MAAS_SUBSCRIPTION,
        (("spec", versions.RATE_LIMIT_IDENTITY_FIELD), ("status", versions.RATE_LIMIT_IDENTITY_FIELD)),
    ),
    (resources.MAAS_TENANT_CONFIG, (("spec", versions.API_TRANSLATION_FIELD),)),
)


def signals_of(snapshot: Snapshot, tenants: tuple[TenantView, ...]) -> tuple[VersionSignal, ...]:
    """
    Return every signal of the release, in order of trust.

    *says* is ``3.5``, ``3.6``, ``mixed``, another release, or ``""`` where it says nothing. Source: contract §7.4.
    """
    running = (
        *_releases(snapshot, resources.DATA_SCIENCE_CLUSTER),
        *_releases(snapshot, resources.DSC_INITIALIZATION),
        *_operator(snapshot),
        *_controller(snapshot),
    )
    is_36 = _all_say_36(running)
    return (
        *running,
        *_crds(snapshot, is_36=is_36),
        *_image(snapshot),
        *_policies(snapshot, tenants, id_expected=not is_36 or _knows_identity(snapshot)),
    )


def _all_say_36(running: tuple[VersionSignal, ...]) -> bool:
    """
    Return whether everything that runs is 3.6, ai-gateway-controller included.

    CRDs come before controllers in an upgrade, so a field that is still missing then is not late: the build is one
    from before the product page. Source: contract §0.2, §4.8, §10 row 3.
    """
    said = {signal.says for signal in running if signal.says}
    return said == {versions.RHOAI_36} and any(signal.signal == _GATEWAY_CONTROLLER for signal in running)


def _knows_identity(snapshot: Snapshot) -> bool:
    crd = found(snapshot, resources.CRD, "", resources.MAAS_SUBSCRIPTION.crd_name)
    return crd is not None and versions.crd_has_field(crd, "status", versions.RATE_LIMIT_IDENTITY_FIELD)


def platform_of(signals: tuple[VersionSignal, ...]) -> Platform:
    """Return the release that all signals agree on, else why there is none."""
    said = {signal.says for signal in signals if signal.says and signal.signal not in WEAK}
    said = said or {signal.says for signal in signals if signal.says}
    if not said or said - _KNOWN:
        return "unknown"
    if said == {versions.RHOAI_35}:
        return "3.5"
    return "3.6" if said == {versions.RHOAI_36} else "in-transition"


def assess_release(platform: Platform, signals: tuple[VersionSignal, ...]) -> tuple[Finding, ...]:
    """Return what stands in the way when the release is not one of the two that are known."""
    heard = "; ".join(f"{signal.signal} says {signal.says} ({signal.evidence})" for signal in signals if signal.says)
    others = sorted({signal.says for signal in signals if signal.says} - _KNOWN)
    if platform == "in-transition":
        return (
            finding(
                "PlatformInTransition",
                f"the signals of the release contradict each other: {heard}",
                resolution="Wait until the operator's upgrade is over, then run this again.",
            ),
        )
    if others:
        return (
            finding(
                "PlatformNotSupported",
                f"OpenShift AI {', '.join(others)} runs here; this migration leads from 3.5 to 3.6: {heard}",
                resolution="Use a release of this program that knows this version.",
            ),
        )
    if platform == "unknown":
        return (
            finding(
                "PlatformUnknown",
                "no signal says whether 3.5 or 3.6 runs: no DataScienceCluster, no operator, no CRD of MaaS was found",
                resolution="Point this program at a cluster where Models-as-a-Service is installed.",
            ),
        )
    return ()


def _releases(snapshot: Snapshot, kind: Kind) -> Iterator[VersionSignal]:
    for thing in listed(snapshot, kind):
        name, version = thing.get("status", "release", "name"), thing.get("status", "release", "version")
        if version:
            # Open Data Hub counts its versions differently: its releases say nothing here.
            says = "" if versions.is_open_data_hub(name) else _short(version)
            yield VersionSignal(signal=f"release of {thing.kind}", says=says, evidence=f"{name} {version}")


def _short(version: Any) -> str:
    parsed = versions.parse_version(version)
    return f"{parsed[0]}.{parsed[1]}" if parsed else ""


def _operator(snapshot: Snapshot) -> Iterator[VersionSignal]:
    for thing in listed(snapshot, resources.CLUSTER_SERVICE_VERSION):
        if annotations.CSV_LABEL in thing.labels:
            version, phase = thing.get("spec", "version"), thing.get("status", "phase")
            # One that is being installed or replaced counts as well: two of them contradict each other.
            yield VersionSignal(
                signal="ClusterServiceVersion", says=_short(version), evidence=f"{thing.name} is {phase}"
            )


def _controller(snapshot: Snapshot) -> Iterator[VersionSignal]:
    name = resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT
    deployment = controller_of(snapshot, name)
    if deployment is not None:
        yield VersionSignal(signal=_GATEWAY_CONTROLLER, says=versions.RHOAI_36, evidence=f"{deployment.ref} is there")
    elif controller_of(snapshot) is not None and all(
        absent(snapshot, resources.DEPLOYMENT, namespace, name) for namespace in application_namespaces(snapshot)
    ):
        yield VersionSignal(signal=_GATEWAY_CONTROLLER, says=versions.RHOAI_35, evidence=f"no Deployment {name}")


def _crds(snapshot: Snapshot, *, is_36: bool) -> Iterator[VersionSignal]:
    for kind, paths in _FIELDS:
        crd = found(snapshot, resources.CRD, "", kind.crd_name)
        if crd is None or versions.crd_is_open(crd) or not versions.schema_of(crd):
            continue
        known = [path for path in paths if versions.crd_has_field(crd, *path)]
        says = versions.RHOAI_36 if len(known) == len(paths) else MIXED if known else versions.RHOAI_35
        words = " and ".join(".".join(path) for path in paths)
        verb = "has" if says == versions.RHOAI_36 else "has a part of" if known else "lacks"
        older = is_36 and not known
        note = ", as builds of 3.6 from before the product page do" if older else ""
        yield VersionSignal(signal=f"CRD of {kind.kind}", says="" if older else says, evidence=f"{verb} {words}{note}")


def _image(snapshot: Snapshot) -> Iterator[VersionSignal]:
    controller = controller_of(snapshot)
    containers = controller.get("spec", "template", "spec", "containers") if controller is not None else None
    for container in containers if isinstance(containers, list) else ():
        image = get_in(container, "image")
        tag = image.rpartition("/")[2].partition("@")[0].partition(":")[2] if isinstance(image, str) else ""
        if tag:
            yield VersionSignal(signal="image of maas-controller", says=versions.release_of(tag), evidence=image)


def _policies(snapshot: Snapshot, tenants: tuple[TenantView, ...], *, id_expected: bool) -> Iterator[VersionSignal]:
    heard: dict[str, list[str]] = {}
    auth = [entry for entry in _auth_policies(snapshot, tenants) if id_expected or entry[0] == versions.RHOAI_36]
    for says, name in (*auth, *_limit_policies(snapshot)):
        heard.setdefault(says, []).append(name)
    if heard:
        says = next(iter(heard)) if len(heard) == 1 else MIXED
        words = "; ".join(f"{key}: {_some(names)}" for key, names in sorted(heard.items()))
        yield VersionSignal(signal="contract of the policies", says=says, evidence=words)


def _some(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(sorted(names)[:most]) + more


def _auth_policies(snapshot: Snapshot, tenants: tuple[TenantView, ...]) -> Iterator[tuple[str, str]]:
    gateways = {tenant.gateway for tenant in tenants if tenant.gateway is not None}
    for gateway in sorted(gateways):
        name = naming.auth_policy_name(gateway.name)
        policy = found(snapshot, resources.AUTH_POLICY, gateway.namespace, name)
        properties = policy.get(*rate_limits.IDENTITY_PROPERTIES) if policy is not None else None
        # An opted-out policy stays as it is over the upgrade and tells nothing.
        if policy is None or annotations.is_opted_out(policy.annotations) or not isinstance(properties, dict):
            continue
        if rate_limits.ID_PROPERTY in properties:
            yield versions.RHOAI_36, str(policy.ref)
        elif rate_limits.KEY_PROPERTY in properties:
            yield versions.RHOAI_35, str(policy.ref)


def _limit_policies(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    for policy in listed(snapshot, resources.TOKEN_RATE_LIMIT_POLICY):
        limits = rate_limits.limits_of(policy)
        if not policy.name.startswith(naming.TRLP_PREFIX) or annotations.is_opted_out(policy.annotations) or not limits:
            continue
        if all(_is_grouped(name) for name in limits):
            yield versions.RHOAI_36, str(policy.ref)
        elif all(name.endswith(rate_limits.LEGACY_SUFFIX) for name in limits):
            yield versions.RHOAI_35, str(policy.ref)
        elif any(_is_grouped(name) for name in limits):
            yield MIXED, str(policy.ref)


def _is_grouped(limit: str) -> bool:
    return limit.startswith(rate_limits.GROUPED_PREFIX) and not limit.endswith(rate_limits.LEGACY_SUFFIX)


def assess_versions(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Return what is to be said of the versions of OpenShift and Connectivity Link. Source: contract §7.3."""
    return (*_openshift(snapshot), *_connectivity_link(snapshot))


def _openshift(snapshot: Snapshot) -> Iterator[Finding]:
    if not served(snapshot, resources.CLUSTER_VERSION):
        yield _unknown("OpenShift", "the API server does not know ClusterVersion")
        return
    for thing in listed(snapshot, resources.CLUSTER_VERSION):
        version = versions.parse_version(_current(thing))
        if version is None:
            yield _unknown("OpenShift", f"{thing.ref} does not give one")
        elif version < versions.OPENSHIFT_LEAST:
            yield finding(
                "OpenShiftTooOld",
                f"OpenShift {_dotted(version)} runs here; MaaS asks for {_dotted(versions.OPENSHIFT_LEAST)} or later",
                resolution="Update OpenShift first.",
                about=thing.ref,
                path="status.history",
            )


def _current(cluster_version: KubeObject) -> Any:
    """Return the version of the last completed update, else the desired one."""
    history = cluster_version.get("status", "history")
    for entry in history if isinstance(history, list) else ():
        if get_in(entry, "state") in ("Completed", None) and get_in(entry, "version"):
            return get_in(entry, "version")
    return cluster_version.get("status", "desired", "version")


def _connectivity_link(snapshot: Snapshot) -> Iterator[Finding]:
    products = [
        thing
        for thing in listed(snapshot, resources.CLUSTER_SERVICE_VERSION)
        if any(label.startswith("operators.coreos.com/rhcl-operator.") for label in thing.labels)
    ]
    if not products:
        yield _unknown("Red Hat Connectivity Link", "its ClusterServiceVersion was not found beside Kuadrant")
    for thing in products:
        version = versions.parse_version(thing.get("spec", "version"))
        if version is None:
            yield _unknown("Red Hat Connectivity Link", f"{thing.ref} does not give one")
        elif version < versions.CONNECTIVITY_LINK_LEAST:
            least = _dotted(versions.CONNECTIVITY_LINK_LEAST)
            yield finding(
                "ConnectivityLinkTooOld",
                f"Connectivity Link {_dotted(version)} runs here; MaaS asks for {least} or later",
                resolution="Update Red Hat Connectivity Link first, to 1.4.1 or later.",
                about=thing.ref,
                path="spec.version",
            )
        elif version == versions.CONNECTIVITY_LINK_BYPASS:
            yield finding(
                "ConnectivityLinkBypass",
                "Connectivity Link 1.4.0 lets requests pass without authentication in some cases",
                resolution="Update Red Hat Connectivity Link to 1.4.1 or later.",
                about=thing.ref,
                path="spec.version",
            )


def _unknown(what: str, why: str) -> Finding:
    return finding(
        "VersionNotKnown",
        f"the version of {what} could not be told: {why}",
        resolution=f"Make sure that {what} is new enough.",
    )


def _dotted(version: Iterable[int]) -> str:
    return ".".join(map(str, version))
