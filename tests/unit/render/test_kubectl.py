"""A plan as commands: every predicate has a function, and nothing from a cluster is ever run."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from migrate.changes.hand_checks import hand_checks
from migrate.records.objects import ObjectRef
from migrate.records.plan import Plan, SetFields, Wait
from migrate.records.predicates import (
    FieldAtLeast,
    FieldIs,
    FieldMatches,
    HasKeyWithin,
    KeysMatch,
    Not,
    SameUid,
)
from migrate.render.escape import escaped
from migrate.render.kubectl import kubectl_script
from migrate.render.kubectl_checks import CannotBeAskedError, Checks, go_string, patterns, quoted, typed
from migrate.render.kubectl_steps import function_word
from tests.unit.changes.plan import stories as s

EVIL = [
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    "\n touch pwned\n",
    '"; touch pwned; "',
    "\x1b[31m{{end}}",
]
A = ObjectRef(api_version="maas.opendatahub.io/v1alpha1", kind="MaasTenantConfig", namespace="n", name="x")


def shell(tmp_path: Path, script: str, *, answer: str = "", wanted: int = 0) -> str:
    """Run *script* with a kubectl that always gives *answer*; return what was said."""
    bash = shutil.which("bash")
    assert bash
    (tmp_path / "answer").write_text(answer, encoding="utf-8")
    (tmp_path / "kubectl").write_text(f'#!/bin/sh\ncat "{tmp_path}/answer"\n', encoding="utf-8")
    (tmp_path / "kubectl").chmod(0o755)
    (tmp_path / "script.sh").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [bash, "script.sh"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "POLL": "0.01"},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == wanted, done.stderr
    return done.stdout + done.stderr


def everywhere(plan: Plan, text: str) -> Plan:
    """Return *plan* with *text* in everything that a cluster or an operator may have written."""
    steps: list[Any] = []
    for number, step in enumerate(plan.steps):
        named: dict[str, Any] = {"title": text, "prose": text, "undo_note": text, "id": f"{number}{text}"}
        if isinstance(step, SetFields):
            named["after"] = {"metadata": {"annotations": {text: text}}}
            named["before"] = {"metadata": {"annotations": {text: None}}}
        steps.append(msgspec.structs.replace(step, **named))
    bindings = (s.binding(name=text),)
    tenants = tuple(msgspec.structs.replace(tenant, external_models=bindings) for tenant in plan.tenants)
    runbook = msgspec.structs.replace(plan.runbook, name=text)
    cluster = msgspec.structs.replace(plan.cluster, server=text, context=text)
    return msgspec.structs.replace(
        plan, steps=tuple(steps), tenants=tenants, runbook=runbook, cluster=cluster, created_at=text
    )


@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
def test_what_stands_in_a_cluster_is_never_run(tmp_path: Path, text: str) -> None:
    plan = everywhere(s.plan(s.cluster("3.6"), platform="3.6"), text)

    script = kubectl_script(plan)
    shell(tmp_path, script, wanted=13)
    # The functions too: each is called with a client that answers nothing, and stops or goes on.
    calls = "".join(f"( {name} ) || true\n" for name in re.findall(r"^(step_\w+|check_\w+)\(\)", script, re.MULTILINE))
    head = script.partition("\nmain() {")[0].replace("wait_until() {", "wait_until() { return 0; }; unused() {")
    shell(tmp_path, f"{head}\nBACKUPS=b; mkdir -p b\nset +e\n{calls}\nexit 0\n")

    assert not (tmp_path / "pwned").exists()
    assert "\x1b" not in script


@pytest.mark.parametrize("platform", ["3.5", "3.6"])
def test_every_step_of_a_plan_is_a_command_and_every_wait_can_be_asked(platform: str) -> None:
    plan = s.plan(s.cluster(platform), platform=platform)

    script = kubectl_script(plan, hand_checks(plan))

    assert "kubectl cannot tell" not in script
    for step in plan.steps:
        assert f"step_{function_word(step.id)}() {{" in script
    writes = [step for step in plan.steps if isinstance(step, SetFields)]
    assert len(re.findall(r"^ +patch .*RESOURCE_VERSION", script, re.MULTILINE)) == 2 * len(writes) + sum(
        1 for step in writes if step.withdrawal
    )
    assert all(f'"uid":"{step.uid}"' in script for step in writes)
    waits = [step for step in plan.steps if isinstance(step, Wait)]
    assert script.count("\n  wait_until check_") >= len(waits)


def test_a_plan_that_may_not_be_applied_ends_with_its_own_code_and_writes_nothing(tmp_path: Path) -> None:
    plan = msgspec.structs.replace(s.plan(s.cluster("3.6"), platform="3.6"), exit_code=12)

    assert "a risk is not accepted" in shell(tmp_path, kubectl_script(plan), answer="yes", wanted=12)


def test_another_cluster_is_refused_before_anything_else(tmp_path: Path) -> None:
    plan = s.plan(s.cluster("3.6"), platform="3.6")

    told = shell(tmp_path, kubectl_script(plan), answer="another-uid", wanted=13)

    assert told == "stopped: this is not the cluster of the plan\n"


ANSWERS = [
    (SameUid(object=A, uid="u"), "u", 0),
    (SameUid(object=A, uid="u"), "v", 1),
    (SameUid(object=A, uid="u"), "", 1),
    (Not(of=SameUid(object=A, uid="u")), "v", 0),
    (FieldIs(object=A, path=("spec", "a"), values=("x", "y")), "here:string:y", 0),
    (FieldIs(object=A, path=("spec", "a"), values=("x",)), "here:string:x\n", 1),
    (FieldIs(object=A, path=("spec", "a"), values=(True,)), "here:bool:true", 0),
    (FieldIs(object=A, path=("spec", "a"), values=(True,)), "here:string:true", 1),
    (FieldIs(object=A, path=("spec", "a"), values=(3,)), "here:int64:3", 0),
    (FieldAtLeast(object=A, path=("spec", "a"), least=10), "here:int64:9", 1),
    (FieldAtLeast(object=A, path=("spec", "a"), least=10), "here:float64:10", 0),
    (FieldMatches(object=A, path=("a",), pattern=r"3\.6(\..*)?"), "here:string:3.6.1", 0),
    (FieldMatches(object=A, path=("a",), pattern=r"3\.6(\..*)?"), "here:string:3.60", 1),
    (KeysMatch(object=A, path=("a",), pattern=r"tokens-.*(?<!-tokens)"), "here:tokens-1-per-1m\ntokens-2-id\n", 0),
    (KeysMatch(object=A, path=("a",), pattern=r"tokens-.*(?<!-tokens)"), "here:tokens-1\ntokens-x-tokens\n", 1),
    (KeysMatch(object=A, path=("a",), pattern=r"tokens-.*"), "here:", 1),
    (HasKeyWithin(object=A, path=("spec",), key="k"), "{}", 0),
    (HasKeyWithin(object=A, path=("spec",), key="k"), "", 1),
]


@pytest.mark.parametrize(("predicate", "answer", "wanted"), ANSWERS, ids=[f"{n}" for n in range(len(ANSWERS))])
def test_a_check_judges_an_answer_as_the_engine_would(tmp_path: Path, predicate: Any, answer: str, wanted: int) -> None:
    checks = Checks()
    name = checks.name_of(predicate)
    plan = msgspec.structs.replace(s.plan(s.cluster("3.6"), platform="3.6"), steps=(), forecast=())
    library = kubectl_script(plan).partition("# What must hold")[0]

    shell(tmp_path, f"{library}\n{checks.text()}\n{name} && exit 0 || exit $?\n", answer=answer, wanted=wanted)


def test_a_client_that_fails_leaves_every_check_unknown(tmp_path: Path) -> None:
    checks = Checks()
    name = checks.name_of(Not(of=SameUid(object=A, uid="u")))
    plan = msgspec.structs.replace(s.plan(s.cluster("3.6"), platform="3.6"), steps=(), forecast=())
    library = kubectl_script(plan).partition("# What must hold")[0]

    shell(tmp_path, f"{library}\nKUBECTL=false\n{checks.text()}\n{name} && exit 0 || exit $?\n", wanted=2)


@pytest.mark.parametrize("pattern", [r"a(?=b)", r"a*?", r"\bx"])
def test_a_pattern_that_a_shell_cannot_match_is_said(pattern: str) -> None:
    with pytest.raises(CannotBeAskedError):
        patterns(pattern)


def test_a_value_that_is_no_scalar_is_said() -> None:
    with pytest.raises(CannotBeAskedError):
        typed(["a"])


def test_a_wait_that_cannot_be_asked_stops_the_script_in_place_of_passing() -> None:
    plan = s.plan(s.cluster("3.6"), platform="3.6")
    odd = FieldIs(object=A, path=("spec",), values=({"a": 1},))
    steps = tuple(msgspec.structs.replace(step, until=odd) if isinstance(step, Wait) else step for step in plan.steps)

    assert "stop 20 'kubectl cannot tell" in kubectl_script(msgspec.structs.replace(plan, steps=steps))


def test_a_go_string_holds_any_character() -> None:
    assert go_string('a"\\\n\x7fé😀') == '"a\\"\\\\\\u000a\\u007f\\u00e9\\U0001f600"'


@pytest.mark.parametrize("word", [*EVIL, "", "a'b\\\u202ec", "\n", "é😀"])
def test_a_word_reaches_the_shell_as_it_is_and_no_screen_moves(tmp_path: Path, word: str) -> None:
    text = quoted(word)

    assert escaped(text) == text
    assert shell(tmp_path, f"printf '%s|' {text}\n") == f"{word}|"


def test_two_ids_never_share_a_function() -> None:
    assert len({function_word(text) for text in ("a-b", "a_b", "a:b", "a.b", "a2db", "a_2d_b")}) == 6
