# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.documents import catalogue
from tuner.emulator.any_fabric import any_fabric
from tuner.errors import BadInputError


def test_a_document_by_name_and_by_path(tmp_path: Path) -> None:
    copy = tmp_path / "copy.yaml"
    copy.write_text(catalogue.find("fabric", "two-switch").read_text())
    assert any_fabric("two-switch")[0].name == any_fabric(str(copy))[0].name == "two-switch"


def test_a_packaged_name_wins_over_a_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two-switch").write_text("something else")
    assert len(any_fabric("two-switch")[0].hosts) == 7


@pytest.mark.parametrize("file", ["ibnetdiscover.txt", "ibsim.net"])
def test_what_other_programs_print(root: Path, file: str) -> None:
    fabric, _ = any_fabric(str(root / "tests/data/opensm/ring" / file), mtu_bytes=2048)
    assert fabric.mtu_bytes == 2048
    assert len(fabric.switches) > 3


@pytest.mark.parametrize(("given", "sentence"), [("nowhere", "unknown fabric 'nowhere'"), ("a/b.yaml", "does not exist")])
def test_what_is_not_there(given: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        any_fabric(given)


def test_a_file_that_is_neither(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("hello: world\n")
    with pytest.raises(BadInputError, match="unknown key 'hello'|ibcc_fabric"):
        any_fabric(str(file))


def test_one_of_several_subnets_is_named(shared: Path) -> None:
    planes = str(shared / "cases/c06-planes.net")
    with pytest.raises(
        BadInputError, match="has 4 subnets, which no link joins.*; a subnet manager serves one of them: --subnet"
    ):
        any_fabric(planes)
    fabric, _ = any_fabric(planes, subnet=4)
    assert [switch.name for switch in fabric.switches] == ["P3L0", "P3L1", "P3S"]


def test_what_is_no_topology_is_named(shared: Path) -> None:
    with pytest.raises(BadInputError, match="is OpenSM's configuration, which has no topology; run `ibnetdiscover`"):
        any_fabric(str(shared / "cases/c07-opensm.conf"))
