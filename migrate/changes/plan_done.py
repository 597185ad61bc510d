"""Has the plan anything left to do on the cluster as it is?"""

from collections.abc import Iterable, Mapping
from typing import Any

from migrate.records.merging import holds
from migrate.records.objects import ObjectRef
from migrate.records.plan import Plan, SetFields, Wait
from migrate.records.predicates import View, evaluate, refs_of


def refs_of_outcome(plan: Plan) -> tuple[ObjectRef, ...]:
    """Return every object that ``is_done`` looks at, sorted."""
    steps = (*plan.steps, *plan.forecast)
    refs = {step.object for step in steps if isinstance(step, SetFields) and step.object}
    refs |= {ref for step in steps if isinstance(step, Wait) for ref in refs_of(step.until)}
    return tuple(sorted(refs))


def is_done(plan: Plan, view: View) -> bool:
    """
    Return whether *plan* has nothing left to do: its net effect holds, and so does the end of each of its waits.

    What a step sets and a later one sets otherwise counts as the later one leaves it; the forecast of part two
    belongs to it, since a tenant that is only pinned has not been moved.
    """
    steps = (*plan.steps, *plan.forecast)
    for ref, net in _net_effect(steps).items():
        live = view.get(ref)
        if live is None or not holds(live.raw, net):
            return False
    return all(evaluate(step.until, view).holds for step in steps if isinstance(step, Wait))


def steps_touching_nothing(plan: Plan, view: View) -> tuple[str, ...]:
    """Return the ids of the steps whose fields are already as they would set them."""
    return tuple(
        step.id
        for step in plan.steps
        if isinstance(step, SetFields)
        and step.object is not None
        and (live := view.get(step.object)) is not None
        and holds(live.raw, step.after)
    )


def _net_effect(steps: Iterable[Any]) -> dict[ObjectRef, Any]:
    net: dict[ObjectRef, Any] = {}
    for step in steps:
        if isinstance(step, SetFields) and step.object is not None:
            net[step.object] = _joined(net.get(step.object, {}), step.after)
    return net


def _joined(first: Any, second: Any) -> Any:
    """Return one merge patch for two, one after the other; nulls stay, unlike in a merge."""
    if not isinstance(first, Mapping) or not isinstance(second, Mapping):
        return second
    return {
        key: _joined(first[key], second[key]) if key in first and key in second else second.get(key, first.get(key))
        for key in {**first, **second}
    }
