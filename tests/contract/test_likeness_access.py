"""Who may do what, on both targets: tokens, roles, access reviews, impersonation, TLS."""

from typing import Any

import pytest
import urllib3

from tests.contract.likeness import USER, Answer, Api, config_maps, until
from tests.contract.likeness_kinds import GROUP, settings

ROLES = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1"
RBAC = {"apiVersion": "rbac.authorization.k8s.io/v1"}


@pytest.fixture
def home(target: Api) -> str:
    return target.namespace()


def grant(target: Api, home: str, subject: dict[str, str], *rules: dict[str, Any]) -> None:
    path = f"{ROLES}/namespaces/{home}"
    role = {**RBAC, "kind": "Role", "metadata": {"name": "r"}, "rules": [*rules]}
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}
    binding = {**RBAC, "kind": "RoleBinding", "metadata": {"name": "b"}, "roleRef": ref, "subjects": [subject]}
    assert target.create(f"{path}/roles", role).status == 201
    assert target.create(f"{path}/rolebindings", binding).status == 201


def access(target: Api, token: str, **attributes: str) -> Answer:
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    return target.create(f"{REVIEWS}/selfsubjectaccessreviews", body, token=token)


USER_SUBJECT = {"kind": "User", "name": "user", "apiGroup": "rbac.authorization.k8s.io"}
READ_SETTINGS = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}


@pytest.mark.parametrize("token", ["wrong", "admin-token-and-more"])
def test_a_token_that_nobody_has_is_not_let_in(target: Api, token: str) -> None:
    answer = target.get(config_maps("default"), token=token)
    assert (answer.status, answer.get("reason"), answer.get("message")) == (401, "Unauthorized", "Unauthorized")


def test_nobody_may_do_nothing(target: Api) -> None:
    assert target.get(config_maps("default"), token=None).status in {401, 403}


def test_a_client_can_ask_who_it_is(target: Api) -> None:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = target.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", body)
    assert (answer.status, answer.get("status", "userInfo", "username")) == (201, "admin")
    assert "system:masters" in answer.get("status", "userInfo", "groups")


def test_who_is_not_bound_is_refused_by_name(target: Api, home: str) -> None:
    answer = target.get(config_maps(home), token=USER)
    assert (answer.status, answer.get("reason")) == (403, "Forbidden")
    assert answer.get("message") == (
        f'configmaps is forbidden: User "user" cannot list resource "configmaps" in API group "" in the namespace '
        f'"{home}"'
    )


def test_a_binding_gives_what_its_role_says_and_no_more(target: Api, home: str) -> None:
    grant(target, home, USER_SUBJECT, READ_SETTINGS)
    until(lambda: target.get(config_maps(home), token=USER).status == 200)
    assert target.create(config_maps(home), settings("a"), token=USER).status == 403
    assert target.get(f"/api/v1/namespaces/{home}/secrets", token=USER).status == 403
    assert target.get("/api/v1/configmaps", token=USER).status == 403


def test_a_role_may_name_its_objects(target: Api, home: str) -> None:
    rule = {**READ_SETTINGS, "resourceNames": ["a"]}
    grant(target, home, USER_SUBJECT, rule)
    target.create(config_maps(home), settings("a"))
    until(lambda: target.get(config_maps(home, "a"), token=USER).status == 200)
    assert target.get(config_maps(home, "b"), token=USER).status == 403
    assert target.get(config_maps(home), token=USER).status == 403
    assert target.get(config_maps(home), token=USER, fieldSelector="metadata.name=a").status == 200


def test_a_status_is_a_resource_of_its_own(target: Api, home: str) -> None:
    rule = {"apiGroups": [GROUP], "resources": ["lamps/status"], "verbs": ["patch"]}
    grant(target, home, USER_SUBJECT, rule)
    asked = {"namespace": home, "verb": "patch", "group": GROUP, "resource": "lamps"}
    until(lambda: access(target, USER, **asked, subresource="status").get("status", "allowed") is True)
    assert access(target, USER, **asked).get("status", "allowed") is False


