"""
Goal: a merge patch, its inverse, the question whether it holds and the difference of two objects agree.

Method: random JSON objects and patches, among them nulls and branches that are absent.
"""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from migrate.records.merging import compose, difference, holds, inverse, merge, same

KEYS = st.sampled_from(["a", "b", "c"])
SCALARS = st.one_of(
    st.booleans(), st.integers(0, 3), st.text("xy", max_size=2), st.lists(st.integers(0, 2), max_size=2)
)


def objects(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    values = st.recursive(leaves, lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=6)
    return st.dictionaries(KEYS, values, max_size=3)


OBJECTS = objects(SCALARS)
PATCHES = objects(st.one_of(st.none(), SCALARS))


@given(OBJECTS, PATCHES)
def test_holds_asks_whether_merging_changes_nothing(target: dict[str, Any], patch: dict[str, Any]) -> None:
    merged = merge(target, patch)

    assert holds(target, patch) <= (canonical(merged) == canonical(target))
    assert same(merged, target) <= holds(target, patch)


@given(OBJECTS, PATCHES)
def test_after_merging_a_patch_it_holds(target: dict[str, Any], patch: dict[str, Any]) -> None:
    assert holds(merge(target, patch), patch)


@given(OBJECTS, PATCHES)
def test_the_inverse_takes_a_patch_back(target: dict[str, Any], patch: dict[str, Any]) -> None:
    assert canonical(merge(merge(target, patch), inverse(target, patch))) == canonical(target)


@given(OBJECTS, OBJECTS)
def test_the_difference_turns_one_into_the_other(target: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert canonical(merge(target, difference(target, wanted))) == canonical(wanted)


@given(OBJECTS)
def test_what_does_not_differ_needs_no_patch(target: dict[str, Any]) -> None:
    assert difference(target, target) == {}


@given(OBJECTS, PATCHES, PATCHES)
def test_two_patches_as_one_leave_what_the_second_wants(
    target: dict[str, Any], first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert holds(merge(target, compose(first, second)), second)


def canonical(value: Any) -> Any:
    """Tell true from 1 and 0 from false, which Python does not; an empty mapping is an absent one."""
    if isinstance(value, dict):
        return {key: canonical(inner) for key, inner in value.items() if canonical(inner) != {}}
    if isinstance(value, list):
        return [canonical(inner) for inner in value]
    return (type(value).__name__, value)
