"""What the commands of this folder found, one file a level, and the page that is made of them."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.torture.spans import Span, folded, total

ROOT: Final = Path(__file__).resolve().parents[2]
PLACE: Final = Path(__file__).parent / "results"
PAGE: Final = ROOT / "docs" / "reliability.md"


def _commit() -> str:
    words = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


BEGUN_AT: Final = _commit()
"""The commit that this process began at: what it runs is of that one, whatever is committed meanwhile."""


def record(level: str, **numbers: Any) -> None:
    """Keep the result of *level*, with date and commit, over the last one."""
    _write(level, {"level": level, "date": _today(), "commit": BEGUN_AT, **numbers})


def record_span(level: str, **numbers: Any) -> None:
    """Keep the result of a stretch of *level* beside those of the others."""
    path = PLACE / f"{level}.json"
    known = json.loads(path.read_text()).get("spans", []) if path.exists() else []
    new = Span(date=_today(), commit=BEGUN_AT, **numbers)
    spans = folded([Span.read(each) for each in known], new)
    _write(level, {"level": level, "spans": [span.written() for span in spans]})


def _today() -> str:
    return datetime.now(UTC).date().isoformat()  # noqa: TID251 - the date of a result is the machine's


def _write(level: str, document: Mapping[str, Any]) -> None:
    PLACE.mkdir(exist_ok=True)
    (PLACE / f"{level}.json").write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")


def results() -> dict[str, Mapping[str, Any]]:
    """Return the last result of each level: what is in git, so that the page is the same in every clone."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(PLACE.glob("*.json")) if path in _kept()}
    return {level: _summed(level, one) if "spans" in one else one for level, one in found.items()}


