"""
One suite, two targets: the embedded API server, and a real kube-apiserver where there is one.

``--targets`` says which; by default both, and the real half is left out with
one line when no real server is on the machine. At the end it is told how many
cases ran on each.
"""

import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.servers.locate import ABSENT, Programs, find

TARGETS: Final = ("embedded", "real")
WORDS: Final = ("passed", "failed", "known to differ")
_DONE: Final = {
    "passed": "passed",
    "failed": "failed",
    "error": "failed",
    "xfailed": "known to differ",
    "xpassed": "failed",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    choices = (*TARGETS, "both", "real-required")
    parser.addoption("--targets", choices=choices, default="both", help="which API servers the tests meet")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real: needs a real kube-apiserver; see tests/servers")
    if config.getoption("--targets") == "real-required" and find() is None:
        raise pytest.UsageError(ABSENT)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = str(config.getoption("--targets"))
    absent = find() is None
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        is_real = item.get_closest_marker("real") is not None
        fits = (absent is False and wanted != "embedded") if is_real else wanted in {"both", "embedded"}
        (kept if fits else left_out).append(item)
        if is_real:
            item.user_properties.append(("target", "real"))
    items[:] = sorted(kept, key=lambda item: item.get_closest_marker("long") is None)
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for outcome, word in _DONE.items():
        for report in terminalreporter.getreports(outcome):
            if report.when == "call" or outcome == "error":
                target = "real" if ("target", "real") in report.user_properties else "embedded"
                counts[target, word] += 1
    told = "; ".join(
        f"{target}: "
        + ", ".join(f"{counts[target, word]} {word}" for word in WORDS if counts[target, word] or word == "passed")
        for target in TARGETS
    )
    terminalreporter.write_line(f"cases by target: {told}")
    if config.getoption("--targets") == "embedded":
        terminalreporter.write_line("real half: not asked for; `make test-real` runs it")
    elif find() is None:
        terminalreporter.write_line(f"real half: skipped, {ABSENT}")


@pytest.fixture(scope="session")
def programs() -> Programs:
    """The real programs; what asks for them is marked ``real`` and so runs only where they are."""
    found = find()
    assert found is not None, ABSENT
    return found


@pytest.fixture(scope="session")
def kubectl_program() -> Path:
    """The kubectl beside this Python, else the one on the path."""
    found = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or shutil.which("kubectl")
    if found is None:
        pytest.fail("kubectl is missing; it comes with the development dependencies: make setup")
    return Path(found)
