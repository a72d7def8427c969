# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Firmware of emulated devices, as rdma-core's vendstat reads it."""

import re

from tests.emulator.clients import Clients
from tests.emulator.conftest import Emulate
from tests.emulator.test_diagnostics import lids
from tuner.documents.fabric import load_fabric
from tuner.documents.hardware import GeneralInfo, HardwareRow

QUANTUM = HardwareRow(kind="switch", vendor_id=0x2C9, device_id=0xD2F0, firmware="27.2012.1010", psid="MT_0000000540")
CONNECTX = HardwareRow(kind="host", vendor_id=0x2C9, device_id=0x101B, firmware="20.39.1002")


def said(clients: Clients, lid: int) -> dict[str, str]:
    lines = (line.partition(":") for line in clients.output("vendstat", "-N", lid).splitlines())
    return {key: value.strip() for key, _, value in lines}


def refused(clients: Clients, lid: int) -> str:
    done = clients.run("vendstat", "-N", lid)
    assert done.returncode != 0
    return done.stderr


def odd(node: str, answer: GeneralInfo) -> HardwareRow:
    return HardwareRow(nodes=(node,), general_info=answer)


def test_vendstat_reads_the_firmware_of_the_document(emulate: Emulate) -> None:
    one = HardwareRow(nodes=("H3",), firmware="20.35.2000")
    rows = (
        QUANTUM,
        CONNECTX,
        one,
        odd("H4", "unsupported"),
        odd("H5", "zeros"),
        odd("H6", "silent"),
        odd("H7", "other-attribute"),
    )
    bed = emulate(load_fabric("two-switch").model_copy(update={"hardware": rows}))
    with bed.clients.opensm():
        lid = lids(bed.clients)
        switch = said(bed.clients, lid["S1"])
        assert (switch["hw_dev_id"], switch["fw_version"], switch["fw_psid"]) == ("0xd2f0", "27.2012.1010", "'MT_0000000540'")
        assert said(bed.clients, lid["H1"])["fw_version"] == "20.39.1002"
        assert said(bed.clients, lid["H3"])["fw_version"] == "20.35.2000"
        assert said(bed.clients, lid["H5"])["fw_version"] == "00.00.00"
        assert "attribute 1 failure" in refused(bed.clients, lid["H4"])
        assert "attribute 1 failure" in refused(bed.clients, lid["H6"])
        nodes = bed.clients.output("ibnetdiscover")
        assert re.search(r"vendid=0x2c9\ndevid=0xd2f0\n", nodes)
        bed.emulated.update_firmware(0, "27.2014.2084")
    with bed.clients.opensm():
        assert said(bed.clients, lids(bed.clients)["S1"])["fw_version"] == "27.2014.2084"
