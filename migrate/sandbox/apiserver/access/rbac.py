"""Role-based access: may this user do that?"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from migrate.sandbox.apiserver.access.users import User
from migrate.sandbox.apiserver.protocol.target import Target
from migrate.sandbox.apiserver.protocol.values import Document, namespace_of
from migrate.sandbox.apiserver.storage.store import Slot, StorageKey, Store

_GROUP: Final = "rbac.authorization.k8s.io"
_CLUSTER_ROLES: Final = StorageKey(_GROUP, "clusterroles")
_CLUSTER_BINDINGS: Final = StorageKey(_GROUP, "clusterrolebindings")
_ROLES: Final = StorageKey(_GROUP, "roles")
_BINDINGS: Final = StorageKey(_GROUP, "rolebindings")

Authorizer: TypeAlias = Callable[[User, Target], bool]
"""Whoever decides; the server asks it once for every request."""

EVERYBODY: Final[tuple[Document, ...]] = (
    {
        "verbs": ["get"],
        "nonResourceURLs": [
            "/api",
            "/api/*",
            "/apis",
            "/apis/*",
            "/healthz",
            "/livez",
            "/openapi",
            "/openapi/*",
            "/readyz",
            "/version",
            "/version/",
        ],
    },
    {
        "verbs": ["create"],
        "apiGroups": ["authorization.k8s.io"],
        "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    },
    {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
)
"""What a real cluster grants to every user that it knows."""

ADMINISTRATOR: Final[tuple[Document, ...]] = (
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
)


@dataclass(frozen=True, slots=True)
class RoleBasedAccess:
    """Decides by the roles and bindings in a store."""

    store: Store

    def __call__(self, user: User, target: Target) -> bool:
        """Whether *user* may do what *target* says."""
        if user.is_administrator:
            return True  # ADMINISTRATOR names all there is.
        return any(_grants(rule, target) for rule in self.rules(user, target.namespace))

    def rules(self, user: User, namespace: str) -> Iterator[Document]:
        """Yield the rules that *user* has in *namespace*, those of the whole cluster included."""
        if user.is_administrator:
            yield from ADMINISTRATOR
            return
        yield from EVERYBODY
        for _, binding in self.store.items(_CLUSTER_BINDINGS):
            if _binds(binding, user):
                yield from self.role_rules(binding)
        if namespace:
            for _, binding in self.store.items(_BINDINGS, namespace):
                if _binds(binding, user):
                    yield from self.role_rules(binding)

    def role_rules(self, binding: Document) -> list[Document]:
        """Return the rules of the role that *binding* names, none where it is not there."""
        role = binding.get("roleRef") or {}
        is_cluster = role.get("kind") == "ClusterRole"
        slot = Slot("" if is_cluster else namespace_of(binding), str(role.get("name", "")))
        found = self.store.get(_CLUSTER_ROLES if is_cluster else _ROLES, slot)
        rules: list[Document] = (found or {}).get("rules") or []
        return rules


def _binds(binding: Document, user: User) -> bool:
    return any(_is_subject(subject, binding, user) for subject in binding.get("subjects") or ())


def _is_subject(subject: Document, binding: Document, user: User) -> bool:
    name = subject.get("name", "")
    match subject.get("kind"):
        case "User":
            return bool(name == user.name)
        case "Group":
            return name in user.groups
        case "ServiceAccount":
            namespace = subject.get("namespace") or namespace_of(binding)
            return user.name == f"system:serviceaccount:{namespace}:{name}"
        case _:
            return False


def _grants(rule: Document, target: Target) -> bool:
    if not _has(rule.get("verbs"), target.verb):
        return False
    if not target.is_resource:
        return any(_covers(pattern, target.path) for pattern in rule.get("nonResourceURLs") or ())
    resource = f"{target.plural}/{target.subresource}" if target.subresource else target.plural
    resources = rule.get("resources") or []
    named = _has(resources, resource) or (bool(target.subresource) and f"*/{target.subresource}" in resources)
    names = rule.get("resourceNames")
    return (
        named and _has(rule.get("apiGroups"), target.group) and (not names or (target.name or target.chosen) in names)
    )


def _has(values: Any, wanted: str) -> bool:
    return bool(values) and ("*" in values or wanted in values)


def _covers(pattern: str, path: str) -> bool:
    return path.startswith(pattern[:-1]) if pattern.endswith("*") else path == pattern


def why_not(user: User, target: Target) -> str:
    """Return the sentence that tells *user* what is not allowed."""
    if not target.is_resource:
        return f'User "{user.name}" cannot {target.verb} path "{target.path}"'
    resource = f"{target.plural}/{target.subresource}" if target.subresource else target.plural
    where = f'in the namespace "{target.namespace}"' if target.namespace else "at the cluster scope"
    return f'User "{user.name}" cannot {target.verb} resource "{resource}" in API group "{target.group}" {where}'
