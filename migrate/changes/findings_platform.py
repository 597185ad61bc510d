"""Codes of what a migration stands on. A table: name, impact as a rule, meaning, source."""

from migrate.changes.findings_code import code

CODES = (
    code(
        "CouldNotRead",
        "blocking",
        "A read was refused or failed; what it asked for is unknown.",
        "house: a gap is never absence",
    ),
    code(
        "NotInSource",
        "advisory",
        "The saved source does not hold this; a reading of the cluster would.",
        "house: a gap is never absence",
    ),
    code("ClusterIdentityUnknown", "blocking", "The UID of Namespace kube-system is not known.", "contract §1.2"),
    code("PlatformUnknown", "blocking", "Nothing says whether OpenShift AI 3.5 or 3.6 runs.", "contract §7.4"),
    code("PlatformNotSupported", "blocking", "OpenShift AI runs in a version other than 3.5 and 3.6.", "contract §7.4"),
    code(
        "PlatformInTransition",
        "blocking",
        "Signals of the version contradict each other: an upgrade is under way.",
        "contract §7.4",
    ),
    code("BuildGeneration", "info", "Which generation of 3.6 the build is, and what says so.", "contract §0.2"),
    code(
        "HandshakeNotSupported",
        "blocking",
        "A build of an intermediate handshake generation, A or B, runs here.",
        "contract §0.2",
    ),
    code(
        "IdentityNotSupported",
        "blocking",
        "A build of an intermediate rate-limit identity generation runs here.",
        "contract §0.2",
    ),
    code("OpenShiftTooOld", "blocking", "OpenShift is older than MaaS asks for.", "contract §7.3"),
    code(
        "ConnectivityLinkTooOld", "blocking", "Red Hat Connectivity Link is older than MaaS asks for.", "contract §7.3"
    ),
    code(
        "ConnectivityLinkBypass", "advisory", "Connectivity Link 1.4.0 has an authentication bypass.", "contract §7.3"
    ),
    code("VersionNotKnown", "info", "A version of the platform under MaaS could not be told.", "contract §7.3"),
    code("RequiredKindMissing", "blocking", "The API server does not know a kind that MaaS needs.", "contract §7.2, 1"),
    code("ConfigMissing", "blocking", "There is no Config called default.", "contract §7.2, 2"),
    code(
        "ObjectTerminating",
        "blocking",
        "An object that the migration rests on is being deleted.",
        "contract §4.1, §7.2",
    ),
    code(
        "MaaSNotManaged",
        "blocking",
        "The DataScienceCluster does not manage Models-as-a-Service.",
        "contract §1.10, §7.2, 2",
    ),
    code("NoTenants", "blocking", "There is no MaasTenantConfig: nothing to migrate.", "contract §7.2, 3"),
    code("DeploymentMissing", "blocking", "A Deployment that MaaS needs is not there.", "contract §7.2, 5"),
    code(
        "DeploymentNotAvailable",
        "blocking",
        "A Deployment that MaaS needs has no available replica.",
        "contract §7.2, 5",
    ),
    code(
        "DeploymentDegraded", "advisory", "A Deployment has fewer available replicas than wanted.", "contract §7.2, 5"
    ),
    code("ComponentNotReady", "blocking", "Kuadrant, Authorino or Limitador does not say Ready.", "contract §7.2, 6"),
    code(
        "AuthorinoWithoutTls",
        "advisory",
        "The Authorino listener has no TLS; maas-controller warns of it.",
        "contract §7.1",
    ),
    code("MonitoringNotReady", "advisory", "Monitoring is not ready; maas-controller warns of it.", "contract §7.1"),
    code(
        "LimitadorInMemory",
        "advisory",
        "Limitador keeps its counters in memory: a restart of its Pod resets all quotas.",
        "Subscription Cardinality; contract §7.2, 14",
    ),
    code(
        "TenantIdentityInvalid",
        "blocking",
        "The labels of a MaasTenantConfig do not say which tenant it is.",
        "contract §2.4; case CH-01",
    ),
    code("TenantNameTaken", "blocking", "Two MaasTenantConfigs claim the same object names.", "contract §2.4"),
    code("TenantNotManaged", "blocking", "The management state of a tenant is not Managed.", "contract §1.6, §2.2"),
    code("TenantNotReady", "blocking", "A MaasTenantConfig does not say Ready.", "contract §7.2, 3"),
    code("ReadyIsStale", "blocking", "Ready speaks of an older generation of the object.", "contract §1.6; case CH-27"),
    code("GenerationNotReported", "advisory", "Ready does not say which generation it speaks of.", "case CH-27"),
    code("TenantDegraded", "advisory", "A tenant is Ready with warnings.", "contract §1.6, §5.3"),
    code("AITenantMissing", "blocking", "The AITenant that a MaasTenantConfig names is not there.", "contract §7.2, 3"),
    code(
        "AITenantNotReady", "blocking", "An AITenant is not Active, or gives no gatewayRef.", "contract §1.7, §7.2, 3"
    ),
    code(
        "AnnotationOnAITenant",
        "advisory",
        "A migration annotation stands on an AITenant, where only old builds look.",
        "contract §0.2, §10 row 2",
    ),
    code("LegacyTenant", "info", "A Tenant from before MaasTenantConfig is still there.", "contract §1.1"),
    code(
        "LegacyTenantTerminating", "blocking", "A legacy Tenant is being deleted and held by a finalizer.", "case CH-05"
    ),
    code("InvalidGateway", "blocking", "The Gateway of a tenant cannot be told.", "contract §2.5"),
    code("GatewayMissing", "blocking", "The Gateway of a tenant is not there.", "contract §7.1, §7.2, 4"),
    code(
        "GatewayNotProgrammed",
        "blocking",
        "The Gateway, or one of its listeners, is not accepted and programmed.",
        "contract §7.2, 4",
    ),
    code(
        "GatewayNamespaceMissing",
        "blocking",
        "The namespace of the tenant's Gateway is not there: an absent ConfigMap in it proves nothing.",
        "case CH-09",
    ),
    code(
        "GitOpsManaged",
        "risk",
        "A GitOps tool owns an object that the run, or its rollback, writes.",
        "lessons 35; cases CH-19, CH-20",
    ),
    code(
        "ObjectOptedOut",
        "advisory",
        "opendatahub.io/managed=false: the 3.6 controllers leave the object as it is.",
        "contract §2.2, §7.2, 11",
    ),
    code(
        "TenantNameTooLong",
        "blocking",
        "Names of Praxis objects of this tenant would be longer than 63 characters.",
        "contract §2.4",
    ),
    code(
        "TenantNameLong",
        "advisory",
        "External models could not be added to this tenant on Praxis: names would be too long.",
        "contract §2.4",
    ),
    code(
        "TenantNotPinned",
        "advisory",
        "A tenant outside --tenant keeps no pin over the upgrade and may migrate by itself.",
        "contract §0.2",
    ),
)
"""Platform, tenants, preconditions, GitOps."""
