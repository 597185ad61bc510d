"""A runbook as data: is it one that may be run? The reading of the file is somebody else's."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from migrate.records.essence import digest_of
from migrate.records.objects import Json
from migrate.records.runbook import Phase, Runbook, RunbookStep

MAKERS: Final[dict[str, Literal["cluster", "tenant", "both"]]] = {
    "check-access": "cluster",
    "back-up": "cluster",
    "dry-run": "cluster",
    "review-bindings": "cluster",
    "pin-engine": "tenant",
    "gate": "cluster",
    "cache-ttl": "cluster",
    "api-translation": "tenant",
    "flip": "tenant",
    "wait-praxis": "tenant",
    "settle-policies": "both",
    "verify": "both",
    "remove-force": "tenant",
}
"""The closed set of step makers, and in which kind of phase each may stand."""

WRITERS: Final = frozenset({"pin-engine", "api-translation", "flip", "remove-force"})
"""The makers whose steps change the cluster; they start inside the window only."""

RISKS: Final = frozenset(
    {
        "force-custom-plugins-configmap",
        "unsupported-external-models",
        "gitops-managed-object",
        "no-maintenance-window",
        "operator-upgrade",
        "identity-quota-reset",
    }
)
"""The risks that a step may name in ``acknowledges``."""

NEEDED_BEFORE: Final[dict[str, tuple[str, ...]]] = {
    "pin-engine": ("check-access", "back-up", "dry-run"),
    "api-translation": ("check-access", "back-up", "dry-run"),
    "flip": ("check-access", "back-up", "dry-run"),
    "dry-run": ("check-access",),
    "wait-praxis": ("flip",),
    "remove-force": ("wait-praxis", "verify"),
}
"""What must stand before a step in the same part: no verified backup, no destructive step."""

_ID: Final = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?")
_MOST_ATTEMPTS: Final = 10


class RunbookError(ValueError):
    """
    A runbook cannot be used.

    Attributes:
        path: The field, ``phases[1].steps[0].uses``.

        problem: What is wrong with it.

        line: Where it stands in the file, 0 when nobody knows.
    """

    def __init__(self, path: str, problem: str, *, line: int = 0) -> None:
        where = f"line {line}, " if line else ""
        super().__init__(f"{where}{path or 'the document'}: {problem}")
        self.path = path
        self.problem = problem
        self.line = line


def validate(document: Any, lines: Mapping[str, int] | None = None) -> Runbook:
    """
    Return *document* as a runbook that keeps the rules of order.

    Args:
        document: The parsed file.

        lines: The line of each field path, when the reader knows them.

    Raises:
        RunbookError: The first problem found, with the field it is in.
    """
    try:
        runbook = msgspec.convert(document, Runbook)
        for check in _CHECKS:
            check(runbook)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$")
        raise _placed(RunbookError(path.strip("`").lstrip("."), problem), lines) from error
    except RunbookError as error:
        raise _placed(error, lines) from error
    return runbook


def runbook_digest(runbook: Runbook) -> str:
    """Return the SHA-256 of the runbook's content; comments and layout of the file do not count."""
    return digest_of(msgspec.to_builtins(runbook))


def runbook_schema() -> Json:
    """Return the JSON Schema of a runbook, the names of the makers included."""
    schema: Json = msgspec.json.schema(Runbook)
    properties = schema["$defs"]["RunbookStep"]["properties"]
    properties["uses"] = {"enum": sorted(MAKERS)}
    properties["acknowledges"] = {"type": "array", "items": {"enum": sorted(RISKS)}, "default": []}
    return schema


def _placed(error: RunbookError, lines: Mapping[str, int] | None) -> RunbookError:
    """Return *error* with the line of its field, or of the nearest field around it."""
    path = error.path
    while path:
        line = (lines or {}).get(path)
        if line:
            return RunbookError(error.path, error.problem, line=line)
        path = re.sub(r"(\.?[^.\[\]]+|\[\d+\])$", "", path)
    return error


def _steps(runbook: Runbook) -> Iterator[tuple[str, Phase, RunbookStep]]:
    for i, phase in enumerate(runbook.phases):
        for j, step in enumerate(phase.steps):
            yield f"phases[{i}].steps[{j}]", phase, step


def _check_names(runbook: Runbook) -> None:
    seen: dict[str, str] = {}
    for path, _, step in _steps(runbook):
        if not _ID.fullmatch(step.id):
            raise RunbookError(f"{path}.id", f"{step.id!r} is not a name of lower-case letters, digits and '-'")
        if step.id in seen:
            raise RunbookError(f"{path}.id", f"{step.id!r} is already the id of {seen[step.id]}")
        seen[step.id] = path
    if not seen:
        raise RunbookError("phases", "there is no step in it")


