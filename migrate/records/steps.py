"""
The steps of a plan: a closed, tagged union; ``action`` tells them apart in JSON.

A change composes steps; it brings no code into a run. One step, many
interpreters: shown as text, as a command for a person, run forward, run backward.
"""

from typing import Any, Literal, dataclass_transform

import msgspec

from migrate.records.essence import Fingerprint
from migrate.records.objects import Json, ObjectRef, Record
from migrate.records.predicates import Predicate

Undo = Literal["exact", "lossy", "none"]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class StepBase(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, tag_field="action"
):
    """
    What every step says of itself.

    Attributes:
        id: Unique in the plan: ``flip:models-as-a-service``.

        title: One line.

        phase: The runbook's phase.

        tenant: The tenant it belongs to, ``""`` for all.

        object: The object that it changes or looks at, None when there are several.

        before: The fields as they are, shaped like *after*; null where there was none.

        after: The fields as they will be; the merge patch itself where the step writes.

        undo: Whether it can be taken back.

        undo_note: What is lost when not exactly.

        irreversible: From here on the run cannot be taken back in full.

        estimate_seconds: How long it takes.

        undo_estimate_seconds: How long the way back from it to the last safe point takes.

        timeout_seconds: When it counts as out of time.

        attempts: How often it is tried in all.

        window: ``inside`` starts only when it fits before the cutoff.

        prose: What a person should know before it runs.
    """

    id: str
    title: str
    phase: str
    tenant: str = ""
    object: ObjectRef | None = None
    before: Any = None
    after: Any = None
    undo: Undo = "exact"
    undo_note: str = ""
    irreversible: bool = False
    estimate_seconds: int
    undo_estimate_seconds: int = 0
    timeout_seconds: int
    attempts: int = 1
    window: Literal["inside", "outside"] = "inside"
    prose: str = ""


class AccessNeed(Record, kw_only=True):
    """
    One permission that a run or its rollback needs.

    Attributes:
        resource: Plural, with the subresource after a slash.

        why: Which step needs it.

        optional: Without it less can be proved, and that is all.
    """

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""
    why: str = ""
    optional: bool = False


class CheckAccess(StepBase, kw_only=True, tag="CheckAccess"):
    """Ask the server whether every verb that apply and rollback need is permitted. Writes nothing."""

    needs: tuple[AccessNeed, ...]


class BackUpItem(Record, kw_only=True):
    """
    One object to save.

    Attributes:
        uid: The UID it must have.

        optional: It may be gone by then; that is recorded.
    """

    object: ObjectRef
    uid: str
    optional: bool = False


class BackUp(StepBase, kw_only=True, tag="BackUp"):
    """Save the objects as one sealed, verified set, raw as read."""

    items: tuple[BackUpItem, ...]


class DryRun(StepBase, kw_only=True, tag="DryRun"):
    """
    Send every write of this part to the server with ``dryRun=All``; nothing is written.

    Attributes:
        restores: Objects for which the write that a rollback would send is tried too.
    """

    restores: tuple[ObjectRef, ...] = ()


class Ask(StepBase, kw_only=True, tag="Ask"):
    """
    Name what a person must review, and wait for a yes.

    Attributes:
        question: One sentence that can be answered with yes.

        names: What is to be reviewed; an Ask with nothing to name is skipped.
    """

    question: str
    names: tuple[str, ...] = ()


class Withdrawal(Record, kw_only=True):
    """
    How a stop after this step takes it back while nothing is lost yet.

    Attributes:
        object: The object to patch.

        patch: The merge patch.

        only_while: Withdraw only while this holds; else run forward and say so.

        then_holds: What must still hold in a read after the patch; else a person is needed and ``rollback`` is named.
    """

    object: ObjectRef
    patch: Json
    only_while: Predicate
    then_holds: Predicate | None = None


