"""Nobody grants more than they hold: roles and bindings are looked at before they are stored."""

import itertools
import json
from collections.abc import Iterator
from typing import Any, Final

from migrate.sandbox.apiserver.access.rbac import RoleBasedAccess
from migrate.sandbox.apiserver.access.users import User
from migrate.sandbox.apiserver.protocol.statuses import StatusError, forbidden
from migrate.sandbox.apiserver.protocol.target import Target
from migrate.sandbox.apiserver.protocol.values import Document, name_of, namespace_of

GROUP: Final = "rbac.authorization.k8s.io"
_ROLES: Final = {"Role": "roles", "ClusterRole": "clusterroles"}
_BINDINGS: Final = {"RoleBinding": "rolebindings", "ClusterRoleBinding": "clusterrolebindings"}


def check_grant(access: RoleBasedAccess, user: User, document: Document, old: Document | None = None) -> None:
    """
    Let a role or a binding pass that *user* may make; other documents always pass.

    Raises:
        StatusError: It would grant what the user does not hold, nor may grant by the verbs ``escalate`` or ``bind``.
    """
    kind = str(document.get("kind"))
    if not str(document.get("apiVersion", "")).startswith(f"{GROUP}/") or user.is_administrator:
        return
    if kind in _ROLES:
        rules = document.get("rules") or []
        role, verb, unchanged = document, "escalate", rules == ((old or {}).get("rules") or [])
    elif kind in _BINDINGS:
        role = {"kind": document["roleRef"].get("kind"), "metadata": {"name": document["roleRef"].get("name")}}
        rules, verb, unchanged = access.role_rules(document), "bind", old is not None
    else:
        return
    if (old is not None and unchanged) or access(user, _target(role, verb, namespace_of(document))):
        return
    held = list(access.rules(user, namespace_of(document)))
    missing = [part for rule in rules for part in _parts(rule) if not any(_covers(own, part) for own in held)]
    if missing:
        raise _escalation(user, document, (_ROLES | _BINDINGS)[kind], missing)


def _target(role: Document, verb: str, namespace: str) -> Target:
    plural = _ROLES.get(str(role.get("kind")), "")
    where = namespace if plural == "roles" else ""
    return Target(verb=verb, path="", group=GROUP, version="v1", plural=plural, namespace=where, name=name_of(role))


def _parts(rule: Document) -> Iterator[tuple[str, ...]]:
    """Yield every single permission of a rule."""
    for verb, url in itertools.product(rule.get("verbs") or (), rule.get("nonResourceURLs") or ()):
        yield verb, url
    fields = (rule.get(field) or () for field in ("verbs", "apiGroups", "resources"))
    for verb, group, resource in itertools.product(*fields):
        for name in rule.get("resourceNames") or ("",):
            yield verb, group, resource, name


def _covers(own: Document, part: tuple[str, ...]) -> bool:
    if len(part) == 2:
        urls = own.get("nonResourceURLs") or ()
        known = any(url == part[1] or (url.endswith("*") and part[1].startswith(url[:-1])) for url in urls)
        return known and _has(own.get("verbs"), part[0])
    verb, group, resource, name = part
    names = own.get("resourceNames")
    _, _, sub = resource.partition("/")
    resources = own.get("resources") or ()
    named = _has(resources, resource) or (bool(sub) and f"*/{sub}" in resources)
    return named and _has(own.get("verbs"), verb) and _has(own.get("apiGroups"), group) and (not names or name in names)


def _has(values: Any, wanted: str) -> bool:
    return bool(values) and ("*" in values or wanted in values)


def _escalation(user: User, document: Document, plural: str, missing: list[tuple[str, ...]]) -> StatusError:
    groups = " ".join(json.dumps(group) for group in user.groups)
    verbs: dict[tuple[str, ...], list[str]] = {}
    for verb, *rest in missing:
        verbs.setdefault(tuple(rest), []).append(verb)
    lines = "\n".join(_shown(what, allowed) for what, allowed in verbs.items())
    why = f'user "{user.name}" (groups=[{groups}]) is attempting to grant RBAC permissions not currently held:\n{lines}'
    return forbidden(plural, GROUP, name_of(document), why)


def _shown(what: tuple[str, ...], verbs: list[str]) -> str:
    fields = ("NonResourceURLs",) if len(what) == 1 else ("APIGroups", "Resources", "ResourceNames")
    told = [
        f"{field}:[{json.dumps(value)}]" for field, value in zip(fields, what, strict=True) if value or field[0] == "A"
    ]
    told.append(f"Verbs:[{' '.join(map(json.dumps, verbs))}]")
    return f"{{{', '.join(told)}}}"