def _check_makers(runbook: Runbook) -> None:
    for path, phase, step in _steps(runbook):
        scope = MAKERS.get(step.uses)
        if scope is None:
            raise RunbookError(f"{path}.uses", f"{step.uses!r} is none of {', '.join(sorted(MAKERS))}")
        if scope not in {"both", phase.each}:
            raise RunbookError(f"{path}.uses", f"{step.uses!r} stands only in a phase with each: {scope}")
        if step.uses in WRITERS and step.window != "inside":
            raise RunbookError(f"{path}.window", f"{step.uses!r} writes to the cluster, so it must be 'inside'")
        for index, risk in enumerate(step.acknowledges):
            if risk not in RISKS:
                raise RunbookError(f"{path}.acknowledges[{index}]", f"{risk!r} is none of {', '.join(sorted(RISKS))}")


def _check_times(runbook: Runbook) -> None:
    for path, _, step in _steps(runbook):
        if step.estimate_s < 1:
            raise RunbookError(f"{path}.estimateS", f"{step.estimate_s} is not a duration; use 1 or more")
        if step.undo_estimate_s < 0:
            raise RunbookError(f"{path}.undoEstimateS", f"{step.undo_estimate_s} is not a duration; use 0 or more")
        if step.timeout_s < step.estimate_s:
            raise RunbookError(f"{path}.timeoutS", f"{step.timeout_s} is less than the estimate, {step.estimate_s}")
        if not 1 <= step.attempts <= _MOST_ATTEMPTS:
            raise RunbookError(f"{path}.attempts", f"{step.attempts} is not between 1 and {_MOST_ATTEMPTS}")


def _check_parts(runbook: Runbook) -> None:
    gates = [(path, phase) for path, phase, step in _steps(runbook) if step.uses == "gate"]
    if len(gates) > 1:
        raise RunbookError(f"{gates[1][0]}.uses", "there is a gate already; a runbook has at most one")
    part = 1
    for index, phase in enumerate(runbook.phases):
        if phase.part < part:
            raise RunbookError(f"phases[{index}].part", "part 1 cannot follow part 2")
        part = phase.part
    if gates and gates[0][1].part != 1:
        raise RunbookError(f"{gates[0][0]}.uses", "the gate is the end of part 1")
    if bool(gates) != (part == 2):
        raise RunbookError("phases", "a gate and a part 2 come together: one of the two is missing")
    if "3.5" in runbook.platforms and not gates:
        raise RunbookError("phases", "a runbook that starts on 3.5 needs a gate")
    first_part = [step for _, phase, step in _steps(runbook) if phase.part == 1]
    if gates and first_part[-1].uses != "gate":
        raise RunbookError("phases", f"step {first_part[-1].id!r} stands after the gate, yet in part 1")


def _check_order(runbook: Runbook) -> None:
    for part in (1, 2):
        before: list[str] = []
        for path, _, step in ((path, phase, step) for path, phase, step in _steps(runbook) if phase.part == part):
            _must_stand_before(path, step, before)
            before.append(step.uses)
    before_gate = [step.uses for _, phase, step in _steps(runbook) if phase.part == 1]
    if "gate" in before_gate and "pin-engine" not in before_gate:
        raise RunbookError("phases", "'gate' needs 'pin-engine' before it: else the upgrade itself may move tenants")
    if "gate" in before_gate and WRITERS & set(before_gate) != {"pin-engine"}:
        raise RunbookError("phases", "part 1 may pin tenants to IPP and nothing else: 3.5 knows no more")


def _must_stand_before(path: str, step: RunbookStep, before: Iterable[str]) -> None:
    for needed in NEEDED_BEFORE.get(step.uses, ()):
        if needed not in before:
            raise RunbookError(f"{path}.uses", f"{step.uses!r} needs {needed!r} before it in the same part")


def _check_flip(runbook: Runbook) -> None:
    uses = [step.uses for _, _, step in _steps(runbook)]
    for index, phase in enumerate(runbook.phases):
        names = [step.uses for step in phase.steps]
        if "flip" in names:
            _check_flip_phase(f"phases[{index}]", names)
            if "review-bindings" not in uses[: uses.index("flip")]:
                raise RunbookError(f"phases[{index}]", "'flip' needs 'review-bindings' before it")
    if uses.count("flip") != 1:
        raise RunbookError("phases", "a runbook has exactly one 'flip'")
    if uses[-1] != "verify" or runbook.phases[-1].each != "cluster":
        raise RunbookError("phases", "the last step is a 'verify' of the whole cluster")


def _check_flip_phase(path: str, names: list[str]) -> None:
    after = names[names.index("flip") + 1 :]
    wanted = [name for name in after if name in {"wait-praxis", "verify", "remove-force"}]
    if wanted != ["wait-praxis", "verify", "remove-force"]:
        raise RunbookError(
            path, "after 'flip' stand 'wait-praxis', 'verify' and 'remove-force', once each, in this order"
        )


_CHECKS: Final = (_check_names, _check_makers, _check_times, _check_parts, _check_order, _check_flip)
