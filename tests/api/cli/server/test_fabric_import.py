# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric import` against a service that runs."""

import gzip
import json
from pathlib import Path

import pytest

from api.cli.server import fabric_upload
from tests.api.cli.server.conftest import Ibcc
from tests.api.import_service import PAIR
from tests.api.service import Service


@pytest.fixture
def admin(ibcc_server: Ibcc, served_service: tuple[Service, str], monkeypatch: pytest.MonkeyPatch) -> Ibcc:
    """Runs commands as an admin."""
    token = served_service[0].as_role("admin").headers["Authorization"].removeprefix("Bearer ")
    monkeypatch.setenv("IBCC_TOKEN", token)
    return ibcc_server


@pytest.mark.long
def test_a_preview_then_kept_then_a_version(admin: Ibcc, tmp_path: Path) -> None:
    file = tmp_path / "pair.txt"
    file.write_text(PAIR)
    one = json.loads(admin("fabric", "import", str(file), "--output", "json"))
    assert (one["state"], one["name"], one["preview"]["counts"]["hosts"]) == ("ready", "pair", 2)
    assert "pair" not in admin("fabric", "list")
    admin("fabric", "keep", one["id"], "pair")
    assert "pair" in admin("fabric", "list")
    named = json.loads(admin("fabric", "import", str(file), "--routing", "updn", "--output", "json"))
    assert named["preview"]["routing"] == "updown"
    plain = json.loads(admin("fabric", "import", str(file), "--congestion-control", "a10", "--output", "json"))
    assert plain["options"]["congestion_control"] == "a10"
    assert not any("guess" in note for note in plain["preview"]["notes"])
    changed = tmp_path / "later.txt.gz"
    changed.write_bytes(gzip.compress(PAIR.replace('"b"', '"[red]c"').encode()))
    shown = admin("fabric", "import", str(changed), "--keep", "pair")
    assert "1 renamed: b is now [red]c" in shown
    assert "does not hold the MTU; 4096 bytes are assumed" in " ".join(shown.split())
    admin("fabric", "revert", "pair", "1")
    versions = json.loads(admin("fabric", "versions", "pair", "--output", "json"))
    assert [row["origin"] for row in versions] == ["version 1 restored", "import of later.txt.gz", "import of pair.txt"]
    assert "1 renamed" in admin("fabric", "versions", "pair")


@pytest.mark.long
def test_a_file_too_large_for_the_service_is_read_here(admin: Ibcc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pair.txt"
    file.write_text(PAIR)
    for limit in ("PACKED_LIMIT_BYTES", "UNPACKED_LIMIT_BYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(fabric_upload, limit, 100)
            one = json.loads(admin("fabric", "import", str(file), "--output", "json"))
        assert one["preview"]["format"] == "fabric document"
        assert one["preview"]["counts"]["hosts"] == 2


@pytest.mark.long
def test_what_is_wrong_is_one_sentence(admin: Ibcc, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("no fabric")
    assert "notes.txt: is in no known format" in admin("fabric", "import", str(file), code=2)
    assert "give a FILE or --from-opensm FABRIC" in admin("fabric", "import", code=2)
    assert "is simulated, so no OpenSM knows it" in admin("fabric", "import", "--from-opensm", "two-switch", code=5)
    assert "routing 'nosuch' is not known" in admin("fabric", "import", str(file), "--routing", "nosuch", code=2)
    opensm = ("--from-opensm", "two-switch", "--congestion-control", "a10")
    assert "--congestion-control is 'a10', with which a FILE is read" in admin("fabric", "import", *opensm, code=2)
    assert "cannot be read" in admin("fabric", "import", str(tmp_path / "none"), code=2)
    assert "There is no import '0'" in admin("fabric", "keep", "0", "x", code=2)
    assert "has no version 7" in admin("fabric", "revert", "two-switch", "7", code=2)
