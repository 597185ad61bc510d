"""The report of a run as Markdown, for the change ticket."""

from collections.abc import Sequence

from migrate.records.report import Report
from migrate.render.escape import markdown_safe
from migrate.render.report_blocks import Block, Bullets, Heading, Paragraph, Rows, report_blocks


def report_markdown(report: Report) -> str:
    """Return the whole report as one Markdown document."""
    return "\n\n".join(map(_written, report_blocks(report))) + "\n"


def _written(block: Block) -> str:
    match block:
        case Heading(level=level, text=text):
            return f"{'#' * level} {markdown_safe(text)}"
        case Paragraph(text=text):
            return markdown_safe(text)
        case Bullets(items=items):
            return "\n".join(f"- {markdown_safe(item)}" for item in items)
        case Rows(head=head, rows=rows):
            return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "none"
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(map(markdown_safe, row)) + " |" for row in rows]
    return "\n".join(lines)
