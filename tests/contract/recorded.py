"""Answers of a real server to sequences of operations, as files: a machine without Go has the truth too."""

import json
from pathlib import Path
from typing import Any, Final

from tests.contract.likeness import Api
from tests.contract.operations import Json, carry_out

PLACE: Final = Path(__file__).resolve().parents[1] / "golden" / "apiserver"


def load(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a file: ``operations`` and the ``answers`` to them."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def record(path: Path, api: Api, sequences: list[list[Json]]) -> None:
    """Write what *api* answers to *sequences*, one entry a line."""
    entries = [{"operations": sequence, "answers": carry_out(api, sequence)} for sequence in sequences]
    lines = ",\n".join(json.dumps(entry, sort_keys=True, ensure_ascii=True) for entry in entries)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
