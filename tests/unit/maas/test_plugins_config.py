"""The controller's rule and the careful rule, case by case; files PH-… are the cases of the project."""

import copy
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from migrate.maas.plugins_config import Judgement, NotAPluginsConfigMapError, Unreadable, judge, read_answer

CASES = Path(__file__).parents[2] / "data" / "cases"
INDEX = json.loads((CASES / "index.json").read_text())
PRE, POST = "custom-pre-processing-ipp-config.yaml", "custom-ipp-config.yaml"


def load(name: str) -> Any:
    text = (CASES / name).read_text(encoding="utf-8")
    return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)


def codes(judgement: Judgement) -> set[str]:
    return {note.code for note in judgement.warnings}


def shipped() -> dict[str, Any]:
    config_map: dict[str, Any] = load("PH-01-as-shipped.yaml")
    return config_map


def edited(key: str, old: str, new: str) -> dict[str, Any]:
    config_map = shipped()
    assert old in config_map["data"][key]
    config_map["data"][key] = config_map["data"][key].replace(old, new)
    return config_map


def test_all_cases_are_here() -> None:
    files = sorted(path.name for path in CASES.glob("PH-*"))

    assert len(files) == 73
    assert files == sorted(row["file"] for row in INDEX)


@pytest.mark.parametrize("row", INDEX, ids=lambda row: row["id"])
def test_a_case_is_judged_as_the_controller_judges(row: dict[str, Any]) -> None:
    judgement = judge(read_answer(load(row["file"])))

    assert judgement.verdict == row["verdict"]
    assert judgement.controller == row["controller"]["decision"]
    assert judgement.baseline == row["controller"]["baseline"]
    assert judgement.detail == row["controller"]["detail"]
    assert judgement.careful == row["careful_tool"]
    assert codes(judgement) == set(row["warnings"])
    assert (judgement.digest is None) == (row["verdict"] in {"absent", "invalid", "error"})
    assert judgement.reasons


@pytest.mark.parametrize(
    ("key", "old", "new", "verdict"),
    [
        pytest.param(PRE, "kind: PayloadProcessorConfig", "kind:", "default", id="empty-kind"),
        pytest.param(PRE, "kind: PayloadProcessorConfig", "kind: X", "invalid", id="another-kind"),
        pytest.param(PRE, "apiVersion: llm-d.ai/v1alpha1", "apiVersion: x/v9", "default", id="apiversion-ignored"),
        pytest.param(PRE, "apiVersion: llm-d.ai/v1alpha1", "apiVersion: [x]", "invalid", id="apiversion-no-text"),
        pytest.param(POST, "plugins:\n- type", "extra: 1\nplugins:\n- type", "default", id="unknown-field"),
        pytest.param(PRE, "fieldName: model", "fieldName: 'model' # c", "default", id="form"),
        pytest.param(PRE, "fieldName: model", "fieldName: [model]", "custom-blocked", id="parameter-type"),
        pytest.param(PRE, "fieldName: model", "fieldName: 1", "custom-blocked", id="parameter-number"),
        pytest.param(POST, "name: maas-headers-guard\n", "name:\n", "default", id="empty-name-is-the-type"),
        pytest.param(
            POST, "- type: api-translation", "- type: api-translation\n  name: x", "custom-blocked", id="name"
        ),
        pytest.param(POST, "- name: default", "- name: other", "custom-blocked", id="profile-name"),
        pytest.param(POST, "response: []", "response:", "default", id="response-null"),
        pytest.param(POST, "response: []", "x: []", "default", id="response-absent"),
        pytest.param(POST, "response: []", "response: [{pluginRef: a}]", "custom-blocked", id="response-other"),
        pytest.param(
            POST,
            "response: []",
            "response: [{pluginRef: api-translation}]",
            "default+response-api-translation",
            id="two",
        ),
        pytest.param(POST, "response: []", "response: {}", "invalid", id="response-a-map"),
        pytest.param(POST, "response: []", "response: [", "invalid", id="broken"),
    ],
)
def test_what_is_compared(key: str, old: str, new: str, verdict: str) -> None:
    assert judge(edited(key, old, new)).verdict == verdict


def test_the_first_document_that_cannot_be_parsed_is_named() -> None:
    config_map = shipped()
    config_map["data"] = {PRE: "[", POST: "["}

    assert judge(config_map).detail == "pre-processing-unparsable"


def test_a_broken_document_goes_before_unexpected_keys() -> None:
    config_map = shipped()
    config_map["data"] |= {POST: "[", "z": "", "a": ""}

    assert judge(config_map).detail == "processing-unparsable"


def test_unexpected_keys_go_before_a_deviation_and_are_sorted() -> None:
    config_map = edited(PRE, "fieldName: model", "fieldName: x")
    config_map["data"] |= {"z": "", "a": ""}

    judgement = judge(config_map)

    assert judgement.detail == "unexpected-data-keys"
    assert judgement.reasons[0].message.endswith("a, z")