def test_a_client_can_ask_what_it_may(target: Api, home: str) -> None:
    asked = {"namespace": home, "verb": "patch", "group": GROUP, "resource": "lamps"}
    admin, user = access(target, "admin-token", **asked), access(target, USER, **asked)
    assert (admin.status, admin.get("status", "allowed")) == (201, True)
    assert (user.status, user.get("status", "allowed")) == (201, False)


def test_a_client_can_ask_for_all_it_may(target: Api, home: str) -> None:
    grant(target, home, USER_SUBJECT, READ_SETTINGS)
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": home},
    }

    def rules() -> list[dict[str, Any]]:
        answer = target.create(f"{REVIEWS}/selfsubjectrulesreviews", body, token=USER)
        found: list[dict[str, Any]] = answer.get("status", "resourceRules")
        return found

    until(lambda: READ_SETTINGS in rules())


@pytest.fixture
def with_roles(target: Api, home: str) -> str:
    """A namespace in which the user may make roles and bindings, and nothing else."""
    rule = {
        "apiGroups": ["rbac.authorization.k8s.io"],
        "resources": ["roles", "rolebindings"],
        "verbs": ["create", "update"],
    }
    grant(target, home, USER_SUBJECT, rule, READ_SETTINGS)
    asked = {"namespace": home, "verb": "create", "group": "rbac.authorization.k8s.io", "resource": "roles"}
    until(lambda: access(target, USER, **asked).get("status", "allowed") is True)
    return home


def role(*rules: dict[str, Any], name: str = "more", **metadata: Any) -> dict[str, Any]:
    return {**RBAC, "kind": "Role", "metadata": {"name": name, **metadata}, "rules": [*rules]}


WRITE_SETTINGS = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "patch"]}


def test_a_role_without_right_to_it_cannot_be_made(target: Api, with_roles: str) -> None:
    answer = target.create(f"{ROLES}/namespaces/{with_roles}/roles", role(READ_SETTINGS, WRITE_SETTINGS), token=USER)
    assert (answer.status, answer.get("reason")) == (403, "Forbidden")
    assert answer.get("message") == (
        'roles.rbac.authorization.k8s.io "more" is forbidden: user "user" (groups=["system:authenticated"]) is '
        "attempting to grant RBAC permissions not currently held:\n"
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["patch"]}'
    )


def test_who_holds_it_can_give_it_on(target: Api, with_roles: str) -> None:
    path = f"{ROLES}/namespaces/{with_roles}/roles"
    narrower = {**READ_SETTINGS, "verbs": ["get"], "resourceNames": ["a"]}
    made = target.create(path, role(narrower), token=USER)
    assert made.status == 201
    changed = target.call("PUT", f"{path}/more", {**made.body, "rules": [WRITE_SETTINGS]}, token=USER)
    assert changed.status == 403
    same = target.call("PUT", f"{path}/more", {**made.body, "rules": [READ_SETTINGS]}, token=USER)
    assert same.status == 200


def test_a_role_of_more_cannot_be_bound(target: Api, with_roles: str) -> None:
    target.create(f"{ROLES}/namespaces/{with_roles}/roles", role(WRITE_SETTINGS, name="writer"))

    def bind(name: str) -> int:
        ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
        binding = {**RBAC, "kind": "RoleBinding", "metadata": {"name": f"by-{name}"}, "roleRef": ref}
        path = f"{ROLES}/namespaces/{with_roles}/rolebindings"
        return target.create(path, {**binding, "subjects": [USER_SUBJECT]}, token=USER).status

    until(lambda: bind("writer") == 403)
    assert bind("r") == 201


def test_an_administrator_can_act_as_somebody_else(target: Api, home: str) -> None:
    assert target.get(config_maps(home), headers={"Impersonate-User": "nobody"}).status == 403
    masters = {"Impersonate-User": "nobody", "Impersonate-Group": "system:masters"}
    assert target.get(config_maps(home), headers=masters).status == 200
    assert target.get(config_maps(home), token=USER, headers={"Impersonate-User": "admin"}).status == 403


def test_its_certificate_is_verified(target: Api) -> None:
    assert target.url.startswith("https://")
    with urllib3.PoolManager(retries=False) as pool, pytest.raises(urllib3.exceptions.SSLError):
        pool.request("GET", f"{target.url}/version")
