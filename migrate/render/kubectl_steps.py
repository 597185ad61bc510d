"""The steps of a plan as functions of a shell."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from migrate.records.merging import compose
from migrate.records.objects import Json, ObjectRef
from migrate.records.plan import (
    AccessNeed,
    Ask,
    BackUp,
    CheckAccess,
    DryRun,
    Gate,
    Ground,
    Pause,
    Plan,
    Restart,
    SetFields,
    Step,
    Verify,
    Wait,
    Withdrawal,
)
from migrate.records.predicates import All, Predicate, refs_of
from migrate.render.escape import escaped
from migrate.render.kubectl_checks import Checks, holds_fields, object_words, quoted, text_template

READING = "plan and verify"
_DIGEST = re.compile(r"sha256:([0-9a-f]{64}) \(\d+ bytes\)")
_SAFE = re.compile(r"[^A-Za-z0-9.-]")
_LEASES = "leases"
_WATCHING = frozenset({"list", "watch"})


class StepWriter:
    """
    Writes the steps of one plan.

    Args:
        plan: The plan.

        checks: Where the functions for predicates are collected.

        final: What must hold at the end, besides what the waits wait for.
    """

    def __init__(self, plan: Plan, checks: Checks, final: Iterable[Predicate]) -> None:
        self._plan = plan
        self._checks = checks
        self._final = tuple(final)

    def lines(self, step: Step) -> list[str]:  # noqa: C901, PLR0911, PLR0912 - one case an action
        """Return the body of the function that does *step*. Raises CannotBeAskedError."""
        match step:
            case CheckAccess():
                return [
                    *map(_may, _needs(step)),
                    'if [ -n "${DENIED:-}" ]; then stop 4 "grant what is named above"; fi',
                ]
            case BackUp():
                return _back_up(step)
            case DryRun():
                return [line for each in self._writes() for line in self._dry_run(each)] or [":"]
            case Ask(question=question, names=names):
                return [f"review {quoted(question, *map(escaped, names))}"] if names else [":  # nothing to review"]
            case SetFields():
                return self._set_fields(step)
            case Wait():
                return self._wait(step)
            case Pause(seconds=seconds, why=why):
                return [f"sleep {seconds}  # {escaped(why)}"]
            case Gate():
                return self._gate(step)
            case Verify():
                return self._verify(step)
            case Restart(object=ObjectRef() as ref):
                words = quoted(*object_words(ref)[::2], "--namespace", ref.namespace)
                return [f'"$KUBECTL" rollout restart {words}']
            case _:
                return [f"stop 20 {quoted('this step is not one for kubectl: use maas-migrate rollback')}"]

    def done(self) -> str:
        """
        Return the name of what holds when nothing is left to write, ``""`` for a plan that goes on elsewhere.

        What one step sets and a later one sets otherwise counts as the later one leaves it.
        """
        if any(isinstance(step, Gate) for step in self._plan.steps):
            return ""
        net: dict[ObjectRef, Json] = {}
        for step in self._writes():
            net[_object(step)] = compose(net.get(_object(step), {}), step.after)
        waits = tuple(step.until for step in self._plan.steps if isinstance(step, Wait))
        written = tuple(holds_fields(ref, fields) for ref, fields in net.items())
        return self._name(All(of=(*written, *waits))) if written else ""

    def withdrawals(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the name and the body of each function that takes a flip back."""
        for step in self._plan.steps:
            if isinstance(step, SetFields) and step.withdrawal is not None:
                yield withdrawal_name(step), self._withdraw(step.withdrawal, step.uid)

    def _writes(self) -> Iterator[SetFields]:
        return (step for step in self._plan.steps if isinstance(step, SetFields) and step.object is not None)

    def _name(self, predicate: Predicate) -> str:
        return self._checks.name_of(predicate)

    def _dry_run(self, step: SetFields) -> list[str]:
        return [_patch(_object(step), step.uid, step.after, "--dry-run=server")]

    def _set_fields(self, step: SetFields) -> list[str]:
        ref = _object(step)
        lines = [f'if {self._name(holds_fields(ref, step.after))}; then say "  it is so already"; return 0; fi']
        if step.withdrawal is not None:
            lines[0] = lines[0].replace("return 0", f"WITHDRAW={withdrawal_name(step)}; return 0")
        if step.only_if is not None:
            lines.append(f'if ! {self._name(step.only_if)}; then say "  not needed"; return 0; fi')
        if step.before and not step.only_if:
            before = self._name(holds_fields(ref, step.before))
            lines.append(f"{before} || stop 13 {quoted(f'{ref} is not as the plan found it; plan again')}")
        if step.forbidden_if is not None:
            words = quoted(f"{ref} may not be written now; maas-migrate plan says why")
            allowed = f"negated {self._name(step.forbidden_if)}"
            lines += [f"{allowed} || stop 11 {words}", *self._same_texts(step.forbidden_if)]
        lines.append(_patch(ref, step.uid, step.after))
        if step.withdrawal is not None:
            lines.append(f"WITHDRAW={withdrawal_name(step)}")
        return lines

    def _same_texts(self, predicate: Predicate) -> Iterator[str]:
        """Yield that the texts which were judged are still those: long ones by digest."""
        grounds = {ground.object: ground for ground in self._plan.grounds}
        for ref in sorted(refs_of(predicate) & grounds.keys()):
            for key, digest in _texts(grounds[ref]):
                words = quoted(*object_words(ref), text_template(("data", key)), digest)
                yield f"text_is {words} || stop 13 {quoted(f'{ref} has another text now; plan again')}"

    def _wait(self, step: Wait) -> list[str]:
        words = [f"wait_until {self._name(step.until)} {step.timeout_seconds} {step.settle_seconds}"]
        words += [
            f"  {self._name(failure.when)} {quoted(f'{failure.message} {failure.resolution}')}"
            for failure in step.fails
        ]
        return [*" \\\n".join(words).split("\n"), *(["WITHDRAW=''"] if step.withdrawal is not None else [])]

    def _withdraw(self, withdrawal: Withdrawal, uid: str) -> list[str]:
        then = withdrawal.then_holds
        after = f"; {self._name(then)} || say 'something was deleted meanwhile: see the backups'" if then else ""
        return [
            f"if {self._name(withdrawal.only_while)}; then",
            f"  {_patch(withdrawal.object, uid, withdrawal.patch)}{after}",
            "  say 'the tenant was taken back to IPP; nothing was deleted'",
            "else",
            "  say 'the clean-up has begun and goes on by itself; run this again, or go back as shown below'",
            "fi",
        ]

    def _gate(self, step: Gate) -> list[str]:
        waiting = escaped(step.waiting_for)
        again = "then run this script again, and after that the one that 'maas-migrate plan -o kubectl' prints"
        return [
            f"if {self._name(step.closed_while)}; then stop 20 {quoted(f'waiting for {waiting}; {again}')}; fi",
            f"wait_until {self._name(step.open_when)} {step.timeout_seconds} 0",
            f"say {quoted('the gate is open: now make part two with maas-migrate plan -o kubectl')}",
        ]

    def _verify(self, step: Verify) -> list[str]:
        waits = [
            each.until
            for each in self._plan.steps
            if isinstance(each, Wait) and (each.tenant in step.tenants if step.tenants else True)
        ]
        must = All(of=(*waits, *(self._final if step.final else ())))
        return [
            f"wait_until {self._name(must)} {step.timeout_seconds} 0",
            "# maas-migrate verify looks at more than this: limits, identities and what a pass does not prove.",
        ]


