"""
The controller's rule for the plugins ConfigMap, and a careful person's rule on top.

The force annotation is no part of this: with it the controller does not read the object.

Source: maas-controller at 182af75f, ``pkg/platform/tenantreconcile/plugins_migration.go``.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from migrate.goyaml import (
    Decoded,
    ExcessiveAliasError,
    GoYamlError,
    IncompatibleVersionError,
    TooLargeError,
    canonical,
    read,
    read_as,
)
from migrate.maas.plugins_answers import Answer, NotAPluginsConfigMapError, Unreadable, read_answer
from migrate.maas.plugins_baselines import (
    CONFIG,
    CONFIG_KIND,
    IPP_KEYS,
    OLD_PLUGIN_STRING_SUFFIX,
    OLDER_DEFAULTS,
    PRAXIS_KEYS,
    PRE_PROCESSING,
    PRE_PROCESSING_KEY,
    PROCESSING,
    PROCESSING_KEY,
    STAGES,
    Config,
)
from migrate.maas.plugins_differences import Deviation, deviations, is_near, normalised, show
from migrate.maas.plugins_judgement import Difference, Judgement, Note
from migrate.maas.plugins_warnings import data_path, object_warnings, text_warnings

__all__ = ["Difference", "Judgement", "NotAPluginsConfigMapError", "Note", "Unreadable", "judge", "read_answer"]

_NEAR: Final = "the difference is easy to overlook: "


class _Document(NamedTuple):
    """One of the two documents: read, or refused with an error."""

    key: str
    decoded: Decoded | None
    config: Config | None
    error: GoYamlError | None


class _Finding(NamedTuple):
    """What the documents of an IPP shape come to."""

    baseline: str | None
    detail: str | None
    reason: str
    path: str


def judge(answer: Answer) -> Judgement:
    """
    Return what the controller would decide about a ConfigMap, and whether to be careful.

    *answer* is what ``read_answer`` gives: the object, None for the API's 404,
    or why neither is known.
    """
    if answer is None:
        reason = Note("absent", "there is no plugins ConfigMap, so there is nothing custom to preserve")
        return Judgement(verdict="absent", controller="allow", careful="proceed", reasons=(reason,), baseline="absent")
    if isinstance(answer, Unreadable):
        return _no_verdict(answer.code, answer.message)
    try:
        data = _read_data(answer)
    except NotAPluginsConfigMapError as error:
        return _no_verdict("malformed-object", str(error))
    if any(key in data for key in PRAXIS_KEYS):
        return _judge_praxis(answer, data)
    if not all(key in data for key in IPP_KEYS):
        return _judge_keys(answer, data)
    return _judge_documents(answer, data)


def _no_verdict(code: str, message: str) -> Judgement:
    return Judgement(
        verdict="error",
        controller="unknown",
        careful="stop",
        reasons=(Note(code, f"no verdict is possible: {message}"),),
        warnings=(Note(code, message),),
    )


def _read_data(config_map: Mapping[str, Any]) -> dict[str, str]:
    if not isinstance(config_map, Mapping):
        raise NotAPluginsConfigMapError("the object is no mapping")
    data = config_map.get("data")
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise NotAPluginsConfigMapError("data is no mapping, so no API server holds such an object")
    for key, value in data.items():
        if not isinstance(key, str) or not (value is None or isinstance(value, str)):
            raise NotAPluginsConfigMapError(f"data[{key!a}] is no text, so no API server holds such an object")
    return {key: value or "" for key, value in data.items()}


def _careful(verdict: str, warnings: list[Note]) -> str:
    codes = {warning.code for warning in warnings}
    if verdict in {"custom-blocked", "invalid", "error"} or "terminating" in codes:
        return "stop"
    return "proceed-with-warning" if codes else "proceed"


def _judge_praxis(config_map: Mapping[str, Any], data: dict[str, str]) -> Judgement:
    ipp = [key for key in IPP_KEYS if key in data]
    missing = [key for key in PRAXIS_KEYS if not _has_content(data.get(key, ""))]
    warnings: list[Note] = []
    differences: list[Difference] = []
    if ipp:
        message = "Praxis and IPP keys together: what the IPP keys hold goes without any gate"
        warnings.append(Note("mixed-praxis-ipp", message, "data"))
        differences = [found for key in ipp for found in _differences_of(_read_document(key, data[key]))]
    elif missing:
        message = f"empty or missing: {', '.join(missing)}; the controller says praxis all the same"
        warnings.append(Note("praxis-incomplete", message, "data"))
    warnings += object_warnings(config_map, is_ipp=False)
    return Judgement(
        verdict="praxis",
        controller="allow",
        careful=_careful("praxis", warnings),
        reasons=(Note("praxis", "the ConfigMap has the Praxis shape", "data"),),
        warnings=tuple(warnings),
        differences=tuple(differences),
        digest=_digest(data, {}),
        baseline="praxis",
    )


def _has_content(text: str) -> bool:
    try:
        return bool(read(text).value)
    except GoYamlError:
        return True


def _judge_keys(config_map: Mapping[str, Any], data: dict[str, str]) -> Judgement:
    warnings = object_warnings(config_map, is_ipp=any(key in data for key in IPP_KEYS))
    if data and all(key.endswith(OLD_PLUGIN_STRING_SUFFIX) for key in data):
        message = "one --plugin argument a key: an earlier product default, nobody need have customised it"
        warnings.insert(0, Note("old-product-default", message, "data"))
    elif data or not config_map.get("binaryData"):
        warnings.insert(0, Note("partial-keys", f"not exactly the two known keys: {_listed(data)}", "data"))
    differences = [
        *(Difference(data_path(key), "a document", None, STAGES[key]) for key in IPP_KEYS if key not in data),
        *_extra_keys(data),
    ]
    message = f"unrecognised data keys: {_listed(data)}; both of {', '.join(IPP_KEYS)} must be there"
    return _blocked(
        "unrecognised-data-keys", Note("unrecognised-data-keys", message, "data"), warnings, differences, data
    )


def _listed(data: Mapping[str, str]) -> str:
    return ", ".join(ascii(key)[1:-1] for key in sorted(data)) or "none"


def _extra_keys(data: Mapping[str, str]) -> list[Difference]:
    return [Difference(data_path(key), None, show(data[key], key)) for key in sorted(data) if key not in IPP_KEYS]


def _blocked(
    detail: str, reason: Note, warnings: list[Note], differences: list[Difference], data: dict[str, str]
) -> Judgement:
    return Judgement(
        verdict="custom-blocked",
        controller="block",
        careful="stop",
        reasons=(reason,),
        warnings=tuple(warnings),
        differences=tuple(differences),
        digest=_digest(data, {}),
        detail=detail,
    )


def _judge_documents(config_map: Mapping[str, Any], data: dict[str, str]) -> Judgement:
    documents = [_read_document(key, data[key]) for key in IPP_KEYS]
    too_large = next((document for document in documents if isinstance(document.error, TooLargeError)), None)
    if too_large is not None:
        return _no_verdict("too-large", f"{too_large.key}: {too_large.error}")
    warnings: list[Note] = []
    invalid = next((finding for document in documents if (finding := _refusal(document, warnings))), None)
    found = [] if invalid else [found for document in documents for found in _deviations_of(document)]
    warnings += _document_warnings(documents, found)
    warnings += object_warnings(config_map, is_ipp=True)
    finding = invalid or _compare(data, documents)
    verdict = finding.baseline or ("invalid" if invalid else "custom-blocked")
    return Judgement(
        verdict=verdict,
        controller="allow" if finding.baseline else "block",
        careful=_careful(verdict, warnings),
        reasons=(Note(finding.detail or verdict, finding.reason, finding.path),),
        warnings=tuple(warnings),
        differences=()
        if finding.baseline or invalid
        else (*_extra_keys(data), *(difference for difference, _ in found)),
        digest=None if invalid else _digest(data, {document.key: document.config for document in documents}),
        baseline=finding.baseline,
        detail=finding.detail,
    )


def _read_document(key: str, text: str) -> _Document:
    try:
        decoded = read_as(text, CONFIG)
    except GoYamlError as error:
        return _Document(key, None, None, error)
    return _Document(key, decoded, normalised(decoded.value), None)


def _refusal(document: _Document, warnings: list[Note]) -> _Finding | None:
    """Return why the controller cannot use a document at all, and add what helps to see it."""
    stage, path = STAGES[document.key], data_path(document.key)
    if document.error is not None:
        if isinstance(document.error, ExcessiveAliasError):
            warnings.append(Note("alias-expansion", "nested aliases expand to more than the reader allows", path))
        if isinstance(document.error, IncompatibleVersionError):
            warnings.append(
                Note("parser-gap", "other readers accept this %YAML directive, the controller's does not", path)
            )
        return _Finding(None, f"{stage}-unparsable", f"{stage} config cannot be parsed: {document.error}", path)
    kind = document.decoded.value["kind"] if document.decoded else ""
    if kind in {"", CONFIG_KIND}:
        return None
    if is_near(kind, CONFIG_KIND):
        warnings.append(Note("near-miss", f"{_NEAR}kind is {kind!a}, not {CONFIG_KIND}", f"{path}.kind"))
    message = f"{stage} config has the kind {kind!a}, expected {CONFIG_KIND}"
    return _Finding(None, f"{stage}-wrong-kind", message, f"{path}.kind")


def _nearest(document: _Document) -> list[Deviation]:
    """Return the deviations of a document from the baseline that is nearest to it."""
    if document.config is None:
        return []
    candidates = [PRE_PROCESSING] if document.key == PRE_PROCESSING_KEY else list(PROCESSING.values())
    return min((deviations(document.config, candidate) for candidate in candidates), key=len)


def _deviations_of(document: _Document) -> list[tuple[Difference, Deviation]]:
    return [
        (
            Difference(data_path(document.key, found.path), found.expected, found.found, STAGES[document.key]),
            found,
        )
        for found in _nearest(document)
    ]


def _differences_of(document: _Document) -> list[Difference]:
    if document.error is not None:
        return [
            Difference(data_path(document.key), "a document", f"unparsable: {document.error}", STAGES[document.key])
        ]
    return [difference for difference, _ in _deviations_of(document)]


def _document_warnings(documents: list[_Document], found: list[tuple[Difference, Deviation]]) -> list[Note]:
    notes: list[Note] = []
    if any(_is_older_default(documents, name) for name in OLDER_DEFAULTS):
        message = "equals an earlier product default; nobody customised it"
        notes.append(Note("old-product-default", message, "data"))
    elif found and all(deviation.near for _, deviation in found):
        notes += [
            Note(
                "near-miss", f"{_NEAR}expected {item.expected or 'nothing'}, found {item.found or 'nothing'}", item.path
            )
            for item, _ in found
        ]
    for document in documents:
        if document.decoded is not None and document.config is not None:
            shown = [deviation.path for item, deviation in found if item.stage == STAGES[document.key]]
            notes += text_warnings(document.key, document.decoded, document.config, shown)
    return notes


def _is_older_default(documents: list[_Document], name: str) -> bool:
    return tuple(document.config for document in documents) == OLDER_DEFAULTS[name]


def _compare(data: Mapping[str, str], documents: list[_Document]) -> _Finding:
    pre_processing, processing = (document.config for document in documents)
    extra = [key for key in data if key not in IPP_KEYS]
    if extra:
        message = f"unexpected data keys: {_listed(dict.fromkeys(extra, ''))}"
        return _Finding(None, "unexpected-data-keys", message, "data")
    if pre_processing != PRE_PROCESSING:
        message = "pre-processing plugins or profiles deviate from the product default"
        return _Finding(None, "pre-processing-deviates", message, data_path(PRE_PROCESSING_KEY))
    for baseline, config in PROCESSING.items():
        if processing == config:
            return _Finding(baseline, None, f"the ConfigMap matches the known baseline {baseline}", "data")
    message = "processing plugins or profiles deviate from the known baselines"
    return _Finding(None, "processing-deviates", message, data_path(PROCESSING_KEY))


def _digest(data: Mapping[str, str], configs: Mapping[str, Config | None]) -> str:
    """
    Return the SHA-256 of what is compared, by data key.

    A document of IPP counts as normalised, so spellings that the controller
    takes for equal have one digest; any other text counts as the JSON it reads
    as, or as it stands where it cannot be read.
    """
    content = {key: configs.get(key) or _parsed(key, text) for key, text in data.items()}
    return hashlib.sha256(canonical(content).encode(errors="surrogatepass")).hexdigest()


def _parsed(key: str, text: str) -> Any:
    if key in IPP_KEYS:
        document = _read_document(key, text)
        return text if document.config is None else document.config
    try:
        return read(text).value
    except GoYamlError:
        return text
