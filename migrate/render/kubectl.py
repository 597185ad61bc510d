"""The same plan as commands for a person: a bash script of plain ``kubectl`` with the checks between them."""

from collections.abc import Iterable, Iterator

from migrate.records.objects import ObjectRef, get_in
from migrate.records.plan import GroundSet, Plan, SetFields, Step, Verify
from migrate.records.predicates import Predicate, describe
from migrate.render.escape import escaped
from migrate.render.git_text import comments, git_lines
from migrate.render.kubectl_checks import CannotBeAskedError, Checks, kind_word, quoted
from migrate.render.kubectl_library import LIBRARY
from migrate.render.kubectl_steps import StepWriter, function_word
from migrate.render.plan_text import changes

_USAGE = """\
# It does what the plan says, in its order: run it with bash, or copy what you want to type.
# Each step looks first whether it is done already, so the whole can be run again after a stop.
# Ends with 0, or with the codes of maas-migrate: 4 not permitted, 11 blocked, 13 changed since the plan,
# 20 waits for you, 21 refused or needs a person, 22 out of time, 24 a backup could not be written.
# It keeps no journal, holds no lock and has no window: one person at a time.
"""


def kubectl_script(plan: Plan, final: Iterable[Predicate] = ()) -> str:
    """
    Return *plan* as a script.

    Args:
        plan: The plan.

        final: What must hold at the end, besides what the waits wait for.
    """
    checks = Checks()
    writer = StepWriter(plan, checks, final)
    bodies = [(f"step_{function_word(step.id)}", step, _body(writer, step)) for step in plan.steps]
    done = _done(writer)
    withdrawals = [line for name, lines in writer.withdrawals() for line in _function(name, lines)]
    parts = [
        _head(plan),
        LIBRARY,
        "# What must hold, one function each.\n" + checks.text(),
        "".join(line + "\n" for line in withdrawals),
        *("".join(f"{line}\n" for line in _of_step(name, step, lines)) for name, step, lines in bodies),
        _main(plan, [name for name, _, _ in bodies], done),
        _tail(plan),
    ]
    return "\n".join(part for part in parts if part)


def _head(plan: Plan) -> str:
    cluster = plan.cluster
    lines = [
        "#!/usr/bin/env bash",
        f"# Plan {plan.id}, read at {escaped(plan.created_at)}",
        f"# for {escaped(cluster.server)} (cluster {escaped(cluster.id)}, context {escaped(cluster.context)}),",
        f"# platform {escaped(plan.platform)}, runbook {escaped(plan.runbook.name)}.",
    ]
    for finding in plan.findings:
        if finding.impact in {"blocking", "risk"}:
            where = escaped(finding.object) if finding.object else "cluster"
            lines.append(f"# {finding.impact}: {escaped(finding.code)} {where}: {escaped(finding.message)}")
    lines += [
        f"# accepted by {escaped(risk.by)}: {escaped(risk.id)} ({escaped(risk.reason)})"
        for risk in plan.risks
        if risk.accepted
    ]
    return "\n".join(lines) + "\n" + _USAGE + "set -euo pipefail\numask 077\n"


def _body(writer: StepWriter, step: Step) -> list[str]:
    try:
        return writer.lines(step)
    except CannotBeAskedError as error:
        return [f"stop 20 {quoted(f'kubectl cannot tell {escaped(error)}: look yourself, or use maas-migrate apply')}"]


def _of_step(name: str, step: Step, lines: list[str]) -> Iterator[str]:
    yield f"# {escaped(step.id)}: {escaped(step.title)}"
    yield from (f"#   {escaped(line)}" for line in step.prose.splitlines())
    if step.object:
        yield f"#   {escaped(step.object)}"
    if isinstance(step, SetFields):
        yield from (
            f"#   {escaped(path)}: {escaped(was)} -> {escaped(will)}"
            for path, was, will in changes(step.before, step.after)
        )
    if step.undo_note:
        yield f"#   {escaped(step.undo_note)}"
    yield from _function(name, lines)