def test_one_praxis_key_suffices_whatever_else_is_there() -> None:
    config_map = shipped()
    config_map["data"] = {"extproc.yaml": "a: 1", POST: "[", "x": ""}

    assert judge(config_map).verdict == "praxis"


def test_a_customised_document_beside_praxis_is_shown_as_a_difference() -> None:
    judgement = judge(load("PH-08-praxis-key-plus-custom-ipp.yaml"))

    assert [item.path for item in judgement.differences] == [
        f'data["{POST}"].plugins[5]',
        f'data["{POST}"].profiles[0].plugins.request[5]',
    ]


def test_a_near_miss_is_shown_escaped() -> None:
    newline = judge(load("PH-27-block-scalar-keeps-newline.yaml"))
    hyphen = judge(load("PH-73-homoglyph-hyphen.json"))

    assert any("resolver\\n" in note.message for note in newline.warnings)
    assert any("api\\u2011translation" in note.message for note in hyphen.warnings)
    assert newline.differences[0].path == f'data["{POST}"].plugins[2].type'
    assert newline.differences[0].found == '"model-provider-resolver\\n"'


def test_values_of_a_custom_plugin_are_shown_as_the_controller_reads_them() -> None:
    judgement = judge(load("PH-31-compression-plugin-and-body-mode.yaml"))
    found = "".join(item.found or "" for item in judgement.differences)

    assert '"every":"1:30"' in found
    assert '"failOpen":true' in found
    assert '"minChars":8' in found


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param(lambda o: o.update(immutable=True), "immutable", id="immutable"),
        pytest.param(lambda o: o.update(binaryData={"a": ""}), "binarydata-present", id="binary-data"),
        pytest.param(lambda o: o["metadata"].pop("annotations"), "managed-absent", id="managed-absent"),
        pytest.param(
            lambda o: o["metadata"]["annotations"].update({"opendatahub.io/managed": "true"}),
            "managed-not-false",
            id="managed",
        ),
        pytest.param(
            lambda o: o["metadata"]["annotations"].update({"argocd.argoproj.io/tracking-id": "x"}),
            "gitops-managed",
            id="argo",
        ),
        pytest.param(
            lambda o: o["metadata"].update(managedFields=[{"manager": "argocd-controller"}]),
            "gitops-managed",
            id="manager",
        ),
        pytest.param(
            lambda o: o["metadata"].update(labels={"helm.toolkit.fluxcd.io/name": "x"}), "gitops-managed", id="flux"
        ),
        pytest.param(
            lambda o: o["metadata"].update(ownerReferences=[{"apiVersion": "v1", "kind": "Config"}]),
            "owner-reference",
            id="foreign-owner",
        ),
        pytest.param(
            lambda o: o["data"].update({PRE: o["data"][PRE] + "y: 1\n"}), "parser-gap", id="key-read-as-boolean"
        ),
        pytest.param(
            lambda o: o["data"].update({PRE: o["data"][PRE] + "x: 0o10\n"}), "parser-gap", id="value-elsewhere"
        ),
        pytest.param(
            lambda o: o["data"].update({PRE: o["data"][PRE].replace("kind: P", "Kind: P")}),
            "field-case",
            id="field-case",
        ),
        pytest.param(
            lambda o: o["data"].update({PRE: o["data"][PRE].replace("kind: P", "x: P")}),
            "kind-missing",
            id="kind-missing",
        ),
        pytest.param(
            lambda o: o["data"].update({PRE: o["data"][PRE].replace("kind:", "KIND: ''\nkind:")}),
            "duplicate-key",
            id="twice",
        ),
    ],
)
def test_a_default_with_something_beside_it_goes_on_with_a_warning(
    change: Callable[[dict[str, Any]], object], code: str
) -> None:
    config_map = shipped()
    change(config_map)

    judgement = judge(config_map)

    assert judgement.verdict == "default"
    assert judgement.careful == "proceed-with-warning"
    assert code in codes(judgement)


def test_the_controllers_own_owner_is_no_warning() -> None:
    config_map = shipped()
    owner = {"apiVersion": "maas.opendatahub.io/v1alpha1", "kind": "Config", "name": "default"}
    config_map["metadata"]["ownerReferences"] = [owner]

    assert judge(config_map).careful == "proceed"


def test_an_equal_last_applied_is_no_warning() -> None:
    config_map = shipped()
    applied = json.dumps({"data": config_map["data"]})
    config_map["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = applied

    assert judge(config_map).careful == "proceed"


def test_a_text_beyond_the_bound_gives_no_verdict() -> None:
    config_map = shipped()
    config_map["data"][POST] += "# x\n" * 2_000_000

    judgement = judge(config_map)

    assert (judgement.verdict, judgement.controller, judgement.careful) == ("error", "unknown", "stop")


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"data": []}, id="data-a-list"),
        pytest.param({"data": "x"}, id="data-a-text"),
        pytest.param({"data": {PRE: 5, POST: "a"}}, id="value-a-number"),
        pytest.param({"data": {1: "a"}}, id="key-a-number"),
    ],
)
def test_an_object_that_no_server_holds_gives_no_verdict(odd: dict[str, Any]) -> None:
    judgement = judge(odd)

    assert judgement.verdict == "error"
    assert codes(judgement) == {"malformed-object"}


