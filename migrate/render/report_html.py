"""The report of a run as one HTML page: no script, nothing fetched from anywhere."""

from collections.abc import Sequence
from html import escape
from typing import Final

from migrate.records.report import Report
from migrate.render.escape import escaped
from migrate.render.report_blocks import Block, Bullets, Heading, Paragraph, Rows, report_blocks

_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.25rem .6rem;text-align:left;"
    "vertical-align:top;overflow-wrap:anywhere}@media print{body{max-width:none;margin:0}}"
)


def report_html(report: Report) -> str:
    """Return the whole report as one HTML document."""
    title = _safe(f"Migration run {report.run.id}")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = (
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>"
    )
    body = "\n".join(map(_written, report_blocks(report)))
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _written(block: Block) -> str:
    match block:
        case Heading(level=level, text=text):
            return f"<h{level}>{_safe(text)}</h{level}>"
        case Paragraph(text=text):
            return f"<p>{_safe(text)}</p>"
        case Bullets(items=items):
            return "<ul>\n" + "".join(f"<li>{_safe(item)}</li>\n" for item in items) + "</ul>"
        case Rows(head=head, rows=rows):
            return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "<p>none</p>"
    named = f"<tr>{''.join(f'<th>{_safe(cell)}</th>' for cell in head)}</tr>\n" if any(head) else ""
    told = "".join(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table>\n{named}{told}</table>"


def _safe(text: str) -> str:
    return escape(escaped(text))