def _summed(level: str, found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the stretches of *level* as one result."""
    all_of_it = total([Span.read(each) for each in found["spans"]])
    return {**all_of_it, "command": COMMANDS[level].format_map(all_of_it), "said": SAID[level].format_map(all_of_it)}


@cache
def _kept() -> frozenset[Path]:
    words = ["git", "ls-files", "-z", "--", str(PLACE)]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return (
        frozenset(ROOT / name for name in told.stdout.split("\0"))
        if not told.returncode
        else frozenset(PLACE.iterdir())
    )


PROMISES: Final = (
    (
        "I1",
        "No destructive call before a backup of exactly that object is on disk, synced, read again and matching.",
        "sweep, seeds, museum, `tests/unit/engine/test_settling.py`",
    ),
    (
        "I2",
        "A sealed backup never changes; any damage is found before use.",
        "`tests/properties/test_store_damage.py` (every bit, every length), disk",
    ),
    (
        "I3",
        "Two runs do not interleave writes; writing stops in time when the lease is not renewed.",
        "seeds (a second operator), museum",
    ),
    (
        "I4",
        "Nobody else's write is lost: UID and resourceVersion on every patch and delete, nothing sent blindly.",
        "sweep, seeds (foreign writers), `tests/unit/engine/test_writes.py`",
    ),
    (
        "I5",
        "A run with any number of crashes and resumes ends in the same cluster as one without.",
        "sweep, every-pair, kills",
    ),
    (
        "I6",
        "From any crash point a rollback restores what can be restored, and touches nothing else.",
        "sweep, every-pair, kills",
    ),
    (
        "I7",
        "Writes stay within the plan, and the plan within the closed table.",
        "every level; `tests/real/test_privileges.py`",
    ),
    (
        "I8",
        "The journal is append-only and chained; an intent is on disk before its write goes out.",
        "`tests/properties/test_store_damage.py`, disk, kills",
    ),
    (
        "I9",
        "No secret value on the screen, in logs, journal, report or plan.",
        "`tests/cli/test_attack_secrets.py`, `tests/properties/test_torture_secrets.py`",
    ),
    ("I10", "No subscription's rate-limit identity changes unless the accepted plan names it.", "every level"),
    ("I11", "Once faults stop, a run comes to an end within its time.", "seeds, kills"),
    ("I12", "Exit 0 means that every step has a verified post-condition.", "every level, museum"),
    (
        "I13",
        "Past the cutoff nothing new is begun, and nothing declared by us takes effect later.",
        "seeds (narrow windows), museum",
    ),
)

LEVELS: Final = {
    "sweep": "Every place of a run x every fault that can happen there x {resume, rollback}",
    "seeds": "Random stories: faults, foreign writers, slow controllers, clocks, a second operator",
    "pairs": "Two faults in one run: every pair of kinds of fault, and pairs of places by chance",
    "every-pair": "A kill at each place of an apply, and another at each place of what follows, up to its end",
    "disk": "Loss of power at every durable step: unsynced data dropped, torn, reordered",
    "kills": "The installed program, kill -9 at a random instant, on the embedded API server",
    "kills-real": "The same on a real kube-apiserver with etcd and kube-controller-manager",
    "museum": "Planted bugs that the harness has to find",
    "coverage": "Branches of engine, store and journal that the tests of those rooms take; below 100 % it fails",
    "mutants": "Mutants of engine, journal and store that the same tests kill; below 90 % it fails",
    "bench": "Requests and time by the number of subscriptions",
}


COMMANDS: Final = {
    "seeds": "make torture SEEDS={count} FROM={first}",
    "every-pair": "make torture-every-pair SHARES={span} FROM={first}",
    "kills": "make torture-kills N={count} FROM={first}",
    "kills-real": "make torture-kills N={count} FROM={first} TARGET=real",
}
"""The commands for all that was done of a level that is kept in stretches."""

LOST: Final = "lost backups, unreadable journals or runs without an end"
SAID: Final = {
    "seeds": "seeds {where}: {count}, {met} of them disturbed; {violations} with a violated invariant; ended {tally}",
    "every-pair": "shares {where} of 100: {count} pairs of kills, {violations} violations",
    "kills": f"seeds {{where}}: {{count}} kills ({{tally}}), {{violations}} {LOST}",
    "kills-real": f"seeds {{where}}: {{count}} kills ({{tally}}), {{violations}} {LOST}",
}

COUNTED: Final = frozenset({"seeds", "kills", "kills-real"})
"""The levels that take things by chance: their counts are so many trials."""


def page() -> str:
    """Return the page."""
    known = results()
    lines = [
        "# Nothing lost: what is promised and what was found",
        "",
        "Generated by `make reliability` from the results that the commands below left; do not edit by hand.",
        "",
        "## Promises",
        "",
        "| | | Held above all by |",
        "|---|---|---|",
        *(f"| {name} | {text} | {by} |" for name, text, by in PROMISES),
        "",
        "All but I9 are checked in simulated stories (`tests/torture/invariants.py`), and not everywhere: I5 and I6 by",
        "what is left, which after a second operator is only what others wrote; I10 on clusters of 3.6; I11 by an end",
        "within twelve calls of four hours, not by each plan's own bound, and Ctrl-C's two seconds by e2e tests.",
        "",
        "## Results",
        "",
        "| Level | Content | Command | Date, commit | Result | 95 % upper bound |",
        "|---|---|---|---|---|---|",
        *(_row(level, text, known.get(level)) for level, text in LEVELS.items()),
        "",
        *_LIMITS,
        *_survivors(known.get("mutants", {}).get("survivors", ())),
    ]
    return "\n".join(lines)


def _row(level: str, text: str, found: Mapping[str, Any] | None) -> str:
    if found is None:
        return f"| {level} | {text} | - | - | not run yet | - |"
    when = f"{found['date']}, {found['commit']}"
    return f"| {level} | {text} | `{found['command']}` | {when} | {found['said']} | {_bound(level, found)} |"


def _bound(level: str, found: Mapping[str, Any]) -> str:
    """
    Return what n clean trials say of the next one: with 95 % confidence, its chance to fail is below 3/n.

    They are those of one commit, the one with most of them: trials of several say nothing of any of those.
    """
    if level not in COUNTED:
        return "-"
    number = found["most"]
    return f"3/{number} = {300 / number:.2g} %" if not found["violations"] else "none: it was violated"


def _survivors(lines: Sequence[str]) -> tuple[str, ...]:
    if not lines:
        return ()
    head = ("## Mutants that live", "", "Each is a change that no test of those rooms noticed.", "")
    return (*head, *(f"- `{line.replace('`', '')}`" for line in lines), "")


_LIMITS: Final = (
    "Zero violations are no proof of none: with n clean trials by chance, the chance that the next one fails is below",
    "3/n with 95 % confidence; n is that of the commit with most of them. Only stories and kills are such trials, and",
    "kills only nearly, for up to twenty share a cluster; the other levels take every case, or the share of cases that",
    "the row says. Where a seed led to a change, it is part of the stretch that was run again after that change.",
    "A level too long for one sitting is added up of stretches, each of which is the result of its own commit.",
    "A result is that of its commit; what changed since is covered by the shares of these levels in `make test`.",
    "",
    "## What the method is",
    "",
    "The real commands, engine, store, planning, verification and cluster code run in one thread on virtual time.",
    "The API server is the embedded one, the controllers are played, and beside the folder that is the disk stands a",
    "model of what a loss of power would leave of it.",
    "One seed decides everything that goes wrong, so each finding can be played again:",
    "`PYTHONHASHSEED=0 python -m tests.torture --from SEED --seeds 1 -v`.",
    "",
    "Stories of one kind are the same until something goes wrong for the first time: that part is played once, and the",
    "process is forked where the first of them parts from the others; a replay plays one story alone, to the same end.",
    "A story in which nothing goes wrong is one trial too; the row says how many were not such.",
    "",
    "In a sweep the process is forked at each place.",
    "Where two faults leave the same cluster and the same disk behind, only the first goes on from there; a set or a",
    "file that was not finished counts as there or not there, whatever its name.",
    "After one durable step and before the next, disk and cluster are the same: that is one place, not two.",
    "",
    "## What it cannot show",
    "",
    "- It shows this tool, not maas-controller and not ai-gateway-controller: those are played from public sources.",
    "- It cannot show that Limitador's counters survive, nor that traffic is served: no data plane is here.",
    "- Watches are read by polling on virtual time; the threads that follow real watches have tests of their own.",
    "- The model of the disk keeps the names of one folder in order and tears only what was not synced; a drive that",
    "  lies about a flush is not modelled.",
    "- Kills by signal leave what the system has taken; what a loss of power leaves is only modelled, never tried.",
    "- The real API server of the tests has no kubelet and no admission webhooks but those that a test starts.",
    "- Branches that are taken are not branches that are right; the mutants say how much of that is noticed, and they",
    "  are single small changes: what runs on import (tables of facts, types) is not mutated.",
    "- What fuzzing did not find in its examples it did not find; each run of the tests takes others.",
    "- A fault that nobody thought of is not among the faults; the museum shows what kind of bug would be found.",
    "",
)


def main() -> int:
    """Write the page."""
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
