"""
Which provider bindings of ExternalModels Praxis serves as IPP did, and where the facts stand in the two groups.

Source: the product page "Upgrade to 3.6", "IPP → Praxis API translation migration"; contract §5.1, §5.2.
"""

from typing import Final, Literal

from migrate.maas import resources
from migrate.records.objects import Json, KubeObject, ObjectRef, Record

Verdict = Literal["qualified", "needs-translation", "unqualified"]

OPENAI: Final = "openai"
"""Source: contract §5.2."""
ANTHROPIC: Final = "anthropic"
"""Source: contract §5.2."""
OPENAI_CHAT: Final = "openai-chat"
"""Source: contract §5.2."""
MESSAGES: Final = "messages"
"""Source: contract §5.2."""
APIKEY: Final = "apikey"
"""Source: contract §5.2."""
SIMPLE: Final = "simple"
"""In 3.5 only; means ``apikey``. Source: contract §10 row 15."""
OPENAI_HOST: Final = "api.openai.com"
"""Another host behind an OpenAI binding is worth a warning. Source: contract §5.2."""
KNOWN_PROVIDERS: Final = (
    "openai",
    "anthropic",
    "azure",
    "azure-openai",
    "vertex",
    "vertex-openai",
    "aws-bedrock",
    "bedrock-openai",
)
"""Providers that the legacy translator was documented for, as the objects spell them. Source: contract §1.9, §5.2."""

_QUALIFIED: Final[dict[tuple[str, str], tuple[str, Verdict]]] = {
    (OPENAI, OPENAI_CHAT): ("/v1/chat/completions", "qualified"),
    (ANTHROPIC, MESSAGES): ("/v1/messages", "needs-translation"),
}
_IMPLIED_FORMAT: Final = {OPENAI: OPENAI_CHAT, ANTHROPIC: MESSAGES}


class Binding(Record, kw_only=True):
    """
    One provider behind one ExternalModel.

    Attributes:
        model: The ExternalModel.

        provider: As written, ``""`` when its ExternalProvider is not there.

        weight: 0 switches the reference off.

        deleting: The model is being deleted.

        missing: The ExternalProvider that is named and not there, ``""`` else.
    """

    model: ObjectRef
    provider: str
    api_format: str
    path: str
    auth: str
    host: str
    weight: int = 1
    deleting: bool = False
    missing: str = ""

    @property
    def active(self) -> bool:
        """Neither deleting nor switched off; nothing else takes it out. Source: contract §5.1."""
        return not self.deleting and self.weight > 0


class Qualification(Record, kw_only=True):
    """What Praxis makes of a binding; *reason* says why it is not simply qualified."""

    verdict: Verdict
    reason: str = ""


def qualify(binding: Binding) -> Qualification:
    """
    Return whether Praxis is qualified for *binding*; exact words in lower case, anything else is not qualified.

    Source: contract §5.2, "the qualified tuples exactly".
    """
    if binding.missing:
        return Qualification(verdict="unqualified", reason=f"its ExternalProvider {binding.missing} is not there")
    row = _QUALIFIED.get((binding.provider, binding.api_format))
    if row is None:
        words = f" with format {binding.api_format!r}" if binding.api_format else ""
        return Qualification(
            verdict="unqualified",
            reason=f"provider {binding.provider!r}{words} is not qualified on Praxis",
        )
    path, verdict = row
    if binding.auth not in {APIKEY, SIMPLE}:
        return Qualification(verdict="unqualified", reason=f"auth type {binding.auth!r} is not qualified on Praxis")
    if binding.path not in {"", path}:
        return Qualification(verdict="unqualified", reason=f"path {binding.path!r} is not {path}")
    if verdict == "needs-translation":
        return Qualification(verdict=verdict, reason="qualified only with spec.apiTranslation.enabled on")
    return Qualification(verdict=verdict)


def bindings_of(model: KubeObject, provider_of: dict[tuple[str, str], KubeObject]) -> tuple[Binding, ...]:
    """
    Return every provider reference of an ExternalModel of either group.

    Args:
        model: The ExternalModel.

        provider_of: ExternalProviders by namespace and name.
    """
    if model.group == resources.MAAS_GROUP:
        return (_old_binding(model),)
    references = model.get("spec", "externalProviderRefs")
    return tuple(
        _binding(model, reference, provider_of)
        for reference in (references if isinstance(references, list) else ())
        if isinstance(reference, dict)
    )


def _old_binding(model: KubeObject) -> Binding:
    provider = _text(model.get("spec", "provider"))
    return Binding(
        model=model.ref,
        provider=provider,
        api_format=_IMPLIED_FORMAT.get(provider, ""),
        path="",
        auth=APIKEY,
        host=_text(model.get("spec", "endpoint")),
        deleting=model.is_deleting,
    )


def _binding(model: KubeObject, reference: Json, provider_of: dict[tuple[str, str], KubeObject]) -> Binding:
    named = reference.get("ref")
    name = _text(named.get("name")) if isinstance(named, dict) else ""
    provider = provider_of.get((model.namespace, name))
    own = reference.get("auth")
    own_type = _text(own.get("type")) if isinstance(own, dict) else ""
    weight = reference.get("weight", 1)
    return Binding(
        model=model.ref,
        provider=_text(provider.get("spec", "provider")) if provider is not None else "",
        api_format=_text(reference.get("apiFormat")),
        path=_text(reference.get("path")),
        auth=own_type or (_text(provider.get("spec", "auth", "type")) if provider is not None else ""),
        host=_text(provider.get("spec", "endpoint")) if provider is not None else "",
        # A weight that is no number cannot switch a reference off.
        weight=weight if isinstance(weight, int) and not isinstance(weight, bool) else 1,
        deleting=model.is_deleting,
        missing="" if provider is not None else f"{model.namespace}/{name}",
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def deduplicated(
    inference_models: tuple[KubeObject, ...], maas_models: tuple[KubeObject, ...]
) -> tuple[KubeObject, ...]:
    """
    Return the models of both groups, one for each namespace and name; the inference group wins.

    The order in which a MaaSModelRef looks them up. Source: contract §5.1, §1.5.
    """
    by_name = {(model.namespace, model.name): model for model in maas_models}
    by_name |= {(model.namespace, model.name): model for model in inference_models}
    return tuple(by_name[key] for key in sorted(by_name))


def tenant_of_model(model: KubeObject, model_refs: tuple[KubeObject, ...]) -> tuple[str, ...]:
    """
    Return the tenants that a model counts for, by the MaaSModelRefs that name it; never empty.

    ``status.resolvedTenantRef``, else ``spec.tenantRef``, else the default tenant; without a MaaSModelRef the default
    tenant. Source: contract §5.1, "Whose model is it?".
    """
    tenants = {
        _text(ref.get("status", "resolvedTenantRef"))
        or _text(ref.get("spec", "tenantRef"))
        or resources.DEFAULT_TENANT_NAME
        for ref in model_refs
        if ref.namespace == model.namespace
        and ref.get("spec", "modelRef", "kind") == resources.EXTERNAL_MODEL.kind
        and ref.get("spec", "modelRef", "name") == model.name
    }
    return tuple(sorted(tenants)) or (resources.DEFAULT_TENANT_NAME,)
