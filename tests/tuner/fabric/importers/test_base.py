# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.errors import BadInputError
from tuner.fabric.importers.base import IMPORTERS, import_fabric

FORMATS = [
    "fabric document",
    "ibdiagnet2.db_csv",
    "iblinkinfo",
    "ibnetdiscover",
    "ibnetdiscover -p",
    "ibsim",
    "opensm-subnet.lst",
]
CORPUS = Path(__file__).parent / "corpus"


def test_formats_register_themselves() -> None:
    assert IMPORTERS.names() == FORMATS


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
    unknown, where = imported.notes
    assert unknown.startswith("the congestion control of the devices is not known: no device id, name or speed tells it. Say ")
    assert where == "4 LIDs are those of switches, where only management goes"


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
    with pytest.raises(BadInputError, match=rf"notes\.txt: is in no known format: {', '.join(FORMATS)}"):
        import_fabric(file)
    with pytest.raises(BadInputError, match="cannot be read: No such file"):
        import_fabric(tmp_path / "none")


def test_an_mtu_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "site.txt"
    file.write_text('Switch\t2 "S-1"\t# "s" base port 0 lid 1 lmc 0\n[1]\t"H-2"[1](3)\t# "h" lid 2 4xNDR\n')
    with pytest.raises(BadInputError, match="mtu_bytes is 1500; it must be 256, 512"):
        import_fabric(file, mtu_bytes=1500)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            "# IB# : Sta : PhysSta : MTU : LWA : LSA : Neighbor Guid : N# : Neighbor LID\n",
            "is ibdiagnet's net_dump; import ibdiagnet2",
        ),
        ('Switch\t: 0x0002c90200000111 ports 4 "leaf" base port 0 lid 11 lmc 0\n', "lists nodes without links, as ibswitches"),
        ('Ca\t: 0x0002c90300001007 ports 1 "h"\n', "lists nodes without links, as ibswitches, ibhosts and `ibnetdiscover -l` do"),
        (
            "# sites\nSwitchName=s0 Nodes=n[0-15]\n",
            "is Slurm's topology.conf or topology.yaml, which has neither ports nor rates; run `ibnetdiscover`",
        ),
        ("BlockName=b1 Nodes=n[1-18]\nBlockSizes=18\n", "is Slurm's topology.conf or topology.yaml, which has neither"),
        ("---\n- topology: tree\n  tree:\n    switches:\n", "is Slurm's topology.conf or topology.yaml, which has neither"),
        ("Unicast lids [0-8] of switch Lid 1 guid 0x1 ('leaf'):\n", "holds forwarding tables, which need a topology beside them"),
        ("# options\nrouting_engine ftree\n", "is OpenSM's configuration, which has no topology"),
        ("CA 'mlx5_0'\n\tCA type: MT4123\n", "is what ibstat prints of one host"),
        ('# names\n0x0002c90200000111 "spine 1"\n', "is a node name map, or a list of GUIDs"),
        ("ibcc_profile: 1\nname: x\n", "is another document of ibcc; a fabric document begins with ibcc_fabric: 1"),
        ("\n \n", "is empty; run `ibnetdiscover` as root"),
        ("\0\1\2\3" * 100, "is no text; ibnetdiscover's cache is none either"),
    ],
)
def test_what_people_take_for_a_topology_is_recognised_and_the_sentence_says_what_to_run(
    tmp_path: Path, content: str, sentence: str
) -> None:
    file = tmp_path / "site"
    file.write_text(content)
    with pytest.raises(BadInputError) as error:
        import_fabric(file)
    assert error.value.sentence.startswith(sentence)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_texts_of_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    """Windows' editors and shells write them."""
    file = tmp_path / "site.txt"
    text = (CORPUS / "ibnetdiscover/two-leaves.txt").read_text()
    file.write_bytes(text.encode(encoding))
    assert import_fabric(file).fabric.links == import_fabric(CORPUS / "ibnetdiscover/two-leaves.txt").fabric.links


@pytest.mark.parametrize(
    ("begin", "sentence"),
    [
        (b"\xfd7zXZ\0", "is packed by xz; unpack it first, by `xz -dc`, or pack it by gzip"),
        (b"BZh91AY", "is packed by bzip2"),
        (b"\x28\xb5\x2f\xfd", "is packed by zstd"),
        (b"PK\x03\x04", "is packed by zip"),
        (b"x" * 257 + b"ustar", "is a tar archive"),
    ],
)
def test_what_other_programs_have_packed_is_named(tmp_path: Path, begin: bytes, sentence: str) -> None:
    file = tmp_path / "site"
    file.write_bytes(begin + b"\0" * 100)
    with pytest.raises(BadInputError) as error:
        import_fabric(file)
    assert error.value.sentence.startswith(sentence)
