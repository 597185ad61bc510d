"""Codes of rate limits, policies and dashboards. A table: name, impact as a rule, meaning, source."""

from migrate.changes.findings_code import code

_PAGE = "Upgrade to 3.6, Existing subscriptions keep their live quotas"

CODES = (
    code(
        "CountersRestart",
        "advisory",
        "Limits are renamed at the operator upgrade: in-window counters may start again for everybody.",
        f"{_PAGE}; contract §6.4",
    ),
    code(
        "SubscriptionWithoutStatus",
        "advisory",
        "The controller would take this subscription for new and stamp it short.",
        "contract §6.4, §10 row 20",
    ),
    code(
        "SubscriptionOrphaned",
        "advisory",
        "No tenant lives in the subscription's namespace: the controller ignores it.",
        "contract §1.3, §10 row 12",
    ),
    code(
        "SubscriptionNotActive",
        "advisory",
        "A subscription is not Active; that was so before the migration.",
        "contract §1.3, §7.2, 7",
    ),
    code("SubscriptionTerminating", "advisory", "A subscription is being deleted.", "contract §6.4"),
    code(
        "IdentityUnknown",
        "advisory",
        "The identity that a subscription will have cannot be told.",
        "contract §6.4, §10 row 9",
    ),
    code("IdentitySpecInvalid", "advisory", "spec.rateLimitIdentity has a value that the CRD refuses.", _PAGE),
    code(
        "WindowNotEnforced",
        "advisory",
        "A window is longer than 366 days: the controller leaves the subscription out without a word.",
        "contract §1.3",
    ),
    code(
        "SubscriptionNotInPolicy",
        "advisory",
        "A subscription is missing in the policy of a model it names: it has no limit there.",
        "contract §1.3, §7.2, 7",
    ),
    code("PolicyMissing", "advisory", "A model that subscriptions name has no TokenRateLimitPolicy.", "contract §6.2"),
    code(
        "PolicyNotAccepted",
        "advisory",
        "A policy is not Accepted or not Enforced; that was so before the migration.",
        "contract §7.2, 6",
    ),
    code(
        "PoliciesShareARoute",
        "advisory",
        "Several policies target one route: only one of them is effective; that was so before the migration.",
        "case CH-03",
    ),
    code(
        "PolicyOptedOut",
        "advisory",
        "A policy is opted out: 3.6 does not rewrite it and it stays on the old contract.",
        "contract §2.2, §7.2, 11",
    ),
    code("AuthPolicyMissing", "advisory", "The gateway of a tenant has no AuthPolicy.", "contract §2.4, §7.2, 6"),
    code(
        "ModelNotReady",
        "advisory",
        "A MaaSModelRef is not Ready; that was so before the migration.",
        "contract §1.5, §7.2, 7",
    ),
    code(
        "LimitsNearSize",
        "advisory",
        "The gateway's configuration would come near the 1.5 MiB an object may have.",
        "Subscription Cardinality; contract §7.5",
    ),
    code(
        "UsageDashboardOptIn",
        "advisory",
        "The Prometheus usage dashboard is removed by 3.6 unless it is asked for.",
        "Upgrade to 3.6, Legacy metrics usage dashboard is opt-in; contract §7.6",
    ),
    code(
        "UsageDashboardLeftover",
        "info",
        "A copy of the usage dashboard from 3.4 belongs to nobody and stays.",
        "contract §7.6",
    ),
)
"""Rate limits, policies, size, dashboards."""
