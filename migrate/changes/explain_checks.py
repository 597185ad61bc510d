"""Pages of the checks of a verification: code, what is compared, why, what to do, source."""

from typing import Final

from migrate.changes.explain_page import Page, page

_END: Final = "contract §4.2 end, §7.7"


def _check(code: str, meaning: str, why: str, todo: str, source: str) -> Page:
    return page("check", code, meaning, why, todo, source)


PAGES: Final = (
    _check(
        "TenantPresent",
        "The MaasTenantConfig is the one of the plan, by UID.",
        "Another one has other backups and promises.",
        "Look at what happened to the tenant, then plan anew.",
        "contract §7.7",
    ),
    _check(
        "TenantKnown",
        "It can be told which objects are the tenant's and which Gateway serves it.",
        "Else nothing of it was looked at.",
        "Correct its labels, or the gateway of its AITenant.",
        "contract §2.4, §2.5",
    ),
    _check(
        "TenantPinned",
        "After part one the tenant is pinned to ipp.",
        "Some builds of 3.6 would move it by themselves.",
        "Resume the run, or set payload-processing-type=ipp.",
        "contract §0.2",
    ),
    _check(
        "TenantReady",
        "The MaasTenantConfig says Ready at its present generation.",
        "The controller has reconciled it to the end.",
        "Read the reason of its Ready condition.",
        _END,
    ),
    _check(
        "TenantDegraded",
        "A warning on the tenant is one that was expected or is known to be harmless.",
        "An unknown one may mean that part of the move is missing.",
        "Read the Degraded condition.",
        "contract §1.6, §5.3",
    ),
    _check(
        "EngineAskedFor",
        "payload-processing-type says the engine that was planned.",
        "The controllers follow it.",
        "Find out who changed it (managedFields); a GitOps tool may have.",
        _END,
    ),
    _check(
        "EngineSteady",
        "payload-processing-status is steady.",
        "Only then has ai-gateway-controller taken the tenant for good.",
        "Look at the log of ai-gateway-controller; never write the annotation by hand.",
        _END,
    ),
    _check(
        "MigrationMarkerGone",
        "No payload-processing-migration annotation is left.",
        "Left behind, it tells of a move that was blocked.",
        "Read the message of the Ready condition.",
        _END,
    ),
    _check(
        "HandOverFinished",
        "No hand-over between the controllers is under way.",
        "In the midst of one neither engine is whole.",
        "Wait, then verify again.",
        "contract §4.2, §4.6",
    ),
    _check(
        "PraxisDeployment",
        "Both Deployments are rolled out and managed by ai-gateway-controller.",
        "Ready alone is no proof that Praxis serves.",
        "Look at the Deployments and their Pods.",
        _END,
    ),
    _check(
        "PluginsOfPraxis",
        "The plugins ConfigMap has the keys of Praxis and none of IPP.",
        "It shows whose configuration is in force.",
        "Look at the log of ai-gateway-controller.",
        "contract §3.7",
    ),
    _check(
        "EnvoyFilterRight",
        "The EnvoyFilter selects the tenant's gateway with a priority of 10 or more.",
        "Without it requests pass Praxis by; some builds do not check that themselves.",
        "Look at the EnvoyFilter and the log of ai-gateway-controller.",
        "contract §4.2, step 14; §10 row 17",
    ),
    _check(
        "IppDeployment",
        "Both Deployments are rolled out and not ai-gateway-controller's.",
        "IPP serves again only then.",
        "Look at the Deployments and their Pods.",
        "contract §4.6",
    ),
    _check(
        "PluginsOfIpp",
        "The plugins ConfigMap has both keys of IPP.",
        "IPP starts from it.",
        "Restore it from the backup: maas-migrate backups export.",
        "contract §3.1, §4.6",
    ),
    _check(
        "OldPluginsGone",
        "The plugins ConfigMap from before the move is gone, by UID.",
        "While it is there the clean-up is not over.",
        "Look at the log of maas-controller.",
        "contract §4.3",
    ),
    _check(
        "TranslationAsPlanned",
        "spec.apiTranslation.enabled is what the plan foretold.",
        "It decides for which external models Praxis translates.",
        "Find out who changed it, and set it as planned.",
        "contract §5.3",
    ),
    _check(
        "ForceRemoved",
        "No force annotation is left.",
        "The next flip would be forced unasked.",
        "Resume the run; it takes the annotation away.",
        "contract §2.1",
    ),
    _check(
        "MaasApiRolledOut",
        "maas-api of the tenant is rolled out.",
        "API keys are checked there.",
        "Look at the Deployment and its Pods.",
        "contract §7.7",
    ),
    _check(
        "GatewayProgrammed",
        "The Gateway and its listeners are accepted and programmed.",
        "Requests come through it.",
        "Mend the Gateway.",
        "contract §7.2, 4",
    ),
    _check(
        "ControllerRolledOut",
        "maas-controller, and on 3.6 ai-gateway-controller, are rolled out.",
        "Without them what is right now does not stay so.",
        "Look at the Deployment and its Pods.",
        "contract §7.7",
    ),
    _check(
        "PlatformSaysReady",
        "AIGateway says ModelsAsAServiceReady, where it says anything.",
        "It is the platform's own verdict.",
        "Read the condition's message.",
        "contract §7.7",
    ),
    _check(
        "SubscriptionIdentity",
        "The subscription, by UID, has the identity that the plan fixed.",
        "Another identity means other counters: quotas started again.",
        "Find out whether it was created again, or who set spec.rateLimitIdentity.",
        "Upgrade to 3.6, Existing subscriptions keep their live quotas",
    ),
    _check(
        "SubscriptionStamped",
        "Every subscription has an identity.",
        "One without is not yet in the new limits.",
        "Wait; else look at the log of maas-controller.",
        "contract §6.4",
    ),
    _check(
        "SubscriptionPhase",
        "The subscription is Active.",
        "Else it grants nothing.",
        "Read its conditions.",
        "contract §1.3",
    ),
    _check(
        "LimitsMatchStamps",
        "The limits of a policy are those that its subscriptions and their identities ask for.",
        "The policy is what Limitador enforces.",
        "Compare it with the subscriptions; look at the log of maas-controller.",
        "contract §6.3",
    ),
    _check(
        "MixedGroupSplit",
        "A group with both identities has two limits, and they are named here.",
        "Subscriptions of one rate do not share a limit then.",
        "Nothing to do.",
        "contract §6.3",
    ),
    _check(
        "AuthPolicyContract",
        "The gateway's AuthPolicy gives both the key and the id of a subscription.",
        "Limits match on one or the other.",
        "Look at the log of maas-controller; an opted-out policy is not rewritten.",
        "contract §6.5",
    ),
    _check(
        "RateLimitHeaderDenied",
        "A client cannot set the identity headers itself.",
        "Else it could take another subscription's quota.",
        "Look at the deny rule of the AuthPolicy.",
        "contract §6.5, §10 row 30",
    ),
    _check(
        "PolicyAccepted",
        "The policy is Accepted, as before or better.",
        "One that is not is ignored.",
        "Read its conditions.",
        "contract §7.7",
    ),
    _check(
        "PolicyEnforced",
        "The policy is Enforced, as before or better.",
        "One that is not limits nobody.",
        "Read its conditions.",
        "contract §7.7",
    ),
    _check(
        "UsageDashboard",
        "The usage dashboards are there as the Config asks.",
        "3.6 removes the old one unless asked.",
        "Set spec.usageMetricsDashboard on Config default.",
        "contract §7.6",
    ),
    _check(
        "ListRead",
        "A list without which 'all' means nothing was read.",
        "What was not read is unknown, never passed.",
        "Grant the read: maas-migrate rbac --for plan.",
        "house: a gap is never absence",
    ),
    _check(
        "AsRehearsed",
        "A step, a decision or the verdict is what the rehearsal foretold.",
        "A difference means that this cluster, or its build, is not the one that was rehearsed.",
        "Read the report of the run beside the rehearsal, and rehearse again with a fresh snapshot.",
        "the rehearsal's document",
    ),
)
"""Every check that a verification may hold."""
