"""
The gateway's AuthPolicy as maas-controller of 3.6 writes it: one identity field, one header, one denial more.

Source: contract 6.5.
"""

import copy
from typing import ClassVar, Final

from migrate.maas.rate_limits import ID_PROPERTY, IDENTITY_PROPERTIES, KEY_PROPERTY
from migrate.records.objects import Json, get_in
from migrate.sandbox.controllers.access import Access, gateway_auth_policy
from migrate.sandbox.controllers.tenancy import Tenancy
from migrate.sandbox.controllers.view import View

HEADER: Final = "X-MaaS-Subscription-Rate-Limit-Id"
"""Injected when the selected subscription has a short id; a client may not send it. Source: contract 6.5."""

DENIAL: Final = "deny-client-identity-headers"
_RATE_LIMIT_ID: Final = "auth.metadata['subscription-info'].rateLimitId"


def gateway_auth_policy_36(tenant: Tenancy, view: View) -> Json:
    """Return the AuthPolicy of a tenant's gateway on the contract of 3.6."""
    made = copy.deepcopy(gateway_auth_policy(tenant, view))
    rules = made["spec"]["defaults"]["rules"]
    success = rules["response"]["success"]
    success["filters"]["identity"]["json"]["properties"][ID_PROPERTY] = {
        "expression": f"has({_RATE_LIMIT_ID}) ? {_RATE_LIMIT_ID} : ''"
    }
    success["headers"][HEADER] = {
        "priority": 0,
        "plain": {"expression": _RATE_LIMIT_ID},
        "when": [{"predicate": f"has({_RATE_LIMIT_ID})"}],
    }
    denied = rules["authorization"][DENIAL]["patternMatching"]["patterns"]
    denied.append({"predicate": f'!("{HEADER.lower()}" in request.headers)'})
    return made


def has_contract_of_36(policy: Json) -> bool:
    """Return whether a live AuthPolicy has both identity fields, the header and its denial."""
    properties = get_in(policy, *IDENTITY_PROPERTIES, default={})
    rules = get_in(policy, "spec", "defaults", "rules", default={})
    denied = get_in(rules, "authorization", DENIAL, "patternMatching", "patterns", default=[])
    return (
        {ID_PROPERTY, KEY_PROPERTY} <= set(properties)
        and HEADER in get_in(rules, "response", "success", "headers", default={})
        and any(HEADER.lower() in str(pattern.get("predicate", "")) for pattern in denied)
    )


class Access36(Access):
    """MaaSAuthPolicies of 3.6."""

    name: ClassVar[str] = "maas-auth-policies-3.6"
    release: ClassVar[str] = "3.6"

    def policy_spec(self, tenant: Tenancy) -> Json:
        """Return the AuthPolicy of the tenant's gateway."""
        return gateway_auth_policy_36(tenant, self.view)

    def is_current(self, live: Json) -> bool:
        """Whether a live AuthPolicy says what this release writes."""
        return has_contract_of_36(live)
