# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings in words."""

from collections.abc import Iterator, Mapping

from tuner.documents.probe_report import Misleading, ProbedDevice, ProbeFindings, VlReading

_DIALECTS = {
    "a10": "annex A10",
    "nvidia": "NVIDIA's attributes",
    "nvidia-dcqcn": "NVIDIA's attributes with DCQCN",
    "nvidia-ppcc": "NVIDIA's attributes with algorithms of the firmware (PPCC)",
}
_MISLEADING: Mapping[Misleading, str] = {
    "echo": "answers NVIDIA's attributes with the request's content, so nothing is known of them",
    "empty": "answers NVIDIA's attributes with success and zeros, so nothing is known of them",
    "unstable": "gives another answer to the same question, so nothing is known of NVIDIA's attributes",
    "any-port": "answers also for ports that do not exist",
}
_VL_READINGS: Mapping[VlReading, str] = {
    "mask": "0xFF09 takes the VL from vl_mask of the request",
    "modifier": "0xFF09 takes the VL from the upper half of the modifier",
    "modifier-is-port": "0xFF09 takes the port as modifier; all VLs hold the same, so that Gets do not show how it takes the VL",
    "unknown": "0xFF09 is answered in no known way",
}


def sentences(device: ProbedDevice) -> Iterator[str]:
    """Yields the findings of a device, the most important first."""
    found = device.findings
    if device.stopped is not None:
        yield device.stopped
    if device.stopped is None or found.dialects:
        names = " and ".join(_DIALECTS[dialect] for dialect in found.dialects)
        yield f"congestion control: {names or 'none that is known'}"
    yield from (_MISLEADING[one] for one in found.misleading)
    if found.vl_reading is not None:
        yield _VL_READINGS[found.vl_reading]
    yield from _details(found)


def _details(found: ProbeFindings) -> Iterator[str]:
    if found.capability_mask is not None:
        versions = [name for name, has in (("0", found.ver0), ("1", found.ver1)) if has]
        yield f"versions of NVIDIA's attributes: {', '.join(versions) or 'none'}; CC_Capability_Mask 0x{found.capability_mask:x}"
    if found.algorithms:
        yield "algorithms: " + ", ".join(f"{one.algo_id} version {one.major}.{one.minor}" for one in found.algorithms)
    if found.control_map is not None:
        order = ", which does not tell the order of its bits" if found.control_map in (0, 0x1F) else ""
        yield f"Control_Map of switches is 0x{found.control_map:x}{order}"
    if found.log_timestamp_at is not None:
        yield f"CurrentTimeStamp of CongestionLog stands at byte {found.log_timestamp_at}"
    if found.log_layout is not None:
        yield f"events of CongestionLog fit the layout: {found.log_layout}"
    if found.reserved_bits:
        yield f"bits that no public layout has are set in {', '.join(found.reserved_bits)}"
