"""Who may do what, and how the server tells."""

import pytest

from migrate.sandbox.apiserver import Request, Response

from .driver import CONFIG_MAPS, Api

RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
TOKENS = {"admin-token": "admin", "user-token": "user"}


@pytest.fixture
def guarded() -> Api:
    return Api(tokens=TOKENS)


def ask(api: Api, token: str, method: str, path: str, document: object = None) -> Response:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return api.server.handle(Request.to(method, path, document, headers=headers))


@pytest.mark.parametrize(
    ("token", "path", "status"),
    [
        ("admin-token", CONFIG_MAPS, 200),
        ("user-token", CONFIG_MAPS, 403),
        ("user-token", "/apis", 200),
        ("user-token", "/sandbox/requests", 403),
        ("wrong", CONFIG_MAPS, 401),
        ("", CONFIG_MAPS, 401),
    ],
)
def test_the_token_decides(guarded: Api, token: str, path: str, status: int) -> None:
    assert ask(guarded, token, "GET", path).status == status


def test_the_refusal_names_user_verb_and_resource(guarded: Api) -> None:
    message = ask(guarded, "user-token", "GET", CONFIG_MAPS).document["message"]

    assert message == (
        'configmaps is forbidden: User "user" cannot list resource "configmaps" in API group "" '
        'in the namespace "default"'
    )


@pytest.mark.parametrize(("token", "allowed"), [("admin-token", True), ("user-token", False)])
def test_an_access_review_answers_everybody(guarded: Api, token: str, allowed: bool) -> None:
    spec = {"resourceAttributes": {"namespace": "default", "verb": "patch", "resource": "configmaps"}}

    answer = ask(guarded, token, "POST", REVIEWS, {"spec": spec})

    assert (answer.status, answer.document["status"]["allowed"]) == (201, allowed)


def test_a_binding_grants(guarded: Api) -> None:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}
    ask(guarded, "admin-token", "POST", RBAC + "/roles", {"metadata": {"name": "r"}, "rules": [rule]})
    binding = {
        "metadata": {"name": "b"},
        "roleRef": {"kind": "Role", "name": "r", "apiGroup": "rbac.authorization.k8s.io"},
        "subjects": [{"kind": "User", "name": "user"}],
    }
    ask(guarded, "admin-token", "POST", RBAC + "/rolebindings", binding)

    assert ask(guarded, "user-token", "GET", CONFIG_MAPS).status == 200
    assert ask(guarded, "user-token", "GET", CONFIG_MAPS + "/a").status == 403
    assert ask(guarded, "user-token", "GET", "/api/v1/configmaps").status == 403


def test_the_administrator_may_be_somebody_else(guarded: Api) -> None:
    headers = {"authorization": "Bearer admin-token", "impersonate-user": "nobody"}

    assert guarded.server.handle(Request.to("GET", CONFIG_MAPS, headers=headers)).status == 403


def test_authorization_can_be_replaced() -> None:
    api = Api(authorizer=lambda user, target: user.is_administrator and target.verb != "delete")

    assert api("DELETE", CONFIG_MAPS + "/a").status == 403
    assert api("GET", CONFIG_MAPS).status == 200
