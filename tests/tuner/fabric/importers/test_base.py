# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.errors import BadInputError
from tuner.fabric.importers.base import IMPORTERS, import_fabric

CORPUS = Path(__file__).parent / "corpus"


def test_formats_register_themselves() -> None:
    assert IMPORTERS.names() == ["fabric document", "ibnetdiscover", "ibsim"]


def test_the_format_is_found_by_content_and_the_name_is_the_files(tmp_path: Path) -> None:
    file = tmp_path / "site.data"
    file.write_text('Switch\t2 "S-1"\t# "s" base port 0 lid 1 lmc 0\n[1]\t"H-2"[1](3)\t# "h" lid 2 4xNDR\n')
    imported = import_fabric(file, mtu_bytes=2048)
    assert (imported.format, imported.fabric.name, imported.fabric.mtu_bytes) == ("ibnetdiscover", "site", 2048)
    assert import_fabric(file, name="mine").fabric.name == "mine"


def test_what_ibnetdiscover_prints_is_told_from_a_net_file_with_ids_like_its_own(tmp_path: Path) -> None:
    file = tmp_path / "site.net"
    file.write_text('Switch 2 "S-1"\n[1] "H-2"[1]\n\nHca 1 "H-2"\n[1] "S-1"[1]\n')
    imported = import_fabric(file)
    assert (imported.format, [switch.name for switch in imported.fabric.switches]) == ("ibsim", ["S-1"])


def test_routes_come_with_the_topology_and_tell_what_they_leave_out() -> None:
    imported = import_fabric(CORPUS / "ibsim/two-leaves.net", routes=CORPUS / "lft_dump/two-leaves.opensm-lfts.dump")
    assert imported.fabric.routing == "tables"
    assert imported.fabric.lfts["L1"] == {1: (0, 1, 3, 3, 2, 4, 3, 4)}
    assert imported.notes == ("4 LIDs are those of switches, where only management goes",)


def test_errors_in_routes_name_their_file(tmp_path: Path) -> None:
    routes = tmp_path / "routes.dump"
    routes.write_text("no tables\n")
    with pytest.raises(BadInputError, match=r"routes\.dump: holds no forwarding tables; opensm-lfts\.dump and what ibroute"):
        import_fabric(CORPUS / "ibsim/two-leaves.net", routes=routes)
    with pytest.raises(BadInputError, match="none: cannot be read: No such file"):
        import_fabric(CORPUS / "ibsim/two-leaves.net", routes=tmp_path / "none")


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("A switch of the S-family\n")
    with pytest.raises(BadInputError, match=r"notes\.txt: is in no known format: fabric document, ibnetdiscover, ibsim"):
        import_fabric(file)
    with pytest.raises(BadInputError, match="cannot be read: No such file"):
        import_fabric(tmp_path / "none")


def test_an_mtu_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "site.txt"
    file.write_text('Switch\t2 "S-1"\t# "s" base port 0 lid 1 lmc 0\n[1]\t"H-2"[1](3)\t# "h" lid 2 4xNDR\n')
    with pytest.raises(BadInputError, match="mtu_bytes is 1500; it must be 256, 512"):
        import_fabric(file, mtu_bytes=1500)
