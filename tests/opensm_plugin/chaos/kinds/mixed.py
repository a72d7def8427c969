# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices with NVIDIA's attributes, annex A10's, both or none; adapters of one model with PPCC algorithms in another order; hosts
that never answer."""

from tests.opensm_plugin.chaos.kinds import Kind
from tuner.documents.congestion_control import Algorithm, CongestionControlRow
from tuner.documents.hardware import HardwareRow

SEVEN = Algorithm(algo_id=7, parameters=(1, 2, 3))
NINE = Algorithm(algo_id=9, parameters=(11, 12, 13))
IN_ANOTHER_ORDER = ("H4", "H9", "H10", "H11", "H12", "H13", "H14", "H15")
FIRMWARE = (
    CongestionControlRow(dialect="nvidia-ppcc", algorithms=(SEVEN, NINE)),
    CongestionControlRow(nodes=IN_ANOTHER_ORDER, algorithms=(NINE, SEVEN)),
    CongestionControlRow(nodes=("S1-1", "S2-1", "H1", "H4", "H8", "H12"), dialect="both"),
    CongestionControlRow(nodes=("S1-2", "S2-2", "H2", "H3"), dialect="a10"),
    CongestionControlRow(nodes=("S1-3",), vl_reading="modifier"),
    CongestionControlRow(nodes=("H7",), dialect="none"),
    CongestionControlRow(nodes=("H5", "H13"), quirk="silent"),
)
ONE_MODEL = HardwareRow(kind="host", vendor_id=0x2C9, device_id=0x101B, firmware="20.39.1002", psid="MT_0000000224")

ALGORITHMS = {
    0: "[{{algo_id: 7, major: 1, minor: 0, parameters: {{0: {own}, 1: 3932}}}}]",
    1: "[{{algo_id: 9, major: 1, minor: 0, parameters: {{0: {own}}}}}]",
    2: (
        "[{{algo_id: 7, major: 1, minor: 0, sls: [0, 1, 2, 3], parameters: {{1: {own}}}}},"
        " {{algo_id: 9, major: 1, minor: 0, sls: [4, 5], parameters: {{2: {own}}}}}]"
    ),
    4: "[{{algo_id: 9, major: 1, minor: 0, sls: [0, 4]}}]",
}
"""By number of the profile; the others have no section `nvidia`, so that devices change from one kind to the other."""


class _Mixed(Kind):
    def section(self, number: int) -> str:
        if number not in ALGORITHMS:
            return ""
        return (
            f"nvidia:\n  switch: {{aqs_time: {number + 1}, aqs_weight: 3, thresholds: [{{vls: all, unit: percent,"
            f" profile1_min: 10, profile1_max: {40 + number}, profile1_percent: 20}}]}}\n"
            f"  adapter: {self._adapter(number, 0)}"
        )

    def override(self, number: int, rank: int) -> str:
        # Parameters of a host's own, so that what was meant for another is seen.
        return f", nvidia: {{adapter: {self._adapter(number, rank)}}}" if number in ALGORITHMS else ""

    def _adapter(self, number: int, rank: int) -> str:
        return f"{{type: ppcc, ppcc: {ALGORITHMS[number].format(own=100 * (number + 1) + rank)}}}"


KIND = _Mixed("mixed", FIRMWARE, (ONE_MODEL,), "--nvidia-write --base-file {folder}/handover/base")
