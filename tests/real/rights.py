"""Roles and what was done with them: printed by ``rbac``, bound to ServiceAccounts, compared with the audit log."""

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from migrate.sandbox.kubeconfig import CLUSTER
from tests.real.servers import ControlPlane
from tests.real.stage import REVIEWS, RealStage

Json = dict[str, Any]
HOME = "default"
"""The namespace of the ServiceAccounts."""


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """One verb on one kind of resource."""

    verb: str
    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}{'.' if self.group else ''}{self.group}"


@dataclass(frozen=True, slots=True)
class Less:
    """All roles but for one rule."""

    name: str
    manifests: list[Json]
    rule: Json
    where: str

    @property
    def resources(self) -> frozenset[str]:
        """The kinds of resources that the rule is about."""
        return frozenset(self.rule["resources"])

    @property
    def rights(self) -> set[Right]:
        """What the rule would allow."""
        return set(_of_rule(self.rule))


def roles_for(stage: RealStage, verb: str, account: str) -> list[Json]:
    """Return what ``rbac`` prints for a ServiceAccount, as documents."""
    printed = stage.plain("rbac", "--for", verb, "--to", f"serviceaccount:{HOME}/{account}").out
    return [document for document in yaml.safe_load_all(printed) if document]


def rights_of(manifests: Iterable[Json]) -> set[Right]:
    """Return every right that roles give."""
    return {right for manifest in manifests for rule in manifest.get("rules") or [] for right in _of_rule(rule)}


def used(plane: ControlPlane, account: str, *, tool_only: bool = True) -> set[Right]:
    """Return every right that an account used and was granted, access reviews and discovery apart."""
    return {right for right, entry in _told(plane, account, tool_only=tool_only) if _was_allowed(entry)}


def changed(plane: ControlPlane, account: str) -> list[str]:
    """Return what an account asked to change, granted or not, access reviews apart."""
    return [
        f"{entry['verb']} {entry['requestURI']} {entry['responseStatus'].get('code')}"
        for right, entry in _told(plane, account, tool_only=False)
        if right.verb not in {"get", "list", "watch"} and _was_allowed(entry)
    ]


def bind(stage: RealStage, account: str, manifests: Iterable[Json]) -> None:
    """Create a ServiceAccount and its roles, as the administrator."""
    bind_all(stage, {account: manifests})


def bind_all(stage: RealStage, roles: Mapping[str, Iterable[Json]]) -> None:
    """Create ServiceAccounts, each with its roles, as the administrator."""
    documents: list[Json] = []
    for account, manifests in roles.items():
        subject = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": HOME}}
        documents += [subject, *manifests]
    stage.kubectl(
        "apply", "--server-side", "-f", "-", said=json.dumps({"apiVersion": "v1", "kind": "List", "items": documents})
    )


def as_account(stage: RealStage, account: str) -> RealStage:
    """Return the same cluster as the account sees it, with a state dir of its own."""
    place = stage.place / account
    place.mkdir(exist_ok=True)
    other = RealStage(place, stage.plane)
    use_token(other.kubeconfig, token_of(stage, account))
    return other


def token_of(stage: RealStage, account: str) -> str:
    """Return a new token of an account."""
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/{account}/token"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    return str(stage.api.call("POST", path, request)["status"]["token"])


def use_token(kubeconfig: Path, token: str) -> None:
    """Make *token* the one that a kubeconfig's current user shows."""
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    config["users"] = [{"name": "account", "user": {"token": token}}]
    config["contexts"] = [{"name": CLUSTER, "context": {"cluster": CLUSTER, "user": "account"}}]
    kubeconfig.write_text(yaml.safe_dump(config), encoding="utf-8")


def each_without_one(manifests: list[Json], account: str) -> Iterator[Less]:
    """Yield the roles once for every rule, without that rule and under names of their own."""
    for place, manifest in enumerate(manifests):
        for number, rule in enumerate(manifest.get("rules") or []):
            name = f"{account}-{place}-{number}"
            made = [_renamed(copy.deepcopy(each), name) for each in manifests]
            del made[place]["rules"][number]
            yield Less(name, made, rule, manifest["metadata"].get("namespace", "the cluster"))


def _renamed(manifest: Json, name: str) -> Json:
    manifest["metadata"]["name"] = name
    if "roleRef" in manifest:
        manifest["roleRef"]["name"] = name
        manifest["subjects"] = [{"kind": "ServiceAccount", "name": name, "namespace": HOME}]
    return manifest


def _of_rule(rule: Json) -> Iterator[Right]:
    for group in rule["apiGroups"]:
        for resource in rule["resources"]:
            for verb in rule["verbs"]:
                yield Right(verb, group, resource)


def _told(plane: ControlPlane, account: str, *, tool_only: bool) -> Iterator[tuple[Right, Json]]:
    user = f"system:serviceaccount:{HOME}:{account}"
    for entry in plane.audit():
        target = entry.get("objectRef") or {}
        if entry["user"]["username"] != user or not target.get("resource") or target["resource"] in REVIEWS:
            continue
        if tool_only and not entry.get("userAgent", "").startswith("maas-migrate"):
            continue
        sub = f"/{target['subresource']}" if target.get("subresource") else ""
        yield Right(entry["verb"], target.get("apiGroup", ""), target["resource"] + sub), entry


def _was_allowed(entry: Json) -> bool:
    return bool((entry.get("annotations") or {}).get("authorization.k8s.io/decision") == "allow")


def shown(rights: Iterable[Right]) -> str:
    """Return rights as text for a message."""
    return json.dumps(sorted(str(right) for right in rights), indent=1)