class SetFields(StepBase, kw_only=True, tag="SetFields"):
    """
    Send *after* to *object* as a JSON merge patch. Undo: *before* as a merge patch.

    Attributes:
        uid: The UID the object must have.

        expects: Fingerprint of its essence when the plan was made; ``""`` skips the
            comparison (the object is first seen in the run).

        only_if: Skipped as "not needed" unless this holds just before, None always runs.

        forbidden_if: Stops the run (a person is needed) when this holds just before.

        withdrawal: How a later stop takes it back, None when it stands.
    """

    uid: str
    expects: Fingerprint | str = ""
    only_if: Predicate | None = None
    forbidden_if: Predicate | None = None
    withdrawal: Withdrawal | None = None


class Failure(Record, kw_only=True):
    """
    What ends a wait at once.

    Attributes:
        reason: CamelCase, such as ``PayloadProcessingBlocked``.

        message: For a person.

        resolution: The next move.

        when: What must hold.

        after_own_write: Counts only in a state newer than our own last write to each object in it.
    """

    reason: str
    message: str
    resolution: str
    when: Predicate
    after_own_write: bool = True


class Wait(StepBase, kw_only=True, tag="Wait"):
    """
    Wait by watch until something holds.

    Attributes:
        until: What must hold.

        fails: What ends the wait at once.

        settle_seconds: How long *until* must hold without a break.

        hints: Names for what is waited on while a predicate does not hold, first that holds wins.

        accepts_as_base: Objects whose essence, as it is then, is the run's new base.

        withdrawal: How a stop in this wait takes the flip back, None when it runs forward.

        forward_note: What goes on by itself when the wait stops and does not withdraw.
    """

    until: Predicate
    fails: tuple[Failure, ...] = ()
    settle_seconds: int = 0
    hints: tuple["Hint", ...] = ()
    accepts_as_base: tuple[ObjectRef, ...] = ()
    withdrawal: Withdrawal | None = None
    forward_note: str = ""


class Hint(Record, kw_only=True):
    """A known state on the way, and what it is called."""

    when: Predicate
    says: str


class Pause(StepBase, kw_only=True, tag="Pause"):
    """Wait on the clock, where the fact is a time."""

    seconds: int
    why: str


class Gate(StepBase, kw_only=True, tag="Gate"):
    """
    The end of part one: the run gives the lease back and waits for somebody else's work.

    Attributes:
        closed_while: While this holds nothing has happened yet; the run goes on waiting.

        open_when: When this holds the run goes on.

        waiting_for: For the screen: ``the operator upgrade to 3.6``.
    """

    closed_while: Predicate
    open_when: Predicate
    waiting_for: str
    hints: tuple[Hint, ...] = ()


class Verify(StepBase, kw_only=True, tag="Verify"):
    """
    Read the cluster again and compare it with what the plan promised.

    Attributes:
        tenants: Which tenants; none means all of the plan and the whole cluster.

        final: Whether its verdict is the run's.
    """

    tenants: tuple[str, ...] = ()
    final: bool = False


class Restore(StepBase, kw_only=True, tag="Restore"):
    """
    Put *object* back as it stands in the backup set, in one request.

    A live immutable object is deleted and created instead; nothing else ever is.

    Attributes:
        file: The backup's file inside the run directory.

        sha256: Its digest as sealed.

        sections: Top-level members put back whole (``data``, ``binaryData``, ``immutable``).

        drop_annotations: Annotations of the backup that are not put back.

        set_annotations: Annotations that are set whatever the backup says.
    """

    file: str
    sha256: str
    sections: tuple[str, ...]
    drop_annotations: tuple[str, ...] = ()
    set_annotations: dict[str, str] = msgspec.field(default_factory=dict)


class Restart(StepBase, kw_only=True, tag="Restart"):
    """
    Restart a Deployment by an annotation on its Pod template.

    Attributes:
        only_after: Id of the step that must have changed something, else it is skipped.
    """

    only_after: str = ""


Step = CheckAccess | BackUp | DryRun | Ask | SetFields | Wait | Pause | Gate | Verify | Restore | Restart
