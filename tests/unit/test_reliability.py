"""The page of what was promised and found is what the results make of it."""

from tests.torture import results
from tests.torture.results import COMMANDS, COUNTED, LEVELS, PAGE, PROMISES, SAID, page


def test_the_page_is_what_the_results_generate() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make reliability` and commit what it writes"


def test_every_result_has_a_row_and_every_promise_a_name() -> None:
    assert set(results.results()) <= set(LEVELS)
    assert set(LEVELS) >= COUNTED | set(SAID)
    assert set(SAID) == set(COMMANDS)
    assert [name for name, _, _ in PROMISES] == [f"I{number}" for number in range(1, 14)]


def test_a_bound_is_given_only_for_samples_without_a_violation() -> None:
    assert results._bound("seeds", {"most": 100_000, "violations": 0}) == "3/100000 = 0.003 %"
    assert results._bound("seeds", {"most": 1000, "violations": 1}) == "none: it was violated"
    assert results._bound("sweep", {"most": 3118, "violations": 0}) == "-"


def test_what_was_not_run_is_said() -> None:
    assert results._row("bench", "Requests", None) == "| bench | Requests | - | - | not run yet | - |"


def test_mutants_that_live_are_named() -> None:
    assert results._survivors([]) == ()
    assert "- `migrate/engine/run.py line 1: x becomes y`" in results._survivors(
        ["migrate/engine/run.py line 1: x becomes y"]
    )
