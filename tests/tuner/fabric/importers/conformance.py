# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What holds of each importer of other programs' output: sound rows are kept, odd ones are counted, and whatever the text, there
is a fabric or a sentence. A test of an importer inherits Conformance and says what its text is."""

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patience import within
from tests.tuner.fabric.importers.fabric_or_sentence import require_sentence
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import Importer, read_fabric

Ends: TypeAlias = frozenset[tuple[int, int]]
"""A link by the GUID and port of both ends."""

_BIG_BYTES = 20 * 2**20
_BIG_CPU_S = 10.0
_BIG_KIB = 500 * 2**10


def ends(fabric: FabricDocument) -> set[Ends]:
    return {frozenset(((fabric.guid_of(a.node), a.port), (fabric.guid_of(b.node), b.port))) for _, a, b in fabric.ends()}


class Conformance:
    importer: Importer
    text: str
    """Sound output, of which nothing is odd."""
    n_switches: int
    n_hosts: int
    n_links: int

    def rows(self) -> Sequence[tuple[int, Ends]]:
        """The place among the lines, from 0, of each row of a link, and the link."""
        raise NotImplementedError

    def ends(self, fabric: FabricDocument) -> set[Ends]:
        """The links of a fabric as `rows` gives them."""
        return ends(fabric)

    def read(self, text: str, *, strict: bool = False) -> FabricDocument:
        return read_fabric(text, source="text", name="x", mtu_bytes=4096, strict=strict).fabric

    def test_the_format_is_recognised_by_content_and_by_one_importer(self) -> None:
        found = read_fabric(self.text, source="text", name="x", mtu_bytes=4096)
        assert found.format == self.importer.name
        assert found.remarks == ()

    def test_everything_is_there(self) -> None:
        fabric = self.read(self.text, strict=True)
        assert (len(fabric.switches), len(fabric.hosts), len(fabric.links)) == (self.n_switches, self.n_hosts, self.n_links)
        assert fabric.incomplete is None
        assert build(fabric).unreachable() == []

    def test_ends_of_lines_and_a_byte_order_mark_do_not_matter(self) -> None:
        assert self.read(self.text.replace("\n", "\r\n")) == self.read(self.text)

    def test_a_text_cut_anywhere_is_a_fabric_or_a_sentence(self) -> None:
        for end in range(0, len(self.text), max(1, len(self.text) // 40)):
            try:
                build(self.read(self.text[:end]))
            except BadInputError as error:
                require_sentence(error)

    def test_of_rows_damaged_at_random_exactly_the_others_are_kept(self) -> None:
        rows, whole = self.rows(), self.text.split("\n")

        @given(st.data())
        def check(data: st.DataObject) -> None:
            damaged = data.draw(st.sets(st.integers(0, len(rows) - 1), max_size=len(rows) - 1))
            lines = list(whole)
            for i in damaged:
                row = lines[rows[i][0]].lstrip()
                kept = row[: data.draw(st.integers(1, len(row) // 3))]
                lines[rows[i][0]] = kept + data.draw(st.sampled_from(["", "%&!@~", " …"]))
            text = "\n".join(lines)
            assert self.ends(self.read(text)) == {link for i, (_, link) in enumerate(rows) if i not in damaged}
            if damaged:
                with pytest.raises(BadInputError):
                    self.read(text, strict=True)

        check()

    @pytest.mark.parametrize(
        "kind",
        [
            pytest.param("odd rows", marks=pytest.mark.thorough),
            *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("again", "noise", "one line", "newlines")),
        ],
    )
    def test_twenty_megabytes_of_anything_take_little(self, kind: str, tmp_path: Path) -> None:
        """In a process of its own, whose time and memory are its own."""
        row = self.text.split("\n")[self.rows()[0][0]]
        chance = random.Random(1)
        noise = "".join(chr(chance.randrange(32, 127)) for _ in range(2**16))
        filled = {
            "again": lambda: self.text * (_BIG_BYTES // len(self.text)),
            "odd rows": lambda: self.text + f"\n{row[: len(row) // 3]}" * (3 * _BIG_BYTES // len(row)),
            "noise": lambda: self.text + noise * (_BIG_BYTES >> 16),
            "one line": lambda: self.text + "x" * _BIG_BYTES,
            "newlines": lambda: self.text + "\n" * _BIG_BYTES,
        }[kind]()
        (tmp_path / "big.txt").write_text(filled)
        done = subprocess.run(
            [sys.executable, "-c", _READ, tmp_path / "big.txt"], capture_output=True, text=True, check=True, timeout=300
        )
        cpu_s, memory_kib = map(float, done.stdout.split())
        assert within(cpu_s, _BIG_CPU_S)
        assert memory_kib < _BIG_KIB


_READ = """
import resource, sys
from pathlib import Path
from tuner.errors import BadInputError
from tuner.fabric.importers.base import import_fabric
try:
    import_fabric(Path(sys.argv[1]))
except BadInputError as error:
    assert "\\n" not in error.sentence
used = resource.getrusage(resource.RUSAGE_SELF)
# Not ru_maxrss, which has that of the process which forked this one.
most = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
print(used.ru_utime + used.ru_stime, most)
"""
