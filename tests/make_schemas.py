"""Write the JSON Schema of every document to ``migrate/schemas``; a test holds the files to the types."""

import sys
from pathlib import Path

import msgspec

from migrate.commands.documents import DOCUMENTS, schema_of

FOLDER = Path(__file__).resolve().parent.parent / "migrate" / "schemas"


def text_of(name: str) -> str:
    """Return the schema of a document as it stands in its file."""
    return msgspec.json.format(msgspec.json.encode(schema_of(name)), indent=1).decode() + "\n"


def main() -> int:
    """Write all schemas."""
    FOLDER.mkdir(exist_ok=True)
    for name in DOCUMENTS:
        (FOLDER / f"{name}.json").write_text(text_of(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
