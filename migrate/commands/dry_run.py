"""``apply --dry-run=server``: every write of the plan sent with ``dryRun=All``, and nothing else."""

from migrate.commands.context import Context
from migrate.commands.runs import Ended
from migrate.engine.perform import refused
from migrate.errors import BlockedError, NotAuthorisedError
from migrate.records.plan import CheckAccess, Plan, SetFields
from migrate.records.writes import Write, WriteError, WriteRefusedError

_READ_S = 30.0


def try_dry(context: Context, plan: Plan) -> Ended:
    """
    Ask for the permissions of *plan* and try its writes on the server.

    Raises:
        NotAuthorisedError: A permission is missing.

        BlockedError: The server refuses a write.
    """
    for step in plan.steps:
        if isinstance(step, CheckAccess):
            _must_be_permitted(context, step)
    tried = sum(_try(context, step) for step in plan.steps if isinstance(step, SetFields))
    context.say(f"{tried} writes were tried on the server with dryRun=All; nothing was written")
    return Ended(code=0, plan=plan)


def _must_be_permitted(context: Context, step: CheckAccess) -> None:
    for answer in context.live().cluster().review(step.needs):
        need = answer.need
        if not answer.allowed and not need.optional:
            verdict = "Not permitted" if answer.allowed is False else "Unknown, the server refuses to say"
            raise NotAuthorisedError(
                f"{verdict}: {need.verb} {need.resource} in {need.namespace or 'the cluster'} ({need.why}). "
                "Nothing was written.",
                resolution="Grant it (maas-migrate rbac --for apply prints the Roles), then run this again.",
            )


def _try(context: Context, step: SetFields) -> int:
    cluster = context.live().cluster()
    live = cluster.read(step.object, timeout_s=_READ_S) if step.object else None
    if step.object is None or live is None:
        return 0
    request = Write(
        verb="patch",
        object=step.object,
        uid=step.uid or live.uid,
        resource_version=live.resource_version,
        body=step.after,
        dry_run=True,
    )
    try:
        cluster.write(request, timeout_s=_READ_S)
    except WriteRefusedError as error:
        raise refused(step.object, error) from error
    except WriteError as error:
        raise BlockedError(
            f"{step.object} could not be tried: {error.message}; nothing was written.",
            resolution="Look at the object and try again.",
            object=str(step.object),
        ) from error
    return 1
