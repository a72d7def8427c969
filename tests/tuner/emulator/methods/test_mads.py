# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""MADs, counted as they set out."""

from tests.tuner.emulator.conftest import Bed


def counted(bed: Bed, *, clear: bool = False) -> dict[tuple[str, str, str], int]:
    return {(row["class"], row["method"], row["attribute"]): row["count"] for row in bed.client.mads(clear=clear)["mads"]}


def test_mads_are_counted_by_class_method_and_attribute(up: Bed) -> None:
    assert counted(up)["SMA", "Set", "LinearForwardingTable"] > 0
    assert ("CCA", "Get", "CongestionInfo") not in counted(up, clear=True)
    lid = up.client.tables("H4")[0]["ports"]["1"]["lid"]
    before_s = up.client.mads()["now_s"]
    up.output("ibccquery", "CongestionInfo", lid)
    up.output("ibccquery", "CongestionInfo", lid)
    result = up.client.mads()
    (row,) = (row for row in result["mads"] if row["class"] == "CCA")
    assert (row["method"], row["attribute"], row["count"], row["directed"]) == ("Get", "CongestionInfo", 2, False)
    assert before_s <= row["first_s"] < row["last_s"] <= result["now_s"]
