# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Texts that people see have none of the phrases that docs/inside/house-words.md refuses."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from build_tools.seen_strings import Seen, seen_strings

EXCEPTIONS: Mapping[tuple[str, str], str] = {
    ("simulator/src/schemes/dbbm.cpp", "so many"): "it is the number that the parameter itself gives",
}
"""Why a phrase is right in a file: at most MOST of them, each for all its places there."""

MOST = 40

# Sentences that a reader of the whole product found worst; each was in it once.
WORST = [
    "Suggest a profile, with its reasons and where it stops to work.",
    "A process unpacks it; the service stops to unpack as soon as there is more.",
    "Scaled are the ranks, one a host; the random rings, 10 where GPCNeT has 30; and the times.",
    "Two-sided sends are handed to the adapter without end; who puts or gets waits for each.",
    "Latencies are left out, and so is 99 %, since programs report what they have sent in an interval.",
    "Whatever is measured on hosts that send over Ethernet is not of this fabric.",
    "Where there is no other admin, it is its owner's a day later.",
    "Switch off a fabric's second person where no second admin is left to agree.",
    "Send at most so many MADs a second.",
    "The night is run within so many hours; after that it is missed.",
    "A night is at work.",
    "Nothing that has a severity is kept, and nothing has happened since this page was opened.",
    "the topology has changed at %u places: events tell of %u",
    "`ibcc fabric probe` asks one device of each model by itself, more, and needs no plugin.",
    "What is best on the simulated devices is lost where devices carry BECNs on acknowledgements.",
]

Rules = dict[str, tuple[re.Pattern[str], str]]


@pytest.fixture(scope="module")
def rules(root: Path) -> Rules:
    """By phrase: how it is found, and in which texts."""
    page = (root / "docs/inside/house-words.md").read_text().partition("## Phrases that a test finds")[2]
    found: Rules = {}
    for phrases, where, write in re.findall(r"^\| (`.*?`) \| (all|messages) \| (.+?) \|$", page, re.MULTILINE):
        assert write
        for phrase in re.findall("`([^`]+)`", phrases):
            begins, flags = (r"(?:^|(?<=[.!?] ))", 0) if phrase.startswith("^") else (r"\b", re.IGNORECASE)
            found[phrase] = (re.compile(rf"{begins}{re.escape(phrase.removeprefix('^'))}(?!\w)", flags), where)
    assert len(found) > 40
    return found


@pytest.fixture(scope="module")
def seen(root: Path) -> list[Seen]:
    return seen_strings(root)


def refused(text: Seen, rules: Rules) -> list[str]:
    """The phrases of a text that are not to be there."""
    if text.text.startswith("| `"):  # a row of a table, which has the words of a program
        return []
    return [
        phrase
        for phrase, (pattern, where) in rules.items()
        if (where == "all" or text.kind != "docs") and pattern.search(text.text)
    ]


def test_no_text_has_a_refused_phrase(seen: list[Seen], rules: Rules) -> None:
    wrong = [(text, phrase) for text in seen for phrase in refused(text, rules) if (text.file, phrase) not in EXCEPTIONS]
    counts = Counter(text.kind for text in seen)
    print(f"read {len(seen)} texts:", ", ".join(f"{count} in {kind}" for kind, count in sorted(counts.items())))
    assert not wrong, "\n".join(f"{text}: not '{phrase}'" for text, phrase in wrong)


def test_it_reads_texts_of_every_kind(seen: list[Seen]) -> None:
    """So that a parser which finds nothing any more is noticed: 14,000 texts on 2026-11-30."""
    counts = Counter(text.kind for text in seen)
    assert counts["c"] > 1000
    assert counts["python"] > 5000
    assert counts["tsx"] > 1700
    assert counts["docs"] > 4000


@pytest.mark.parametrize("text", WORST)
def test_the_worst_sentences_are_found(text: str, rules: Rules) -> None:
    assert refused(Seen("python", "x.py", 1, text), rules)


def test_exceptions_are_few_and_needed(seen: list[Seen], rules: Rules) -> None:
    assert len(EXCEPTIONS) <= MOST
    assert all(EXCEPTIONS.values())
    there = {(text.file, phrase) for text in seen for phrase in refused(text, rules)}
    assert EXCEPTIONS.keys() <= there


@pytest.mark.parametrize(
    ("name", "source", "texts"),
    [
        ("a.c", 'f("one piece " /* not this */\n  "and another");\n// "no text"\n', ["one piece and another"]),
        ("a.c", 'c == \'"\' ? g("after a quote") : 0;', ["after a quote"]),
        (
            "a.py",
            '"""A module\'s docstring."""\nraise E(f"no {x} here; " "an IP would be right")\n',
            ["no {} here; an IP would be right"],
        ),
        ("a.py", '@app.command()\ndef f():\n    """What help shows."""\n', ["What help shows."]),
        ("a.tsx", "<b>Text of a tag</b> // not this\n", ["Text of a tag"]),
        ("a.tsx", 'title={`A ${kind} is there`} label="Of a label"', ["A {} is there", "Of a label"]),
        (
            "a.md",
            "# A heading\n\nProse with `code here`\nin two lines.\n\n```sh\nnot this\n```\n",
            ["# A heading", "Prose with ` ` in two lines."],
        ),
    ],
)
def test_texts_are_found_by_parsing(tmp_path: Path, name: str, source: str, texts: list[str]) -> None:
    folder = {".c": "opensm_plugin/src", ".py": "tuner", ".tsx": "api/ui/src", ".md": "docs"}[Path(name).suffix]
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / name).write_text(source)
    assert [text.text for text in seen_strings(tmp_path)] == texts
