"""Stretches of a long level are kept side by side: what was run again counts once, and gaps are named."""

from collections.abc import Mapping

from tests.torture.spans import Span, folded, stretches, total


def span(
    first: int, last: int, commit: str = "aaa", violations: int = 0, tally: Mapping[str, int] | None = None
) -> Span:
    return Span(
        first=first,
        last=last,
        count=last - first + 1,
        violations=violations,
        commit=commit,
        date="2026-12-01",
        met=1,
        tally=tally or {},
    )


def test_stretches_are_kept_in_order_whenever_they_were_run() -> None:
    assert folded([span(0, 9), span(20, 29)], span(10, 19)) == [span(0, 9), span(10, 19), span(20, 29)]


def test_what_lies_within_a_newer_one_is_no_result_any_more() -> None:
    assert folded([span(0, 9), span(10, 19, violations=2)], span(0, 19, "bbb")) == [span(0, 19, "bbb")]


def test_a_short_stretch_takes_no_longer_ones_place() -> None:
    known = [span(0, 9, violations=3), span(10, 19)]

    assert folded(known, span(5, 5, "bbb")) == known
    assert folded(known, span(8, 12, "bbb")) == known


def test_a_violation_is_kept_whatever_it_cuts_into() -> None:
    bad = span(15, 15, "bbb", violations=1)

    assert folded([span(0, 9), span(10, 19)], bad) == [span(0, 9), bad]


def test_a_gap_is_named() -> None:
    assert stretches([span(0, 9), span(10, 19), span(30, 39)]) == [(0, 19), (30, 39)]
    assert total([span(0, 9), span(10, 19), span(30, 39)])["where"] == "0 to 19 and 30 to 39"


def test_the_total_is_that_of_all_and_names_every_commit() -> None:
    found = total([span(0, 9, "aaa", tally={"succeeded": 9}), span(10, 19, "bbb", 2, {"succeeded": 1, "nothing": 4})])

    assert (found["count"], found["violations"], found["met"]) == (20, 2, 2)
    assert found["commit"] == "aaa (10), bbb (10)"
    assert (found["first"], found["span"], found["most"]) == (0, 20, 10)
    assert found["tally"] == "10 succeeded, 4 nothing"


def test_a_span_is_read_as_it_was_written() -> None:
    assert Span.read(span(0, 9).written()) == span(0, 9)
