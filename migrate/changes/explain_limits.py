"""Why findings of limits, policies and dashboards matter, and the next move. A table: code, why, what to do."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "CountersRestart": (
        "The names of limits change with the operator upgrade, and a counter lives under its name.",
        "Nothing prevents it. Choose the time of the upgrade with the longest window in mind.",
    ),
    "SubscriptionWithoutStatus": (
        "Existing subscriptions are told by their status. This one would lose its live counters like a new one.",
        "Find out why the controller never gave it a status, before the upgrade.",
    ),
    "SubscriptionOrphaned": (
        "It grants nothing, whatever it says.",
        "Move it to the namespace of a tenant, or remove it.",
    ),
    "SubscriptionNotActive": (
        "It is not served now, and will not be afterwards; that is no fault of the migration.",
        "Mend it, or expect it to stay so.",
    ),
    "SubscriptionTerminating": (
        "Something holds it; it counts until it is gone.",
        "Wait until it is gone, or find out what holds it.",
    ),
    "IdentityUnknown": (
        "Whether its counters go on cannot be promised, so the verification cannot pass it.",
        "Use a build of 3.6 that stamps status.rateLimitIdentity.",
    ),
    "IdentitySpecInvalid": ("3.6 refuses every later change of it.", "Set it to legacy or short, or remove it."),
    "WindowNotEnforced": (
        "It is Active and Ready, and its limit is in no policy: its users are not limited, or not let in.",
        "Choose a window of 8784h or less.",
    ),
    "SubscriptionNotInPolicy": (
        "The policy is what is enforced. What is not in it has no limit of its own.",
        "Check its windows and its status, and look at the log of maas-controller.",
    ),
    "PolicyMissing": (
        "Nothing limits the model, or the default deny refuses it.",
        "Look at the status of the subscriptions and of the MaaSModelRef.",
    ),
    "PolicyNotAccepted": (
        "It is not enforced now; the run does not wait for it and the verification calls it pre-existing.",
        "Mend it, or expect it to stay so.",
    ),
    "PoliciesShareARoute": (
        "Kuadrant takes one policy for one route; the others are overridden.",
        "Give each model a route of its own.",
    ),
    "PolicyOptedOut": (
        "It keeps asking for identities in the old form, which 3.6 does not send for new subscriptions.",
        "Remove the annotation before the upgrade, or bring it to the new contract by hand.",
    ),
    "AuthPolicyMissing": (
        "Requests to that gateway have no identity.",
        "Nothing to do when no model is published there; else look at the MaaSAuthPolicies.",
    ),
    "ModelNotReady": ("It is not served now; that is no fault of the migration.", "Mend it, or expect it to stay so."),
    "LimitsNearSize": (
        "An object may have 1.5 MiB; beyond that the gateway keeps its last configuration and changes stop.",
        "Use fewer rate sets, fewer route matches, or several gateways.",
    ),
    "UsageDashboardOptIn": (
        "The old dashboard goes away with the upgrade.",
        "To keep it, set spec.usageMetricsDashboard on Config default after the upgrade, as the finding shows.",
    ),
    "UsageDashboardLeftover": ("It shows nothing new.", "Remove it by hand when nobody looks at it."),
}
