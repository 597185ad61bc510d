"""Why findings of the platform matter, and the next move. A table: code, why, what to do."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "BuildGeneration": (
        "Upstream changed both several times: the plan, and what verify asks for, follow what is seen.",
        "Nothing to do.",
    ),
    "HandshakeNotSupported": (
        "Builds between 3.5 and 3.6 hand a tenant over in other ways: a flip would be undone by A, and hang in B.",
        "Update to a released build of 3.6, and plan again.",
    ),
    "IdentityNotSupported": (
        "What such a build counts by, and whose counters start again when it is replaced, is in no source.",
        "Update to a released build of 3.6, and plan again.",
    ),
    "CouldNotRead": (
        "A decision rests on it. What is unknown is never taken for absent, so nothing is decided without it.",
        "Grant the read (maas-migrate rbac prints the Role), or make the server reachable, and run again.",
    ),
    "NotInSource": (
        "A file holds only what was saved in it; the decision goes on without it and says less.",
        "Run against the cluster, or take the snapshot again with this program, when you need to know.",
    ),
    "ClusterIdentityUnknown": (
        "A plan is bound to one cluster. Without its identity a plan could be applied to another one.",
        "Allow 'get' of Namespace kube-system, and run again.",
    ),
    "PlatformUnknown": (
        "The order of work differs between 3.5 and 3.6; a guess could start the wrong one.",
        "Check that Models-as-a-Service is installed here and that its CRDs and Deployments can be read.",
    ),
    "PlatformNotSupported": (
        "Names, annotations and rules were checked for 3.5 and 3.6 only.",
        "Use a release of this program that knows the version.",
    ),
    "PlatformInTransition": (
        "While an upgrade is under way, some parts speak for 3.5 and some for 3.6; a plan made now rests on neither.",
        "Wait until the operator's upgrade is over, then run again.",
    ),
    "OpenShiftTooOld": ("3.6 would not be supported on it, whatever the migration does.", "Update OpenShift first."),
    "ConnectivityLinkTooOld": (
        "Older releases do not enforce the policies that 3.6 writes.",
        "Update Red Hat Connectivity Link to 1.4.1 or later.",
    ),
    "ConnectivityLinkBypass": (
        "Requests can get past authentication in 1.4.0, before and after the migration.",
        "Update Red Hat Connectivity Link to 1.4.1 or later.",
    ),
    "VersionNotKnown": (
        "Whether the platform underneath is new enough could not be checked.",
        "Make sure by hand that it is.",
    ),
    "RequiredKindMissing": (
        "The controllers wait for this kind and never reach the migration without it.",
        "Install what brings it (MaaS, Kuadrant, Gateway API or Istio), and run again.",
    ),
    "ConfigMissing": (
        "maas-controller does nothing without its Config, so a flip would never be seen.",
        "Enable Models-as-a-Service in the DataScienceCluster, and wait for Config default.",
    ),
    "ObjectTerminating": (
        "The controllers leave out what is being deleted, and a backup of it would be of something that goes.",
        "Find out who deletes it, and wait until it is gone or back.",
    ),
    "MaaSNotManaged": (
        "The operator removes or ignores MaaS then; no controller would move the tenant.",
        "Set spec.components.aigateway.modelsAsAService.managementState to Managed.",
    ),
    "NoTenants": (
        "The migration goes tenant by tenant.",
        "Wait until maas-controller has made the default tenant, or check that this is the cluster you mean.",
    ),
    "DeploymentMissing": (
        "The migration is the work of these controllers and gateways; without one of them it hangs half-way.",
        "Find out why it is not there, and bring it back first.",
    ),
    "DeploymentNotAvailable": (
        "It would not do its part, and the migration would wait for it in vain.",
        "Look at its Pods and their events, and mend it first.",
    ),
    "DeploymentDegraded": (
        "It works with fewer replicas; during the migration it may not.",
        "Look at its Pods and their events.",
    ),
    "ComponentNotReady": (
        "Policies are enforced by Kuadrant, Authorino and Limitador. When one is not ready, quotas are not held.",
        "Mend it before the migration.",
    ),
    "AuthorinoWithoutTls": (
        "Identities travel unencrypted between gateway and Authorino.",
        "Set spec.listener.tls.enabled and its certSecretRef when that matters to you.",
    ),
    "MonitoringNotReady": ("Usage is not recorded while it is so.", "Mend monitoring; the migration does not need it."),
    "LimitadorInMemory": (
        "Every restart of the Limitador Pod sets all counters to zero; the migration itself does not restart it.",
        "Give Limitador a Redis storage where that matters.",
    ),
    "TenantIdentityInvalid": (
        "Which objects belong to the tenant follows from its labels. A wrong guess would touch another tenant's.",
        "Find out which AITenant it belongs to, and set its labels as that one asks.",
    ),
    "TenantNameTaken": (
        "Two tenants would write the same objects; backing up or restoring one would be wrong for the other.",
        "Remove the one that is not meant.",
    ),
    "TenantNotManaged": (
        "Its controllers leave it alone, so a flip would never be carried out.",
        "Set the management state of the component to Managed.",
    ),
    "TenantNotReady": (
        "A tenant that is not healthy cannot be told from one that the migration broke.",
        "Mend what the reason of its Ready condition names, and wait for Ready=True.",
    ),
    "ReadyIsStale": (
        "Ready=True speaks of an older generation: what was changed since has not been looked at.",
        "Wait until maas-controller has seen the last change; look at its log when it does not.",
    ),
    "GenerationNotReported": (
        "How fresh Ready is cannot be told; the run rests on effects, not on this condition alone.",
        "Nothing to do.",
    ),
    "TenantDegraded": ("It works with a warning; that warning stays.", "Read it; it does not stop the migration."),
    "AITenantMissing": (
        "ai-gateway-controller claims a tenant through its AITenant; without it the hand-over never ends.",
        "Create the AITenant again, or remove the tenant.",
    ),
    "AITenantNotReady": (
        "Without an active AITenant and its gatewayRef, Praxis is never deployed.",
        "Mend what its conditions name, and wait for Active.",
    ),
    "AnnotationOnAITenant": (
        "Present builds look at the MaasTenantConfig only, so what was meant there does not happen.",
        "Remove it from the AITenant, unless your build needs it there.",
    ),
    "LegacyTenant": ("It is a remnant; nothing reads it.", "Nothing to do."),
    "LegacyTenantTerminating": (
        "A finalizer holds it, and its clean-up may take objects along that the tenant still needs.",
        "Find out who serves the finalizer. This program never removes one.",
    ),
    "InvalidGateway": (
        "Everything of a tenant stands in the namespace of its Gateway; without it nothing can be saved or moved.",
        "Give the AITenant a gateway that exists, and wait until its status names it.",
    ),
    "GatewayMissing": (
        "The controllers stop before the migration when the Gateway is not there.",
        "Create the Gateway, or correct the reference of the AITenant.",
    ),
    "GatewayNotProgrammed": (
        "Praxis would not be reached through it either.",
        "Mend the Gateway or the listener that is named.",
    ),
    "GatewayNamespaceMissing": (
        "In a namespace that does not exist nothing is found; that proves nothing about the ConfigMap.",
        "Correct the gateway reference of the AITenant.",
    ),
    "GitOpsManaged": (
        "The tool would write its own version back, before or during the run, and the tenant would flip to and fro.",
        (
            "Put the patch that the plan prints into git, or pause the sync; or accept it: "
            "--accept gitops-managed-object=REASON."
        ),
    ),
    "ObjectOptedOut": (
        "The 3.6 controllers leave it as it is, also where it has to change for 3.6.",
        "Find out why it was opted out, and whether that is still wanted.",
    ),
    "TenantNameTooLong": (
        "Praxis could not create its objects: a Kubernetes name ends at 63 characters.",
        "Move the tenant's models to a tenant with a shorter name.",
    ),
    "TenantNameLong": (
        "External models of this tenant would get names that are too long.",
        "Remember it when somebody wants to add one.",
    ),
    "TenantNotPinned": (
        "Some builds of 3.6 take a tenant without annotation to Praxis by themselves, unsaved and unasked.",
        "Plan it too, or set payload-processing-type=ipp on it yourself.",
    ),
    "RunbookNotForPlatform": (
        "A runbook that starts on another version would do its steps in the wrong world.",
        "Use the runbook that the finding names, or leave --runbook out.",
    ),
}