def _function(name: str, lines: list[str]) -> Iterator[str]:
    yield f"{name}() {{"
    yield from (f"  {line}" for line in lines)
    yield "}"


def _done(writer: StepWriter) -> str:
    try:
        return writer.done()
    except CannotBeAskedError:
        return ""


def _main(plan: Plan, names: list[str], done: str) -> str:
    if plan.exit_code or not plan.steps:
        words = {11: "the plan is blocked", 12: "a risk is not accepted", 4: "something needed could not be read"}
        say = words.get(plan.exit_code, "nothing to do")
        return f"say {quoted(f'{say}; see maas-migrate plan')}\nexit {plan.exit_code}\n"
    cluster = quoted("Namespace.v1.", "", "kube-system", plan.cluster.id)
    lines = [
        f"same_uid {cluster} || stop 13 'this is not the cluster of the plan'",
        *([f"if {done}; then say 'everything is written already'; DONE=1; fi"] if done else []),
        *(_members(group) for group in plan.ground_sets),
        f"BACKUPS=${{BACKUPS:-./maas-migrate-backups-{plan.id[:12]}}}",
        'mkdir -p "$BACKUPS"',
    ]
    for name, step in zip(names, plan.steps, strict=True):
        title = quoted(f"> {escaped(step.id)}: {escaped(step.title)}")
        again = "" if isinstance(step, Verify) else 'if [ -z "$DONE" ]; then '
        lines.append(f"{again}say {title}; {name}{'; fi' if again else ''}")
    # A function is read as a whole before it runs: the file may change meanwhile.
    return "\n".join(_function("main", [*lines, "say 'done'", "exit 0"])) + "\nmain\n"


def _members(group: GroundSet) -> str:
    """Return that the set is the plan's; a kind without members may be one that the server does not know."""
    if not group.members:
        return f"# There was no {escaped(group.kind)} when the plan was made."
    uids = [member.uid for member in group.members]
    words = quoted(kind_word(group.members[0].object), *uids)
    return f"same_members {words} || stop 13 {quoted(f'the {group.kind}s are not those of the plan; plan again')}"


def _tail(plan: Plan) -> str:
    """Return, as comments, the forecast and the way back."""
    lines: list[str] = []
    if plan.git:
        lines.append("# A GitOps tool owns what is written: put this into git in place of the writes.")
        lines += comments(line for patch in plan.git for line in git_lines(patch))
    if plan.forecast:
        lines.append("# Part two, planned again after the upgrade:")
        lines += [f"#   {escaped(step.id)}: {escaped(step.title)}" for step in plan.forecast]
    flips = [step for step in plan.steps if isinstance(step, SetFields) and step.withdrawal is not None]
    if flips:
        lines.append(
            "# The way back, while 3.6 controllers run (maas-migrate rollback does the same from its own backups):"
        )
    for step in flips:
        if step.withdrawal is None or step.object is None:
            continue
        lines.append(f"#   1. {_by_hand(step.object, step.withdrawal.patch)}")
        lines.append("#   2. wait until its status annotation is gone, it is Ready and both Deployments are available")
        lines.append(
            f"#   3. put the data of the saved ConfigMap back ({escaped(describe(step.withdrawal.only_while))}:"
        )
        lines.append("#      then nothing was deleted and nothing is to be put back), and restart both Deployments")
    return "".join(line + "\n" for line in lines)


def _by_hand(ref: ObjectRef, patch: object) -> str:
    notes = get_in(patch, "metadata", "annotations")
    pairs = notes.items() if isinstance(notes, dict) else ()
    words = [f"{key}-" if value is None else f"{key}={value}" for key, value in pairs]
    where = ["--namespace", ref.namespace] if ref.namespace else []
    return escaped("kubectl annotate --overwrite " + quoted(kind_word(ref), ref.name, *where, *words))
