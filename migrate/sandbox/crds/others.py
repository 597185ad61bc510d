"""Kinds of the platform around the product: they keep whatever they are given. Source: contract 1.1."""

from typing import Final

from migrate.sandbox.crds.schema import CustomKind

_GATEWAY: Final = "gateway.networking.k8s.io"
_KUADRANT: Final = "kuadrant.io"
_ISTIO: Final = "networking.istio.io"
_OLM: Final = "operators.coreos.com"

OTHERS: Final = (
    CustomKind(_KUADRANT, ("v1",), "AuthPolicy", "authpolicies"),
    CustomKind(_KUADRANT, ("v1alpha1",), "TokenRateLimitPolicy", "tokenratelimitpolicies", short_names=("trlp",)),
    CustomKind(_KUADRANT, ("v1",), "RateLimitPolicy", "ratelimitpolicies", short_names=("rlp",)),
    CustomKind(_KUADRANT, ("v1beta1",), "Kuadrant", "kuadrants"),
    CustomKind("extensions.kuadrant.io", ("v1alpha1",), "TelemetryPolicy", "telemetrypolicies"),
    CustomKind("limitador.kuadrant.io", ("v1alpha1",), "Limitador", "limitadors"),
    CustomKind("operator.authorino.kuadrant.io", ("v1beta1",), "Authorino", "authorinos"),
    CustomKind("authorino.kuadrant.io", ("v1beta3",), "AuthConfig", "authconfigs"),
    CustomKind(_GATEWAY, ("v1", "v1beta1"), "Gateway", "gateways", short_names=("gtw",)),
    CustomKind(_GATEWAY, ("v1", "v1beta1"), "HTTPRoute", "httproutes"),
    CustomKind(_ISTIO, ("v1alpha3",), "EnvoyFilter", "envoyfilters"),
    CustomKind(_ISTIO, ("v1", "v1beta1", "v1alpha3"), "DestinationRule", "destinationrules", short_names=("dr",)),
    CustomKind(_ISTIO, ("v1", "v1beta1", "v1alpha3"), "ServiceEntry", "serviceentries", short_names=("se",)),
    CustomKind("extensions.istio.io", ("v1alpha1",), "WasmPlugin", "wasmplugins"),
    CustomKind("telemetry.istio.io", ("v1", "v1alpha1"), "Telemetry", "telemetries"),
    CustomKind("perses.dev", ("v1alpha1",), "PersesDashboard", "persesdashboards"),
    CustomKind("perses.dev", ("v1alpha1",), "PersesDatasource", "persesdatasources"),
    CustomKind("serving.kserve.io", ("v1alpha2", "v1alpha1"), "LLMInferenceService", "llminferenceservices"),
    CustomKind("components.platform.opendatahub.io", ("v1alpha1",), "AIGateway", "aigateways", namespaced=False),
    CustomKind(
        "datasciencecluster.opendatahub.io",
        ("v2", "v1"),
        "DataScienceCluster",
        "datascienceclusters",
        namespaced=False,
        short_names=("dsc",),
    ),
    CustomKind(
        "dscinitialization.opendatahub.io",
        ("v1", "v2"),
        "DSCInitialization",
        "dscinitializations",
        namespaced=False,
        short_names=("dsci",),
    ),
    CustomKind(_OLM, ("v1alpha1",), "InstallPlan", "installplans", short_names=("ip",)),
    CustomKind(_OLM, ("v1alpha1",), "ClusterServiceVersion", "clusterserviceversions", short_names=("csv", "csvs")),
    CustomKind(_OLM, ("v1alpha1",), "Subscription", "subscriptions", short_names=("sub", "subs")),
    CustomKind("config.openshift.io", ("v1",), "ClusterVersion", "clusterversions", namespaced=False),
)
"""One row a kind."""
