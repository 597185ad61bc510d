"""
Goal: every pattern matches alike on every Python that the program runs on.

Method: before 3.11.5 Python matches possessive groups and atomic groups wrongly, so there are none in the source;
single characters may be repeated possessively.
"""

import re
from pathlib import Path

import pytest

import migrate

SOURCES = sorted(Path(migrate.__file__).parent.rglob("*.py"))
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\+|\(\?>")


@pytest.mark.parametrize("pattern", ["(?:ab)*+", "(a)++", "(?:a|b)?+", "(?:a){2,3}+", "(?>a)"])
def test_what_is_looked_for_is_found(pattern: str) -> None:
    assert POSSESSIVE_GROUP.search(pattern)


def test_no_group_is_repeated_possessively() -> None:
    lines = [
        f"{path.name}:{number}: {line.strip()}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "re." in line or "rf" in line
        if POSSESSIVE_GROUP.search(line)
    ]
    assert lines == []
