"""The catalogue of codes and the code that makes findings say the same."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import migrate.changes
from migrate.changes.findings import CATALOGUE, ONCE_ACCEPTED, RISKS, answered, finding
from migrate.changes.findings_limits import CODES as LIMITS
from migrate.changes.findings_payload import CODES as PAYLOAD
from migrate.changes.findings_platform import CODES as PLATFORM

ROOT = Path(migrate.changes.__file__).parent


def _emitted() -> set[str]:
    files = [path for path in ROOT.rglob("*.py") if not path.name.startswith(("findings_", "plan"))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r'finding\(\s*"([A-Z]\w+)"', text)) | {"NotInSource", "CouldNotRead"}


def test_every_code_that_is_made_is_in_the_catalogue_and_the_other_way_round() -> None:
    assert _emitted() == set(CATALOGUE)


def test_no_code_stands_twice() -> None:
    assert len(CATALOGUE) == len((*PLATFORM, *PAYLOAD, *LIMITS))


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_code_is_camel_case_and_has_a_meaning_and_a_source(code: str) -> None:
    assert re.fullmatch(r"([A-Z][a-z0-9]*)+|[A-Za-z0-9]+", code)
    assert CATALOGUE[code].meaning.endswith(".")
    assert CATALOGUE[code].source


def _risky() -> Iterator[str]:
    """Yield the code of each finding that is made with a risk."""
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "finding":
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant) and any(keyword.arg == "risk" for keyword in node.keywords):
                    yield str(first.value)


def test_what_is_left_once_a_risk_is_accepted_is_said_for_every_finding_that_has_one() -> None:
    assert set(_risky()) == set(ONCE_ACCEPTED)


def test_an_accepted_risk_is_not_offered_for_acceptance_again() -> None:
    offer = finding("GitOpsManaged", "m", resolution="Pause it; or accept it: --accept x=REASON.", risk="x")

    assert answered(offer, {"x": "why"}).resolution.startswith("It is accepted. Look after the run")
    assert answered(offer, {"y": "why"}) is offer


def test_a_code_that_is_not_in_the_catalogue_cannot_be_made() -> None:
    with pytest.raises(KeyError):
        finding("NoSuchCode", "m", resolution="r")


def test_the_risks_are_those_of_the_command_line() -> None:
    assert set(RISKS) == {
        "force-custom-plugins-configmap",
        "unsupported-external-models",
        "gitops-managed-object",
        "no-maintenance-window",
        "operator-upgrade",
        "identity-quota-reset",
    }