def withdrawal_name(step: SetFields) -> str:
    """Return the name of the function that takes the flip of *step* back."""
    return f"withdraw_{function_word(step.id)}"


def function_word(text: str) -> str:
    """Return *text* as a part of a function's name; two texts give two names."""
    return "".join(
        character if character.isascii() and character.isalnum() else f"_{ord(character):x}_" for character in text
    )


def _object(step: SetFields) -> ObjectRef:
    if step.object is None:
        raise TypeError(step.id)
    return step.object


def _patch(ref: ObjectRef, uid: str, patch: Json, *flags: str) -> str:
    """Return the command; the resourceVersion takes the place of a word that stands nowhere else in the body."""
    placeholder = "RESOURCE_VERSION"
    text = msgspec.json.encode(patch).decode()
    while placeholder in text:
        placeholder += "_"
    body = compose(patch, {"metadata": {"uid": uid, "resourceVersion": placeholder}})
    words = (*object_words(ref), uid, msgspec.json.encode(body).decode(), placeholder, *flags)
    return f"patch {quoted(*words)}"


def _needs(step: CheckAccess) -> Iterator[AccessNeed]:
    """Yield what these commands need: they read less than the program, watch nothing and take no lock."""
    for need in step.needs:
        if need.why != READING and need.verb not in _WATCHING and need.resource != _LEASES:
            yield need


def _may(need: AccessNeed) -> str:
    resource = f"{need.resource}.{need.group}" if need.group else need.resource
    weight = "optional" if need.optional else "needed"
    return f"may {quoted(weight, need.verb, resource, need.namespace, need.name)}"


def _back_up(step: BackUp) -> list[str]:
    done = f'"$BACKUPS/{function_word(step.id)}.complete"'
    return [
        f'if [ -e {done} ]; then say "  saved before, in $BACKUPS"; return 0; fi',
        *_backups(step),
        '(cd "$BACKUPS" && sha256 ./*.yaml >SHA256SUMS)',
        f": >{done}",
        'say "  saved in $BACKUPS"',
    ]


def _backups(step: BackUp) -> Iterator[str]:
    for number, item in enumerate(step.items, 1):
        ref = item.object
        name = _SAFE.sub("_", f"{number:04d}-{ref.kind}-{ref.namespace or 'cluster'}-{ref.name}")[:200] + ".yaml"
        weight = "optional" if item.optional else "needed"
        yield f"save {quoted(weight, *object_words(ref), item.uid, name)}"


def _texts(ground: Ground) -> Iterator[tuple[str, str]]:
    for path, value in ground.outline.items():
        digest = _DIGEST.fullmatch(value) if isinstance(value, str) else None
        if path.startswith("data.") and digest:
            yield path.removeprefix("data."), digest[1]
