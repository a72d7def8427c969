# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report of a night as plain text for mail: a subject line, an empty line, and a body of at most 78 columns."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tuner.check_report.document import other_remarks
from tuner.checks.alarm import CHANGED
from tuner.checks.shown_value import shown_value
from tuner.documents.printable import printable

Document = Mapping[str, Any]

_MOST_ALARMS = 10
WIDTH = 78
"""RFC 5322 asks for no more. Only a word that is longer makes a line longer."""
_WORDS = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")
"""Words of a command; quotes hold spaces together."""


def mail_text(report: Document) -> str:
    """The text ends with a newline. Characters that are not printable come as escapes."""
    return "".join(f"{line}\n" for line in [_subject(report), "", *_body(report)])


def _subject(report: Document) -> str:
    head = f"Subject: [ibcc] {report['check']} {report['date']}: {report['state']}: "
    text = _plain(report["headline"]).replace("–", "-").encode("ascii", "replace").decode()
    return textwrap.shorten(head + text, WIDTH, placeholder=" ...", break_on_hyphens=False)


def _body(report: Document) -> Iterator[str]:
    yield from _wrapped(report["summary"])
    yield from _wrapped(report["headline"])
    yield from _standing(report)
    remarks = [one for one in other_remarks(report["headline"], report["remarks"]) if one[0] != "pass"]
    if remarks:
        yield from ("", "What else was seen")
        for state, text in remarks:
            yield from _wrapped(f"- {state}: {text}", "  ")
    for what, lines in _of_alarms(report["alarms"]):
        yield from ("", what)
        for line in lines:
            yield from _wrapped(f"- {line}", "  ")
    if report["causes"]:
        yield from ("", "Likely causes, the most likely first")
        for position, cause in enumerate(report["causes"], 1):
            yield from _cause(position, cause)
    if report["metrics"]:
        yield from ("", *_metrics(report["metrics"]))
    facts = [f"{entry['name']}: {fact}" for entry in report["entries"] for fact in entry["facts"]]
    if facts:
        yield ""
        for fact in facts:
            yield from _wrapped(fact, "  ")


def _of_alarms(alarms: Sequence[Document]) -> Iterator[tuple[str, list[str]]]:
    """Alarms that are no remark: muted, not seen any more, and closed tonight. The JSON has all."""
    groups = (("muted",), "Muted"), (("waiting",), "Not seen tonight; an alarm ends when its place is as before for some nights")
    for states, title in (*groups, (("closed",), "Ended")):
        mine = [one for one in alarms if one["state"] in states and not _is_remark(one)]
        lines = [f"{one['sentence']}{f' ({because})' if (because := one['because']) else ''}" for one in mine[:_MOST_ALARMS]]
        if len(mine) > _MOST_ALARMS:
            lines.append(f"and {len(mine) - _MOST_ALARMS} more")
        if lines:
            yield title, lines


def _is_remark(alarm: Document) -> bool:
    """A metric that waits until it was as before for long enough is told as such."""
    return bool(alarm["state"] == "waiting" and alarm["code"] == CHANGED)


def _standing(report: Document) -> Iterator[str]:
    since = sorted({one["since"] for one in report["metrics"] if one["since"] is not None})
    if since:
        yield from _wrapped(f"Changed since {since[0]}.")
    if report["state"] != "pass":
        good = report["last_good"]
        yield f"The last night that passed: {good or 'none'}."
    if (baseline := report["baseline"]) is not None:
        nights = f"{baseline['nights']} nights from {baseline['first']} to {baseline['last']}"
        yield from _wrapped(f"Baseline: {nights}, accepted by {baseline['by']}.")


def _cause(position: int, cause: Document) -> Iterator[str]:
    yield from _wrapped(f"{position}. {cause['sentence']}", "   ")
    for sentence in cause["evidence"]:
        yield from _wrapped(f"   seen: {sentence}", "         ")
    yield from _command(f"   next: {cause['next_step']}", "         ")


def _metrics(metrics: Sequence[Document]) -> Iterator[str]:
    rows = [("Metric", "Tonight", "Baseline", "Unit", "")]
    for metric in metrics:
        ends = [] if metric["low"] is None else [shown_value(metric["name"], metric[end]) for end in ("low", "high")]
        baseline = " to ".join(dict.fromkeys(ends))
        value = shown_value(metric["name"], metric["value"])
        rows.append((_plain(metric["name"]), value, baseline, "" if metric["unit"] == "1" else metric["unit"], _mark(metric)))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    known = any(row[2] for row in rows[1:])
    for name, value, baseline, unit, mark in rows:
        bounds = f"  {baseline:{widths[2]}}" if known else ""
        line = f"{name:{widths[0]}}  {value:>{widths[1]}}{bounds}  {unit:{widths[3]}}  {mark}".rstrip()
        yield from [line] if len(line) <= WIDTH else _wrapped(" ".join(line.split()), "  ")


def _mark(metric: Document) -> str:
    return "ALARM" if metric["changed"] else ""


def _wrapped(text: str, indent: str = "") -> list[str]:
    first = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        _plain(text.strip()),
        WIDTH,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _command(text: str, indent: str) -> Iterator[str]:
    """Continues a long command as a shell reads it."""
    line = text[: len(text) - len(text.lstrip())]
    for position, word in enumerate(_WORDS.findall(_plain(text))):
        if position and len(line) + 1 + len(word) > WIDTH - 2 and line.strip():
            yield f"{line} \\"
            line = f"{indent}{word}"
        else:
            line += f" {word}" if position else word
    yield line


def _plain(text: str) -> str:
    return printable(re.sub(r"\s", " ", text))
