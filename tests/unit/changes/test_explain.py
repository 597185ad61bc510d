"""Every code that the program can print has a page that says something."""

import importlib
import re
from pathlib import Path
from typing import get_args

import pytest

import migrate
from migrate.changes.explain import PAGES, WHY, find_pages, near_codes
from migrate.changes.explain_codes import REASONS
from migrate.changes.explain_page import Page
from migrate.changes.findings import CATALOGUE, RISKS
from migrate.changes.plan_runbook import MAKERS
from migrate.changes.rollback_facts import back_step
from migrate.commands.explain import explain
from migrate.errors import ExitCode, MigrateError
from migrate.records.assessment import Decision
from migrate.records.journal import RunStateName
from migrate.records.runbook import Runbook
from migrate.records.steps import Step
from migrate.store.runbooks import load_runbook, shipped_names

ROOT = Path(migrate.__file__).parent


def text_of(*parts: str) -> str:
    files = [path for part in parts for path in sorted((ROOT / part).rglob("*.py"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files if not path.name.startswith("explain"))


def shipped(name: str) -> Runbook:
    return load_runbook(name, ROOT).runbook


def errors(kind: type[MigrateError] = MigrateError) -> set[type[MigrateError]]:
    return {kind} | {found for below in kind.__subclasses__() for found in errors(below)}


def codes(kind: str) -> set[str]:
    return {page.code for page in PAGES if page.kind == kind}


def test_every_finding_that_is_made_has_a_page() -> None:
    source = text_of("changes", "commands")
    made = set(re.findall(r'(?:finding\(|_blocking\(did,|_note\(|code=)\s*"([A-Z]\w+)"', source)) | set(CATALOGUE)

    assert made - codes("finding") - codes("wait failure") == set()
    assert set(CATALOGUE) - set(WHY) == set(), "write why it matters and what to do in changes/explain_*.py"


def test_every_risk_exit_code_step_and_action_has_a_page() -> None:
    assert codes("risk") == set(RISKS)
    assert codes("exit code") == {str(int(code)) for code in ExitCode}
    assert codes("step") == set(MAKERS)
    assert codes("action") == {kind.__struct_config__.tag for kind in Step.__args__}


def test_every_state_of_a_run_and_every_decision_has_a_page() -> None:
    assert codes("run state") == set(get_args(RunStateName))
    assert codes("decision") == set(get_args(Decision))


def test_every_step_of_a_plan_is_explained_by_the_id_that_the_screen_shows() -> None:
    there = {step.id for name in shipped_names() for phase in shipped(name).phases for step in phase.steps}
    source = text_of("changes")
    back = set(re.findall(r'(?:_times|_base)\(\s*f?"([a-z-]+)[":]', source)) | {back_step("x").partition(":")[0]}

    assert there
    assert back > {"access-back", "ipp", "restart"}
    for step in there | back:
        assert explain(f"{step}:some-tenant").pages, step
        assert explain(step.upper()).pages, step


def test_every_reason_of_an_error_has_a_page_with_its_own_exit_code() -> None:
    for name in ("migrate.engine.run", "migrate.engine.steps", "migrate.engine.waiting", "migrate.cli.wiring"):
        importlib.import_module(name)
    found = {kind.reason: kind.exit_code for kind in errors() if kind.__module__.startswith("migrate.")}

    assert set(found) <= codes("error")
    assert {reason: code for reason, code in found.items() if REASONS[reason] != code} == {}


def test_every_check_has_a_page() -> None:
    made = set(re.findall(r'(?:judge|said)\(\s*"([A-Z]\w+)"', text_of("changes", "commands")))
    made |= {f"Policy{condition}" for condition in ("Accepted", "Enforced")}

    assert made
    assert made - codes("check") == set()


def test_every_failure_of_a_wait_has_a_page() -> None:
    made = set(re.findall(r'Failure\(\s*reason="(\w+)"', text_of("changes")))

    assert made
    assert made - {page.code for page in PAGES} == set()


def test_every_note_of_a_fingerprint_has_a_page() -> None:
    source = text_of("maas")
    made = set(re.findall(r'Note\(\s*"([a-z-]+)"', source)) | set(
        re.findall(r'^    [A-Z_]+: "([a-z-]+)",$', source, re.MULTILINE)
    )
    stages = ("pre-processing", "processing")
    made |= {f"{stage}-{fault}" for stage in stages for fault in ("unparsable", "wrong-kind", "deviates")}

    assert made - codes("fingerprint") == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.kind} {page.code}")
def test_a_page_says_what_why_and_what_to_do(page: Page) -> None:
    for part in ("meaning", "why", "todo", "source"):
        text = getattr(page, part)
        assert text == text.strip() != ""
    assert str(page.meaning).endswith(".")


def test_no_code_has_two_pages_of_one_kind() -> None:
    names = [(page.kind, page.code) for page in PAGES]

    assert len(names) == len(set(names))


def test_a_code_is_found_in_any_case_and_near_ones_are_offered() -> None:
    assert [page.code for page in find_pages("gitopsmanaged")] == ["GitOpsManaged"]
    assert find_pages("GitOps") == ()
    assert near_codes("GitOpsManged")[0] == "GitOpsManaged"
    assert "GitOpsManaged" in near_codes("GitOps")
    assert near_codes("\x1b") == ()
