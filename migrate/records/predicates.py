"""What must hold of live objects, as data: it can be planned, shown, waited for and replayed."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, dataclass_transform

import msgspec

from migrate.records.objects import MISSING, KubeObject, ObjectRef, get_in, shown

View = Mapping[ObjectRef, KubeObject | None]
"""The state of each object asked for; None is "the server said 404"."""

FieldPath = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
"""The names on the way to a field, at least one."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Base(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, tag_field="is"):
    """The base of all predicates; ``is`` tells them apart in JSON."""


class Exists(Base, kw_only=True, tag="Exists"):
    """The object is there, and is not being deleted."""

    object: ObjectRef


class Gone(Base, kw_only=True, tag="Gone"):
    """The object with this UID is gone: absent, or another one has its name."""

    object: ObjectRef
    uid: str


class SameUid(Base, kw_only=True, tag="SameUid"):
    """The object is there with this UID and is not being deleted."""

    object: ObjectRef
    uid: str


class FieldIs(Base, kw_only=True, tag="FieldIs"):
    """The field has one of these values; a missing object or field has none."""

    object: ObjectRef
    path: FieldPath
    values: tuple[Any, ...]


class FieldPresent(Base, kw_only=True, tag="FieldPresent"):
    """The field is there and not null."""

    object: ObjectRef
    path: FieldPath


class FieldAbsent(Base, kw_only=True, tag="FieldAbsent"):
    """The object is there without the field (or with null in it)."""

    object: ObjectRef
    path: FieldPath


class FieldMatches(Base, kw_only=True, tag="FieldMatches"):
    """The field is a string that the pattern matches as a whole."""

    object: ObjectRef
    path: FieldPath
    pattern: str


class FieldAtLeast(Base, kw_only=True, tag="FieldAtLeast"):
    """The field is a number of at least this."""

    object: ObjectRef
    path: FieldPath
    least: int


class KeysMatch(Base, kw_only=True, tag="KeysMatch"):
    """The mapping at path is not empty and each of its keys matches the pattern as a whole."""

    object: ObjectRef
    path: FieldPath
    pattern: str


class HasKeys(Base, kw_only=True, tag="HasKeys"):
    """The mapping at path has all of these keys and none of those."""

    object: ObjectRef
    path: FieldPath
    all_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()


class HasKeyWithin(Base, kw_only=True, tag="HasKeyWithin"):
    """Somewhere inside the value at path, lists included, a mapping has this key (a field in a CRD's schema)."""

    object: ObjectRef
    path: FieldPath
    key: str


class ConditionIs(Base, kw_only=True, tag="ConditionIs"):
    """
    A status condition has this status (and one of these reasons, if any are given).

    It counts only when it was observed at the object's generation: the condition's own
    observedGeneration decides when it is set and not 0, else ``status.observedGeneration``; where
    neither is reported it counts.
    """

    object: ObjectRef
    type: str
    status: str
    reasons: tuple[str, ...] = ()


class RolledOut(Base, kw_only=True, tag="RolledOut"):
    """A Deployment's present generation is rolled out: observed, updated, available, no old replicas."""

    object: ObjectRef


class ManagedBy(Base, kw_only=True, tag="ManagedBy"):
    """The label ``app.kubernetes.io/managed-by`` or a field manager is this name."""

    object: ObjectRef
    manager: str


class All(Base, kw_only=True, tag="All"):
    """Each of them holds."""

    of: tuple["Predicate", ...]


class AnyOf(Base, kw_only=True, tag="AnyOf"):
    """One of them holds."""

    of: tuple["Predicate", ...]


class Not(Base, kw_only=True, tag="Not"):
    """It does not hold."""

    of: "Predicate"


Predicate = (
    Exists
    | Gone
    | SameUid
    | FieldIs
    | FieldPresent
    | FieldAbsent
    | FieldMatches
    | FieldAtLeast
    | KeysMatch
    | HasKeys
    | HasKeyWithin
    | ConditionIs
    | RolledOut
    | ManagedBy
    | All
    | AnyOf
    | Not
)


class Outcome(msgspec.Struct, frozen=True):
    """Whether a predicate holds; *missing* says in words what does not hold yet."""

    holds: bool
    missing: tuple[str, ...] = ()


MANAGED_BY_LABEL = "app.kubernetes.io/managed-by"


def refs_of(predicate: Predicate) -> frozenset[ObjectRef]:
    """Return every object that *predicate* looks at."""
    return frozenset(_refs(predicate))


