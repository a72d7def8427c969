# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.errors import BadInputError
from tuner.importers.base import IMPORTERS, import_fabric


def test_formats_register_themselves() -> None:
    assert IMPORTERS.names() == ["ibnetdiscover"]


def test_the_format_is_found_by_content_and_the_name_is_the_files(tmp_path: Path) -> None:
    file = tmp_path / "site.data"
    file.write_text('Switch\t2 "S-1"\t# "s" base port 0 lid 1 lmc 0\n[1]\t"H-2"[1](3)\t# "h" lid 2 4xNDR\n')
    imported = import_fabric(file, mtu_bytes=2048)
    assert (imported.format, imported.fabric.name, imported.fabric.mtu_bytes) == ("ibnetdiscover", "site", 2048)
    assert import_fabric(file, name="mine").fabric.name == "mine"


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("A switch of the S-family\n")
    with pytest.raises(BadInputError, match=r"notes\.txt: is in none of the formats that are known: ibnetdiscover"):
        import_fabric(file)
    with pytest.raises(BadInputError, match="cannot be read: No such file"):
        import_fabric(tmp_path / "none")


def test_an_mtu_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "site.txt"
    file.write_text('Switch\t2 "S-1"\t# "s" base port 0 lid 1 lmc 0\n[1]\t"H-2"[1](3)\t# "h" lid 2 4xNDR\n')
    with pytest.raises(BadInputError, match="mtu_bytes is 1500; it must be 256, 512"):
        import_fabric(file, mtu_bytes=1500)
