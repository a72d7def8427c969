# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Error rates after FEC and modules' temperatures, as ibdiagnet has written them."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.checks.links.fake_fabric import FakeFabric
from tests.tuner.checks.links.nights import START, Nights, only
from tuner.documents.check_kinds import Links

TEXT = """START_PHY_DB16
NodeGuid,PortGuid,PortNum,field12,field13,field14,field15,field16,field17
{guid},{guid},35,15,5,12,{effective},{symbol}
END_PHY_DB16

START_CABLE_INFO
NodeGuid,PortGuid,PortNum,Vendor,PN,SN,Temperature
{guid},{guid},35,"Maker","PN-1","SN-7","{celsius}"
END_CABLE_INFO
"""


def file_of(
    folder: Path, fabric: FakeFabric, *, effective: str = "20", symbol: str = "15,255", celsius: str = "41C", days: int = 1
) -> str:
    """`days`: after START, when it was written."""
    path = folder / "ibdiagnet2.db_csv"
    path.write_text(TEXT.format(guid=fabric.row(1, 35)["guid"], effective=effective, symbol=symbol, celsius=celsius))
    at_s = START.timestamp() + 86400 * days - 3600
    os.utime(path, (at_s, at_s))
    return str(path)


@pytest.mark.parametrize(
    ("written", "code", "evidence"),
    [
        ({"symbol": "30,11"}, "link-errors", "leaf 1/35: 3.0e-10 errors for each bit after FEC, the limit is 1.0e-12"),
        (
            {"symbol": "N/A,N/A", "effective": "9"},
            "link-errors",
            "leaf 1/35: 1.2e-08 errors for each bit after FEC, the limit is 1.0e-12",
        ),
        ({"celsius": "81C"}, "module-hot", "leaf 1/35: 81 °C, the limit is 75 °C"),
    ],
)
def test_what_is_above_its_limit_is_a_warning_with_its_module(
    written: dict[str, Any], code: str, evidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fabric = FakeFabric()
    seen = Nights(fabric, tmp_path, monkeypatch, ibdiagnet=file_of(tmp_path, fabric, **written)).night()
    finding = only(seen)
    assert (finding.code, finding.severity, finding.place) == (code, "warn", "leaf 1/35 – leaf 2/35")
    assert finding.evidence == f"{evidence}; leaf 1/35 has module Maker PN-1 SN-7"


def test_a_link_within_its_limits_is_a_fact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fabric = FakeFabric()
    seen = Nights(fabric, tmp_path, monkeypatch, ibdiagnet=file_of(tmp_path, fabric)).night()
    assert seen.findings == ()
    assert "ibdiagnet's file of 2026-01-02 01:00 UTC has error rates of 1 ports, temperatures of 1 modules" in seen.facts


@pytest.mark.parametrize(("days", "told"), [(-1, "more than a day ago: it says nothing of tonight"), (None, "No such file")])
def test_an_old_file_and_none_say_nothing(days: int | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fabric = FakeFabric()
    path = str(tmp_path / "none") if days is None else file_of(tmp_path, fabric, symbol="30,11", days=days)
    seen = Nights(fabric, tmp_path, monkeypatch, ibdiagnet=path).night()
    assert seen.findings == ()
    assert any(told in fact for fact in seen.facts)


def test_the_file_makes_no_other_nights_and_is_none_of_the_service() -> None:
    assert Links.beside == {"ibdiagnet", "module_celsius"}
    assert Links.files == ("ibdiagnet",)


@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        (
            "field14,field15,field16,field17",
            "a,b,c,d",
            "1 rows of {path}, section PHY_DB16, lack the columns field16, field17, field14, field15: "
            "it has nodeguid, portguid, portnum, field12, field13, a, b, c, d",
        ),
        ("15,255", "15,0", "1 rows of {path}, section PHY_DB16, have more than one error for each bit: 15 in line 3"),
        (
            "41C",
            "105F",
            "1 rows of {path}, section CABLE_INFO, have temperatures that are not in degrees Celsius: '105F' in line 8",
        ),
    ],
)
def test_what_another_version_writes_is_counted_and_named(
    old: str, new: str, fact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fabric = FakeFabric()
    path = Path(file_of(tmp_path, fabric))
    at_s = path.stat().st_mtime
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, (at_s, at_s))
    seen = Nights(fabric, tmp_path, monkeypatch, ibdiagnet=str(path)).night()
    assert seen.findings == ()
    assert fact.format(path=path) in seen.facts
