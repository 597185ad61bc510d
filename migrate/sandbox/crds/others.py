"""Kinds of the platform around the product: they keep whatever they are given. Source: contract 1.1."""

from dataclasses import dataclass
from typing import Any, Final

from migrate.sandbox.crds.schema import definition


@dataclass(frozen=True, slots=True)
class Other:
    """
    One kind of somebody else's.

    Attributes:
        versions: All served; the first is stored and preferred.
    """

    group: str
    versions: tuple[str, ...]
    kind: str
    plural: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()

    def to_crd(self) -> dict[str, Any]:
        """Return its CRD."""
        return definition(
            self.group,
            self.versions,
            self.kind,
            self.plural,
            namespaced=self.namespaced,
            short_names=self.short_names,
        )


_GATEWAY: Final = "gateway.networking.k8s.io"
_KUADRANT: Final = "kuadrant.io"
_ISTIO: Final = "networking.istio.io"
_OLM: Final = "operators.coreos.com"

OTHERS: Final = (
    Other(_KUADRANT, ("v1",), "AuthPolicy", "authpolicies"),
    Other(_KUADRANT, ("v1alpha1",), "TokenRateLimitPolicy", "tokenratelimitpolicies", short_names=("trlp",)),
    Other(_KUADRANT, ("v1",), "RateLimitPolicy", "ratelimitpolicies", short_names=("rlp",)),
    Other(_KUADRANT, ("v1beta1",), "Kuadrant", "kuadrants"),
    Other("extensions.kuadrant.io", ("v1alpha1",), "TelemetryPolicy", "telemetrypolicies"),
    Other("limitador.kuadrant.io", ("v1alpha1",), "Limitador", "limitadors"),
    Other("operator.authorino.kuadrant.io", ("v1beta1",), "Authorino", "authorinos"),
    Other("authorino.kuadrant.io", ("v1beta3",), "AuthConfig", "authconfigs"),
    Other(_GATEWAY, ("v1", "v1beta1"), "Gateway", "gateways", short_names=("gtw",)),
    Other(_GATEWAY, ("v1", "v1beta1"), "HTTPRoute", "httproutes"),
    Other(_ISTIO, ("v1alpha3",), "EnvoyFilter", "envoyfilters"),
    Other(_ISTIO, ("v1", "v1beta1", "v1alpha3"), "DestinationRule", "destinationrules", short_names=("dr",)),
    Other(_ISTIO, ("v1", "v1beta1", "v1alpha3"), "ServiceEntry", "serviceentries", short_names=("se",)),
    Other("extensions.istio.io", ("v1alpha1",), "WasmPlugin", "wasmplugins"),
    Other("telemetry.istio.io", ("v1", "v1alpha1"), "Telemetry", "telemetries"),
    Other("perses.dev", ("v1alpha1",), "PersesDashboard", "persesdashboards"),
    Other("perses.dev", ("v1alpha1",), "PersesDatasource", "persesdatasources"),
    Other("serving.kserve.io", ("v1alpha2", "v1alpha1"), "LLMInferenceService", "llminferenceservices"),
    Other("components.platform.opendatahub.io", ("v1alpha1",), "AIGateway", "aigateways", namespaced=False),
    Other(
        "datasciencecluster.opendatahub.io",
        ("v2", "v1"),
        "DataScienceCluster",
        "datascienceclusters",
        namespaced=False,
        short_names=("dsc",),
    ),
    Other(
        "dscinitialization.opendatahub.io",
        ("v1", "v2"),
        "DSCInitialization",
        "dscinitializations",
        namespaced=False,
        short_names=("dsci",),
    ),
    Other(_OLM, ("v1alpha1",), "InstallPlan", "installplans", short_names=("ip",)),
    Other(_OLM, ("v1alpha1",), "ClusterServiceVersion", "clusterserviceversions", short_names=("csv", "csvs")),
    Other(_OLM, ("v1alpha1",), "Subscription", "subscriptions", short_names=("sub", "subs")),
    Other("config.openshift.io", ("v1",), "ClusterVersion", "clusterversions", namespaced=False),
)
"""One row a kind."""
