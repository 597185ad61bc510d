"""Pages of what a run is made of: steps, actions, what ends a wait, and what a way back says."""

from typing import Final

from migrate.changes.explain_page import Page, page

_BACK: Final = "contract §4.6"


def _step(code: str, *texts: str) -> Page:
    return page("step", code, *texts)


def _action(code: str, *texts: str) -> Page:
    return page("action", code, *texts)


STEPS: Final = (
    _step(
        "check-access",
        "Asks the server whether every verb that apply and rollback need is permitted.",
        "A right that is missing shows before the first write, not in the midst.",
        "Grant what it names; maas-migrate rbac prints the Role.",
        "case CH-29",
    ),
    _step(
        "back-up",
        "Saves every object concerned, seals the set and reads it back.",
        "Without a verified backup nothing that could lose data is started.",
        "Keep the run directory; it is all that a rollback needs.",
        "contract §4.6, last paragraph",
    ),
    _step(
        "dry-run",
        "Sends every write of this part with dryRun=All.",
        "Schemas and webhooks say no here, while nothing has been written.",
        "Mend what the message names, and resume.",
        "contract §4.7",
    ),
    _step(
        "review-bindings",
        "Names every model binding that a person must have tested on Praxis.",
        "A pass of the compatibility check proves neither streaming nor every direction.",
        "Test them, then answer yes; --yes is recorded as 'not reviewed'.",
        "Upgrade to 3.6; contract §5.2",
    ),
    _step(
        "pin-engine",
        "Sets payload-processing-type=ipp on a tenant.",
        "The 3.5 controllers ignore it; on 3.6 it keeps the move in your hands.",
        "Nothing to do; a rollback leaves the pin.",
        "contract §0.2",
    ),
    _step(
        "gate",
        "Stops the run until the operator is upgraded to 3.6; exit code 20.",
        "OLM does not go back; the upgrade is somebody's decision.",
        "Approve the InstallPlan, wait until the operator reports 3.6, then maas-migrate resume.",
        "contract §4.8",
    ),
    _step(
        "cache-ttl",
        "Waits one lifetime of the metadata cache.",
        "Until then Authorino may give identities without the short id.",
        "Do not create subscriptions before it is over.",
        "contract §6.7",
    ),
    _step(
        "api-translation",
        "Sets spec.apiTranslation.enabled as --api-translation asks.",
        "The compatibility check depends on it.",
        "Nothing to do; a rollback puts back what was there.",
        "contract §4.7, §5.3",
    ),
    _step(
        "flip",
        "Sets payload-processing-type=praxis, with force in the same patch where it was accepted.",
        "The controllers then delete IPP, the plugins ConfigMap included.",
        "Nothing to do; a stop takes it back while nothing is deleted.",
        "contract §4.2, §4.7",
    ),
    _step(
        "wait-praxis",
        "Waits until Praxis really serves the tenant.",
        "Ready alone is no proof; the wait looks at every effect.",
        "Read what it is waiting for; the hint names the state.",
        "contract §4.2 end",
    ),
    _step(
        "settle-policies",
        "Waits until the policies that held before hold again, and stay so.",
        "During a roll-out they flap.",
        "Read the conditions of the policy that it names.",
        "contract §7.7",
    ),
    _step(
        "verify",
        "Reads the tenant, or the cluster, again and compares it with the plan.",
        "What was written is not yet what is.",
        "Look up each check that failed: maas-migrate explain CHECK.",
        "contract §7.7",
    ),
    _step(
        "remove-force",
        "Takes our force annotation away.",
        "No controller does, and a later flip would be forced.",
        "Nothing to do.",
        "contract §2.1, §4.7",
    ),
)
"""Every maker that a runbook may name in ``uses``."""

