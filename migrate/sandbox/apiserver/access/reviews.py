"""Reviews: questions about access, asked by a POST that stores nothing."""

from collections.abc import Callable, Iterable
from typing import Final

from migrate.sandbox.apiserver.access.rbac import Authorizer
from migrate.sandbox.apiserver.access.users import User, user_named
from migrate.sandbox.apiserver.protocol.statuses import bad_request
from migrate.sandbox.apiserver.protocol.target import Target
from migrate.sandbox.apiserver.protocol.values import Document

Rules = Callable[[User, str], Iterable[Document]]

REVIEW_GROUPS: Final = frozenset({"authorization.k8s.io", "authentication.k8s.io"})


def review(kind: str, user: User, body: Document, may: Authorizer, rules: Rules) -> Document:
    """
    Return *body* with the answer as its status.

    Raises:
        StatusError: It asks nothing.
    """
    spec: Document = body.get("spec") or {}
    match kind:
        case "SelfSubjectAccessReview":
            status = _decide(user, spec, may)
        case "SubjectAccessReview" | "LocalSubjectAccessReview":
            status = _decide(user_named(spec.get("user", ""), tuple(spec.get("groups") or ())), spec, may)
        case "SelfSubjectRulesReview":
            status = _tell_rules(rules(user, spec.get("namespace", "")))
        case "SelfSubjectReview":
            status = {"userInfo": {"username": user.name, "groups": list(user.groups)}}
        case _:
            status = {"authenticated": False}
    return {**body, "status": status}


def _decide(user: User, spec: Document, may: Authorizer) -> Document:
    wanted, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if wanted is not None:
        target = Target(
            verb=wanted.get("verb", ""),
            path="",
            group=wanted.get("group", ""),
            version=wanted.get("version", ""),
            plural=wanted.get("resource", ""),
            namespace=wanted.get("namespace", ""),
            name=wanted.get("name", ""),
            subresource=wanted.get("subresource", ""),
        )
    elif path is not None:
        target = Target(verb=path.get("verb", ""), path=path.get("path", ""))
    else:
        raise bad_request("exactly one of nonResourceAttributes or resourceAttributes must be specified")
    allowed = may(user, target)
    return {"allowed": True, "reason": "RBAC: allowed"} if allowed else {"allowed": False}


def _tell_rules(rules: Iterable[Document]) -> Document:
    resource_rules, path_rules = [], []
    for rule in rules:
        if rule.get("nonResourceURLs"):
            path_rules.append({field: rule[field] for field in ("verbs", "nonResourceURLs")})
        else:
            fields = ("verbs", "apiGroups", "resources", "resourceNames")
            resource_rules.append({field: rule[field] for field in fields if rule.get(field)})
    return {"resourceRules": resource_rules, "nonResourceRules": path_rules, "incomplete": False}
