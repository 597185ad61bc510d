"""``fingerprint``: one plugins ConfigMap from a file or from stdin."""

from typing import Any, Final

import msgspec

from migrate.changes.judging import NotAPluginsConfigMapError, judge_document
from migrate.commands.context import Input
from migrate.commands.documents import FingerprintDocument
from migrate.errors import BadInputError, ExitCode
from migrate.goyaml import GoYamlError, read

_READ_IT: Final = (
    "Give one plugins ConfigMap as it is read: "
    "kubectl get configmap NAME -n NAMESPACE -o yaml | maas-migrate fingerprint -"
)


def fingerprint_file(source: Input) -> tuple[FingerprintDocument, ExitCode]:
    """
    Return the judgement and its exit code: 0 to proceed, 11 to stop.

    Raises:
        BadInputError: It cannot be read, is no YAML or JSON, or holds anything but one ConfigMap.
    """
    document = _parsed(source)
    try:
        judgement = judge_document(document)
    except NotAPluginsConfigMapError as error:
        raise BadInputError(f"{source.name}: {error}.", resolution=_READ_IT) from error
    fields = msgspec.to_builtins(judgement, str_keys=True)
    found = msgspec.convert({"format": "maas-migrate/fingerprint", "version": 1, **fields}, FingerprintDocument)
    return found, ExitCode.BLOCKED if found.careful == "stop" else ExitCode.OK


def _parsed(source: Input) -> Any:
    try:
        text = source.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{source.name} is not UTF-8 (byte {error.start}).", resolution=_READ_IT) from error
    if text.lstrip().startswith("{"):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            pass  # Flow-style YAML begins like JSON; the other reader says where it is wrong.
    try:
        return read(text).value
    except GoYamlError as error:
        where = f"line {error.line}, column {error.column}" if error.line else "somewhere"
        raise BadInputError(
            f"{source.name}, {where}: {error.problem}.", resolution=f"Mend it, it is neither YAML nor JSON. {_READ_IT}"
        ) from error