def _refs(predicate: Predicate) -> Iterator[ObjectRef]:
    match predicate:
        case All(of=parts) | AnyOf(of=parts):
            for part in parts:
                yield from _refs(part)
        case Not(of=inner):
            yield from _refs(inner)
        case _:
            yield predicate.object


def evaluate(predicate: Predicate, view: View) -> Outcome:
    """Return whether *predicate* holds of *view*, and in words what is missing."""
    match predicate:
        case All(of=parts):
            outcomes = [evaluate(part, view) for part in parts]
            missing = tuple(text for outcome in outcomes for text in outcome.missing)
            return Outcome(all(outcome.holds for outcome in outcomes), missing)
        case AnyOf(of=parts):
            outcomes = [evaluate(part, view) for part in parts]
            if any(outcome.holds for outcome in outcomes):
                return Outcome(holds=True)
            return Outcome(holds=False, missing=tuple(text for outcome in outcomes for text in outcome.missing))
        case Not(of=inner):
            outcome = evaluate(inner, view)
            return Outcome(holds=not outcome.holds, missing=(f"not: {describe(inner)}",) if outcome.holds else ())
        case _:
            thing = view.get(predicate.object)
            holds, seen = _leaf(predicate, thing)
            return Outcome(holds, () if holds else (f"{describe(predicate)}; seen: {seen}",))


def _leaf(predicate: Predicate, thing: KubeObject | None) -> tuple[bool, str]:  # noqa: C901, PLR0911, PLR0912
    """Return whether a leaf holds, and what was seen; one case a line, so that the table can be read."""
    if isinstance(predicate, Gone):
        return thing is None or thing.uid != predicate.uid, "still there" if thing else "absent"
    if thing is None:
        return False, "object absent"
    match predicate:
        case Exists():
            return not thing.is_deleting, "being deleted" if thing.is_deleting else "there"
        case SameUid(uid=uid):
            return thing.uid == uid and not thing.is_deleting, f"UID {thing.uid}"
        case FieldIs(path=path, values=values):
            value = thing.get(*path, default=MISSING)
            return value is not MISSING and value in values, shown(value)
        case FieldPresent(path=path):
            return thing.get(*path) is not None, "absent"
        case FieldAbsent(path=path):
            return thing.get(*path) is None, shown(thing.get(*path))
        case FieldMatches(path=path, pattern=pattern):
            value = thing.get(*path)
            return isinstance(value, str) and re.fullmatch(pattern, value) is not None, shown(value)
        case FieldAtLeast(path=path, least=least):
            value = thing.get(*path)
            return isinstance(value, (int, float)) and value >= least, shown(value)
        case KeysMatch(path=path, pattern=pattern):
            keys = _keys(thing, path)
            return bool(keys) and all(re.fullmatch(pattern, key) for key in keys), ", ".join(sorted(keys)) or "none"
        case HasKeys(path=path, all_of=needed, none_of=refused):
            keys = _keys(thing, path)
            return set(needed) <= keys and not keys & set(refused), ", ".join(sorted(keys)) or "none"
        case HasKeyWithin(path=path, key=key):
            return _key_within(thing.get(*path), key), "no such key"
        case ConditionIs():
            return _condition_is(predicate, thing)
        case RolledOut():
            return _rolled_out(thing)
        case ManagedBy(manager=manager):
            return thing.labels.get(MANAGED_BY_LABEL) == manager or manager in thing.managers, ", ".join(
                sorted(thing.managers)
            )
        case _:
            raise TypeError(predicate)


def _keys(thing: KubeObject, path: tuple[str, ...]) -> set[str]:
    value = thing.get(*path)
    return set(value) if isinstance(value, Mapping) else set()


def _key_within(value: Any, key: str) -> bool:
    if isinstance(value, Mapping):
        return key in value or any(_key_within(inner, key) for inner in value.values())
    return isinstance(value, list) and any(_key_within(inner, key) for inner in value)


def _condition_is(predicate: ConditionIs, thing: KubeObject) -> tuple[bool, str]:
    condition = thing.condition(predicate.type)
    if condition is None:
        return False, "no such condition"
    seen = f"{condition.get('status')} {condition.get('reason', '')}: {one_line(condition.get('message', ''))}".strip()
    observed = observed_generation(thing, condition)
    if observed is not None and observed < thing.generation:
        return False, f"{seen} (observedGeneration is {observed} of {thing.generation})"
    fits = condition.get("status") == predicate.status
    return fits and (not predicate.reasons or condition.get("reason") in predicate.reasons), seen


