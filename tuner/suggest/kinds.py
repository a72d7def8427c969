# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kinds of congestion control for which a fabric's devices want values: switches mark by one, adapters react by one.

A mark is the same bit whoever sets it, so that adapters of either kind react to switches of either kind. A device that has both
kinds takes NVIDIA's where the profile has those for it, so a profile has them only where they are wanted.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tuner.documents.fabric import FabricDocument
from tuner.documents.known_dialects import ASKED, require_known, unknown_devices
from tuner.errors import BadInputError


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """Kinds that a suggested profile has values for."""

    a10: bool = True
    """Some adapter reacts by annex A10's attributes."""
    dcqcn: bool = False
    """Some adapter runs DCQCN, by NVIDIA's attributes."""
    a10_marks: bool = True
    """Some switch marks by annex A10's attributes."""
    nvidia_marks: bool = False
    """Some switch marks by NVIDIA's attributes."""
    left_out: tuple[str, ...] = ()
    """A sentence on devices for which nothing can be suggested."""

    @classmethod
    def of(cls, document: FabricDocument) -> "Kinds":
        """Raises BadInputError if there is no adapter, or no switch, for which a profile can be suggested."""
        switches: Counter[str] = Counter()
        adapters: Counter[str] = Counter()
        for node, device in zip(document.nodes, document.device_congestion_control(), strict=True):
            if node.kind in ("switch", "host"):  # aggregation nodes and routers carry no flows
                (switches if node.kind == "switch" else adapters)[device.dialect] += 1
        require_known(document)
        if not adapters["a10"] + adapters["nvidia-dcqcn"] + adapters["both"]:
            raise BadInputError(
                f"fabric '{document.name}' has {adapters['nvidia-ppcc']} adapters that run algorithms of their firmware and "
                f"{adapters['none']} without congestion control, and for neither a profile can be suggested; annex A10's or "
                "DCQCN's are needed"
            )
        if not switches.total() - switches["none"] - switches["unknown"]:
            raise BadInputError(
                f"fabric '{document.name}' has {switches.total()} switches without congestion control and no others, so that no "
                f"packet is marked for its adapters ({_in_words(adapters)}) to react to; a profile does nothing there"
            )
        return cls(**_chosen(switches, adapters), left_out=tuple(_left_out(document, switches, adapters)))


def _chosen(switches: Mapping[str, int], adapters: Mapping[str, int]) -> dict[str, bool]:
    """Devices of both kinds follow those that have one kind; where all have both, they take NVIDIA's."""
    nvidia_switches = switches["nvidia-dcqcn"] + switches["nvidia-ppcc"] > 0
    some_a10 = adapters["a10"] > 0 or switches["a10"] > 0
    some_nvidia = adapters["nvidia-dcqcn"] > 0 or nvidia_switches
    dcqcn = adapters["nvidia-dcqcn"] > 0 or (adapters["both"] > 0 and (some_nvidia or not some_a10))
    nvidia_marks = nvidia_switches or (switches["both"] > 0 and dcqcn and not switches["a10"])
    return {
        "a10": adapters["a10"] > 0 or (adapters["both"] > 0 and not dcqcn),
        "dcqcn": dcqcn,
        "a10_marks": switches["a10"] > 0 or (switches["both"] > 0 and not nvidia_marks),
        "nvidia_marks": nvidia_marks,
    }


def _left_out(document: FabricDocument, switches: Mapping[str, int], adapters: Mapping[str, int]) -> list[str]:
    sentences = []
    total = sum(adapters.values())
    if ppcc := adapters["nvidia-ppcc"]:
        sentences.append(
            f"{ppcc} of {total} adapters run algorithms of their firmware (PPCC), which are not public: nothing is suggested for "
            "these, and they are taken to answer no marks, so that nobody is held back from them."
        )
    if none := adapters["none"]:
        sentences.append(
            f"{none} of {total} adapters have no congestion control: they send as fast as they can, and answer no marks, so that "
            "nobody is held back from them."
        )
    for plural, (count, of) in unknown_devices(document).items():
        sentences.append(
            f"Of {count} of {of} {plural} the congestion control is not known, and nothing is set on these, so that they are "
            f"taken to {'mark nothing' if plural == 'switches' else 'answer no marks'}: {ASKED}."
        )
    if none := switches["none"]:
        sentences.append(
            f"{none} of {sum(switches.values())} switches have no congestion control and mark nothing, so that nobody is held "
            f"back from the hosts behind them ({_behind_unmarking(document)})."
        )
    return sentences


def _behind_unmarking(document: FabricDocument) -> int:
    """Returns the number of hosts' links to switches without congestion control."""
    nodes, devices = document.nodes, document.device_congestion_control()

    def is_host_behind(host: int, switch: int) -> bool:
        return nodes[host].kind == "host" and nodes[switch].kind == "switch" and devices[switch].dialect == "none"

    return sum(is_host_behind(a.node, b.node) or is_host_behind(b.node, a.node) for _, a, b in document.ends())


def _in_words(adapters: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {dialect}" for dialect, count in adapters.items() if count)
