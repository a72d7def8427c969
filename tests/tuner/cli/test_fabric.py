# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import csv
import json
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command
from tuner.documents.fabric import load_fabric

SITE = (
    'Switch\t4 "S-1"\t# "s" base port 0 lid 9 lmc 0\n[1]\t"H-2"[1](2)\t# "a" lid 1 4xNDR\n[2]\t"H-3"[1](3)\t# "b" lid 2 4xNDR\n'
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    file = tmp_path / "site.txt"
    file.write_text(SITE)
    return file


def test_import_writes_a_document_that_can_be_shown(command: Command, site: Path, tmp_path: Path) -> None:
    document = tmp_path / "site.yaml"
    finished = command("fabric", "import", site, "-o", document)
    assert (finished.code, finished.out) == (0, "")
    assert "2 channel adapters without a section" in finished.err
    assert "1 switches, 2 hosts, 0 aggregation nodes, 0 routers, 2 links" in finished.err
    assert "4096 bytes" in document.read_text()
    assert (load_fabric(document).name, load_fabric(document).mtu_bytes) == ("site", 4096)
    assert "site: 1 switches, 2 hosts" in command("fabric", "show", document).out


def test_import_prints_the_document_without_a_file(command: Command, site: Path) -> None:
    out = command("fabric", "import", site, "--name", "mine", "--mtu", "2048").out
    assert "\nname: mine\nmtu_bytes: 2048\n" in out
    assert out == command("fabric", "import", site, "--name", "mine", "--mtu", "2048").out


def test_a_broken_file_is_told_with_its_line(command: Command, tmp_path: Path) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_text(SITE.replace('"H-3"[1](3)', '"H-3"'))
    finished = command("fabric", "import", broken, "--strict")
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith(f"ibcc: {broken}:3: is not a port's line")
    kept = command("fabric", "import", broken)
    assert kept.code == 0
    assert "1 row of a port or link is not understood and left out (line 3)" in kept.err


def test_show_as_json(command: Command) -> None:
    document = json.loads(command("fabric", "show", "two-switch", "--output", "json").out)
    assert [len(document[key]) for key in ("switches", "hosts", "links")] == [2, 7, 8]


def test_show_as_csv_is_the_links(command: Command) -> None:
    rows = list(csv.DictReader(command("fabric", "show", "two-switch", "--output", "csv").out.splitlines()))
    assert len(rows) == 8
    assert (rows[7]["a"], rows[7]["a_port"], rows[7]["b"], rows[7]["rate"], rows[7]["data_gbps"]) == (
        "S1",
        "19",
        "S2",
        "4xQDR",
        "32.0",
    )


def test_show_as_a_table(command: Command) -> None:
    out = command("fabric", "show", "two-switch").out
    assert "1 (with hosts)" in out
    assert "H5     S2/2" in out


PAIR = (
    "switches: [{name: S, ports: 2}]\nhosts: [{name: A}, {name: B}]\nlinks:\n"
    "- {a: A/1, b: S/1, rate: 4xNDR}\n- {a: B/1, b: S/2, rate: 4xNDR}"
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("switches: [{name: S, prots: 2}]", "4: unknown key 'prots'; did you mean 'ports'? (in switches[0])"),
        (
            "switches: [{name: S, ports: 2}]\nhosts: [{name: A}, {name: B}]\nlinks:\n"
            "- {a: A/1, b: S/1, rate: 4xNDR}\n- {a: B/1, b: S/1, rate: 4xNDR}",
            "8: port 1 of 'S' is used twice: by the links A/1 - S/1 and B/1 - S/1",
        ),
        (
            f"{PAIR}\nforwarding:\n  S:\n    A: 1\n    C: 2",
            "12: forwarding of switch 'S' to 'C': unknown host 'C'; known are A, B (fabric 'bad')",
        ),
        (
            f"{PAIR}\nforwarding:\n  S:\n    A: 3",
            "11: forwarding of switch 'S' to 'A': port 3 of 'S' has no link; it cannot be forwarded to",
        ),
        (f"{PAIR}\nforwarding:\n  T: {{A: 1}}", "10: forwarding of switch 'T' to 'A': unknown node 'T'; known are S, A, B"),
        (
            f"{PAIR}\nmodel: {{swich: 1}}",
            "9: unknown setting 'model.swich'; did you mean 'model.switch.root_test', 'model.switch.read_ports' or "
            "'model.scheme.name'?",
        ),
    ],
)
def test_bad_fabrics_are_one_sentence_with_file_and_line(command: Command, tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(f"ibcc_fabric: 1\nname: bad\nmtu_bytes: 4096\n{text}\n")
    finished = command("fabric", "show", file)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == f"ibcc: {file}:{sentence}\n"


@pytest.mark.long
def test_the_real_fabric_from_import_to_show(command: Command, shared: Path, tmp_path: Path) -> None:
    document = tmp_path / "ndr.yaml"
    source = shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"
    assert command("fabric", "import", source, "-o", document).code == 0
    shown = json.loads(command("fabric", "show", document, "--output", "json").out)
    counts = {key: len(shown[key]) for key in ("switches", "hosts", "aggregation_nodes", "routers", "links")}
    assert counts == {"switches": 40, "hosts": 542, "aggregation_nodes": 40, "routers": 0, "links": 1114}
    assert "Warning: 69 hosts are called" in command("fabric", "show", document).out


def test_an_import_can_say_the_congestion_control(command: Command, site: Path) -> None:
    guessed = command("fabric", "import", site)
    assert "dialect: nvidia-dcqcn" in guessed.out
    assert "is a guess" in guessed.out
    said = command("fabric", "import", site, "--congestion-control", "a10")
    assert "congestion_control" not in said.out
    assert "guess" not in said.out + said.err
    assert "- {dialect: none}" in command("fabric", "import", site, "--congestion-control", "none").out