def one_line(text: Any) -> str:
    """Return *text* of a cluster as one line, so that it cannot pass for lines of ours."""
    return " ".join(str(text).split())


def words_of(predicate: Predicate, view: View) -> tuple[str, ...]:
    """Return what the conditions that *predicate* looks at say themselves, in the controller's words."""
    match predicate:
        case All(of=parts) | AnyOf(of=parts):
            return tuple(dict.fromkeys(text for part in parts for text in words_of(part, view)))
        case Not(of=inner):
            return words_of(inner, view)
        case ConditionIs(object=ref, type=kind):
            thing = view.get(ref)
            condition = thing.condition(kind) if thing else None
            message = one_line(condition.get("message") or "") if condition else ""
            return (f"{kind} of {ref} says: {message}",) if message else ()
        case _:
            return ()


def observed_generation(thing: KubeObject, condition: Mapping[str, Any]) -> int | None:
    """Return the generation that *condition* speaks of, None when nobody reports one."""
    for value in (condition.get("observedGeneration"), get_in(thing.raw, "status", "observedGeneration")):
        if isinstance(value, int) and value > 0:
            return value
    return None


def _rolled_out(thing: KubeObject) -> tuple[bool, str]:
    wanted = thing.get("spec", "replicas", default=1)
    status = thing.get("status", default={})
    observed = get_in(status, "observedGeneration", default=thing.generation)
    updated = get_in(status, "updatedReplicas", default=get_in(status, "replicas", default=0))
    total, available = get_in(status, "replicas", default=0), get_in(status, "availableReplicas", default=0)
    counts = f"{available} of {wanted} available, {updated} updated, {total} in all"
    seen = f"{counts}, generation {observed} of {thing.generation}"
    if thing.is_deleting:
        return False, "being deleted"
    if not all(isinstance(count, int) for count in (observed, thing.generation, updated, wanted, total, available)):
        return False, f"counts that are no numbers: {seen}"
    return observed >= thing.generation and updated >= wanted and total <= updated and available >= wanted, seen


def describe(predicate: Predicate) -> str:  # noqa: C901, PLR0911, PLR0912
    """Return *predicate* in words, for a screen."""
    match predicate:
        case All(of=parts):
            return " and ".join(describe(part) for part in parts)
        case AnyOf(of=parts):
            return "(" + " or ".join(describe(part) for part in parts) + ")"
        case Not(of=inner):
            return f"not ({describe(inner)})"
        case Exists(object=ref):
            return f"{ref} exists"
        case Gone(object=ref, uid=uid):
            return f"{ref} with UID {uid} is gone"
        case SameUid(object=ref, uid=uid):
            return f"{ref} still has UID {uid}"
        case FieldIs(object=ref, path=path, values=values):
            return f"{ref} has {'.'.join(path)} = {' or '.join(map(repr, values))}"
        case FieldPresent(object=ref, path=path):
            return f"{ref} has {'.'.join(path)}"
        case FieldAbsent(object=ref, path=path):
            return f"{ref} has no {'.'.join(path)}"
        case ConditionIs(object=ref, type=kind, status=status, reasons=reasons):
            return f"{ref} has condition {kind}={status}" + (f" ({' or '.join(reasons)})" if reasons else "")
        case RolledOut(object=ref):
            return f"{ref} is rolled out"
        case ManagedBy(object=ref, manager=manager):
            return f"{ref} is managed by {manager}"
        case _:
            return _describe_keys(predicate)


def _describe_keys(predicate: Predicate) -> str:
    match predicate:
        case FieldMatches(object=ref, path=path, pattern=pattern):
            return f"{ref} has {'.'.join(path)} like {pattern}"
        case FieldAtLeast(object=ref, path=path, least=least):
            return f"{ref} has {'.'.join(path)} of {least} or more"
        case KeysMatch(object=ref, path=path, pattern=pattern):
            return f"{ref} has only keys like {pattern} in {'.'.join(path)}"
        case HasKeyWithin(object=ref, path=path, key=key):
            return f"{ref} has the key {key} somewhere in {'.'.join(path)}"
        case HasKeys(object=ref, path=path, all_of=needed, none_of=refused):
            parts = ([f"the keys {', '.join(needed)}"] if needed else []) + (
                [f"not {', '.join(refused)}"] if refused else []
            )
            return f"{ref} has in {'.'.join(path)} {' and '.join(parts)}"
        case _:
            raise TypeError(predicate)