ACTIONS: Final = (
    _action(
        "CheckAccess",
        "Asks for permissions; writes nothing.",
        "See check-access.",
        "See check-access.",
        "the plan's steps",
    ),
    _action("BackUp", "Saves objects as one sealed set.", "See back-up.", "See back-up.", "the plan's steps"),
    _action("DryRun", "Tries writes with dryRun=All.", "See dry-run.", "See dry-run.", "the plan's steps"),
    _action("Ask", "Names what a person must review.", "See review-bindings.", "Answer it.", "the plan's steps"),
    _action(
        "SetFields",
        "Sends a JSON merge patch with the UID and the resourceVersion read just before.",
        "Nobody else's write is lost, and no other object is met.",
        "Compare 'before' and 'after' in the plan.",
        "contract §4.7",
    ),
    _action(
        "Wait",
        "Waits by watch until something holds.",
        "The effect counts, not the order to do it.",
        "See what it waits for in the plan (-o wide).",
        "contract §4.2",
    ),
    _action("Pause", "Waits on the clock.", "Where the fact is a time.", "Nothing to do.", "contract §6.7"),
    _action("Gate", "Ends part one.", "See gate.", "See gate.", "contract §4.8"),
    _action("Verify", "Reads again and compares.", "See verify.", "See verify.", "contract §7.7"),
    _action(
        "Restore",
        "Puts an object back as it stands in the backup set, in one request.",
        "The cleaned-up object comes back with the product's default content.",
        "Nothing to do; its bytes are compared afterwards.",
        _BACK,
    ),
    _action(
        "Restart",
        "Restarts a Deployment by an annotation on its Pod template.",
        "Pods read their ConfigMap at the start only.",
        "Nothing to do.",
        _BACK,
    ),
)
"""Every action of a plan."""

OUTCOMES: Final = (
    page(
        "wait failure",
        "TenantReplaced",
        "The MaasTenantConfig was deleted, or another object has its name now.",
        "The backups and promises of the run do not describe it; nothing of it is written or taken back.",
        "Look at what happened to the tenant, then make a new plan.",
        "contract §4.2",
    ),
    page(
        "finding",
        "RollbackUnknown",
        "What a way back rests on could not be read.",
        "Unknown is not absent; a rollback on a guess could make it worse.",
        "Read it with a user who may.",
        _BACK,
    ),
    page(
        "finding",
        "RollbackNeedsController",
        "The tenant is on Praxis, and no controller is there that would release it.",
        "Nobody cleans Praxis up or drops its finalizer; by annotation alone the tenant hangs.",
        "Bring the 3.6 controllers back, then run the rollback again.",
        _BACK,
    ),
    page(
        "finding",
        "EvidenceOnly",
        "Backups of subscriptions, policies, filters and dashboards are not written back.",
        "A subscription that is created again gets another identity and loses its counters.",
        "Use them to compare.",
        _BACK,
    ),
    page(
        "finding",
        "CannotComeBack",
        "What a rollback does not bring back.",
        "Counters in the present window, and the operator's version, do not go back.",
        "Plan with it.",
        _BACK,
    ),
)
"""What ends a wait at once, and what the plan of a way back says."""

_RISK: Final = "the command line's list of risks"
RISK_TEXTS: Final[dict[str, tuple[str, str, str]]] = {
    "force-custom-plugins-configmap": (
        "The gate protects the ConfigMap; force takes that away. It is set in the patch of the flip and removed after.",
        "Re-apply what you need in the Praxis shape; the run lists every difference that was lost.",
        "Upgrade to 3.6; contract §3.5, §4.5",
    ),
    "unsupported-external-models": (
        "It is a risk of its own: force does not cover it. The controller records it as Degraded.",
        "Review each model that the plan names, and test it on Praxis.",
        "Upgrade to 3.6; contract §5.3",
    ),
    "gitops-managed-object": (
        "The tool may take the write back within seconds; the run notices, names it and stops safely.",
        "Better: put the patch that the plan prints into git, or pause the sync.",
        "lessons 35; cases CH-19, CH-20",
    ),
    "no-maintenance-window": (
        "Steps start at any time, since nothing limits them.",
        "Say --window none with it; better give a window.",
        _RISK,
    ),
    "operator-upgrade": (
        "The upgrade of the operator cannot be taken back.",
        "Leave it to whoever upgrades your operators.",
        _RISK,
    ),
    "identity-quota-reset": (
        "Counters live under the identity; a new identity starts at zero.",
        "Choose a time at which that harms nobody.",
        "Upgrade to 3.6; contract §6.4",
    ),
}
"""Why, what to do and source of each risk."""
