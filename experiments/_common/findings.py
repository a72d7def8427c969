# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings of an experiment: claims, tables, figures and numbers. They can be written to a folder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tuner.errors import BadInputError


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One sentence about the result, with what was published and what came out."""

    sentence: str
    published: str
    here: str
    holds: bool
    known_to_fail: bool = False
    """The experiment's README says that and why; the verdict does not count it."""

    @property
    def mark(self) -> str:
        return "yes" if self.holds else "no (known)" if self.known_to_fail else "NO"


@dataclass(frozen=True, kw_only=True)
class Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_markdown(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return f"## {self.title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


@dataclass(frozen=True, kw_only=True)
class Findings:
    claims: Sequence[Claim]
    tables: Sequence[Table]
    figures: Mapping[str, str]
    """SVG by file stem."""
    data: Mapping[str, Any] = field(repr=False)
    """Everything that tables and figures were made of, as plain values for JSON."""
    pages: Mapping[str, str] = field(default_factory=dict, repr=False)
    """HTML by file stem."""

    @property
    def holds(self) -> bool:
        """True if every claim holds that is not known to fail."""
        return all(claim.holds or claim.known_to_fail for claim in self.claims)

    def to_json(self) -> dict[str, Any]:
        return {"holds": self.holds, "claims": [asdict(claim) for claim in self.claims], "data": dict(self.data)}

    def to_markdown(self, *, title: str, question: str) -> str:
        claims = Table(
            title="Claims",
            columns=["claim", "published", "here", "holds"],
            rows=[[c.sentence, c.published, c.here, c.mark] for c in self.claims],
        )
        parts = [f"# {title}\n\n{question}\n", claims.to_markdown(), *(table.to_markdown() for table in self.tables)]
        parts += [f"![{stem}]({stem}.svg)\n" for stem in self.figures]
        parts += [f"[{stem}]({stem}.html)\n" for stem in self.pages]
        return "\n".join(parts)

    def write(self, folder: Path, *, title: str, question: str) -> list[Path]:
        """Writes result.json, result.md, figures and pages; returns their paths. Raises BadInputError if that is not possible."""
        from tuner.report.plots import style  # slow to import

        texts = {
            "result.json": json.dumps(self.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
            "result.md": self.to_markdown(title=title, question=question),
            **{f"{stem}.svg": style.standalone(svg) for stem, svg in self.figures.items()},
            **{f"{stem}.html": page for stem, page in self.pages.items()},
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in texts.items():
                (folder / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadInputError(f"cannot write into {folder}: {error.strerror}") from error
        return [folder / name for name in texts]
