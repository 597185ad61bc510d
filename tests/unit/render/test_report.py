"""The report in both spellings: the same content, and nothing in it comes alive."""

import re
from html.parser import HTMLParser

import pytest

from migrate.records.journal import BackupEntry, RunState, StepState
from migrate.records.report import Report, TimelineEntry
from migrate.render.report_html import report_html
from migrate.render.report_markdown import report_markdown

HOSTILE = "<script>alert(1)</script> \x1b[31m \u202e | `x` [a](javascript:x) <img src=x onerror=y> \"'&"
KNOWN = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "table", "tr", "th", "td"
}  # fmt: skip


def a_report() -> Report:
    run = RunState(
        id="20261130t120000z-abcdef",
        state="halted",
        reason="X",
        message=HOSTILE,
        steps=(StepState(id="pin:" + HOSTILE, state="failed", message=HOSTILE),),
        backups=(BackupEntry(run="r", object=HOSTILE, file=HOSTILE, sha256="0" * 64, bytes=1, verified=True),),
        notes=(HOSTILE,),
    )
    line = TimelineEntry(at="2026-11-30T12:00:00Z", event="note", step=HOSTILE, text=HOSTILE)
    return Report(run=run, work_left=(HOSTILE,), not_proved=(HOSTILE,), timeline=(line,))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_strings_stay_text_in_html() -> None:
    page = Tags()
    page.feed(report_html(a_report()))

    assert set(page.tags) <= KNOWN
    assert set(page.attributes) == {"lang", "charset", "http-equiv", "content"}
    assert "<script>alert(1)</script>" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", page.text)


@pytest.mark.parametrize("mark", ["<script", "<img", "\x1b", "\u202e"])
def test_hostile_strings_stay_text_in_markdown(mark: str) -> None:
    assert mark not in report_markdown(a_report())


def test_a_cell_is_never_cut_in_two_in_markdown() -> None:
    rows = [line for line in report_markdown(a_report()).splitlines() if line.startswith("| pin:")]

    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [7]


def test_both_spellings_hold_the_same_headings() -> None:
    page = report_html(a_report())
    headings = re.findall(r"^#+ (.*)$", report_markdown(a_report()), re.MULTILINE)

    assert len(headings) > 3
    assert re.findall(r"<h\d>(.*)</h\d>", page) == headings