@pytest.mark.parametrize(
    "part",
    [
        {"metadata": None},
        {"metadata": []},
        {"metadata": {"annotations": [], "labels": "x", "ownerReferences": {}, "managedFields": [1]}},
        {"metadata": {"ownerReferences": [None, 5]}},
        {"binaryData": "x"},
        {"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": 5}}},
        {"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "["}}},
        {"data": None},
        {"data": {PRE: None, POST: None}},
    ],
)
def test_odd_parts_are_judged_without_a_trace(part: dict[str, Any]) -> None:
    assert judge(shipped() | part).verdict in {"default", "custom-blocked"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("plugins: [" + "{type: a}," * 20_000 + "]", id="plugins"),
        pytest.param("profiles: [{plugins: {request: [" + "{pluginRef: abc}," * 20_000 + "]}}]", id="references"),
        pytest.param("profiles: [" + "{name: a}," * 20_000 + "]", id="profiles"),
        pytest.param("plugins: [{parameters: {" + ",".join(f"a{n}: y" for n in range(20_000)) + "}}]", id="parameters"),
        pytest.param("\n".join(f"b{n}: y" for n in range(20_000)), id="fields"),
        pytest.param("plugins: [{parameters: {a: " + "[" * 9_990 + "]" * 9_990 + "}}]", id="depth"),
    ],
)
def test_a_large_document_is_judged_soon(text: str) -> None:
    config_map = shipped()
    config_map["data"][POST] = text
    started = time.perf_counter()

    judgement = judge(config_map)

    assert judgement.detail == "processing-deviates"
    assert len(judgement.differences) <= 1000
    assert len(judgement.warnings) < 200
    assert time.perf_counter() - started < 20


def status(**fields: Any) -> dict[str, Any]:
    details = {"name": "payload-processing-plugins", "kind": "configmaps"}
    return {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404, "details": details} | fields


def test_a_404_of_the_object_is_absent() -> None:
    assert read_answer(status()) is None


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(status(details={}), id="a-path-that-is-not-served"),
        pytest.param(status(details={"name": "x", "kind": "namespaces"}), id="a-namespace"),
        pytest.param(status(code=403, reason="Forbidden", message="no \x1b[31m"), id="forbidden"),
        pytest.param(status(code=200, status="Success"), id="success-without-object"),
    ],
)
def test_any_other_status_is_unreadable(document: dict[str, Any]) -> None:
    answer = read_answer(document)

    assert isinstance(answer, Unreadable)
    assert "\x1b" not in answer.message
    assert judge(answer).verdict == "error"


def test_a_list_of_one_is_that_one() -> None:
    one = shipped()

    assert read_answer({"kind": "List", "items": [one]}) == one
    bare = {key: value for key, value in one.items() if key not in {"kind", "apiVersion"}}
    assert read_answer({"kind": "ConfigMapList", "items": [bare]}) == one


@pytest.mark.parametrize(
    "document",
    [
        [],
        "x",
        None,
        5,
        {},
        {"kind": "Secret", "apiVersion": "v1"},
        {"kind": "ConfigMap", "apiVersion": "v2"},
        {"kind": "List", "items": []},
        {"kind": "List", "items": None},
        {"kind": "List", "items": [None]},
        {"kind": "List", "items": [{"kind": "ConfigMap"}, {"kind": "ConfigMap"}]},
        {"kind": "List", "items": [{"kind": "Secret"}]},
    ],
)
def test_another_document_is_refused(document: Any) -> None:
    with pytest.raises(NotAPluginsConfigMapError, match=r"^expected"):
        read_answer(document)


def test_the_document_has_the_promised_fields() -> None:
    document = msgspec.to_builtins(judge(shipped()))

    assert set(document) >= {"verdict", "controller", "careful", "reasons", "warnings", "differences", "digest"}
    assert isinstance(document["controller"], str)


@pytest.mark.parametrize("name", ["PH-07", "PH-11", "PH-16", "PH-17", "PH-26", "PH-36", "PH-45", "PH-70", "PH-71"])
def test_spellings_that_the_controller_takes_for_equal_have_one_digest(name: str) -> None:
    other = load(next(row["file"] for row in INDEX if row["id"] == name))

    assert judge(other).digest == judge(shipped()).digest


def test_another_content_has_another_digest() -> None:
    assert judge(edited(PRE, "fieldName: model", "fieldName: x")).digest != judge(shipped()).digest


def test_judging_changes_nothing() -> None:
    config_map = shipped()
    before = copy.deepcopy(config_map)

    judge(config_map)

    assert config_map == before
