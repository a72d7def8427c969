# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Chooses one device of each model and firmware, asks it, and reports."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from importlib import metadata
from typing import TypeVar

from tuner.documents.probe_report import NotWritten, ProbeAnswer, ProbedDevice, ProbeReport, WriteTest
from tuner.mads.general_info import GeneralInfo, ask_general_info, general_info, tells_firmware
from tuner.probe.blanking import text_of
from tuner.probe.findings import findings
from tuner.probe.interview import Answer, Asker, Interview
from tuner.probe.subnet_nodes import SubnetNode

_T = TypeVar("_T")

FIRMWARE_SAMPLE = 20
"""Devices of a model that are asked for their firmware, unless somebody asks for more."""


@dataclass(frozen=True)
class Chosen:
    """A device that stands for `count` devices that were seen with its model and firmware. `info`: None if it does not tell."""

    node: SubnetNode
    info: GeneralInfo | None
    count: int


def choose(
    asker: Asker,
    nodes: Iterable[SubnetNode],
    *,
    sample: int = FIRMWARE_SAMPLE,
    on_progress: Callable[[float], None] = lambda done: None,
) -> list[Chosen]:
    """`sample`: devices of a model that are asked for their firmware, spread over all of them. Raises UnreachableError."""
    by_model: dict[tuple[str, int, int], list[SubnetNode]] = defaultdict(list)
    for node in nodes:
        by_model[node.kind, node.vendor_id, node.device_id].append(node)
    sampled = [node for model in by_model.values() for node in spread(model, sample)]
    seen: dict[tuple[str, int, int, str], list[tuple[SubnetNode, GeneralInfo | None]]] = defaultdict(list)
    for number, node in enumerate(sampled):
        info = _firmware(asker, node)
        seen[node.kind, node.vendor_id, node.device_id, "" if info is None else info.firmware].append((node, info))
        on_progress((number + 1) / len(sampled))
    return [Chosen(*alike[0], len(alike)) for alike in seen.values()]


def spread(items: Sequence[_T], most: int) -> list[_T]:
    """At most so many items, evenly from the whole list. REQUIRES: `most` is 1 or more."""
    count = min(most, len(items))
    return [items[i * len(items) // count] for i in range(count)]


def probed_device(
    chosen: Chosen, found: Interview, guids: Set[int], outcomes: Sequence[WriteTest | NotWritten] = ()
) -> ProbedDevice:
    """`guids`: of the subnet, which the report must not have."""
    node, info = chosen.node, chosen.info
    return ProbedDevice(
        kind="switch" if node.kind == "switch" else "adapter",
        vendor_id=node.vendor_id,
        device_id=node.device_id,
        firmware=None if info is None else info.firmware,
        psid="" if info is None else info.psid,
        num_ports=node.num_ports,
        key=found.key,
        stopped=found.stopped,
        duration_s=found.duration_s,
        answers=tuple(_answer(answer, guids) for answer in found.answers.values()),
        findings=findings(found, node.kind),
        write_tests=tuple(one for one in outcomes if isinstance(one, WriteTest)),
        not_written=tuple(one for one in outcomes if isinstance(one, NotWritten)),
    )


def report(devices: Iterable[ProbedDevice]) -> ProbeReport:
    return ProbeReport(ibcc_probe=1, ibcc=metadata.version("ibcc"), devices=tuple(devices))


def _firmware(asker: Asker, node: SubnetNode) -> GeneralInfo | None:
    if not tells_firmware(node.vendor_id):
        return None
    (read,) = asker.read([ask_general_info(node.lid)])
    return general_info(read.reply.data, read.reply.attribute) if read.reply.is_good else None


def _answer(answer: Answer, guids: Set[int]) -> ProbeAnswer:
    question, reply = answer.question, answer.reply
    other = reply.attribute if reply.attribute != question.attribute else None
    return ProbeAnswer(
        question=question.name,
        attribute=question.attribute,
        modifier=question.modifier,
        sent=question.data.rstrip(b"\0").hex(),
        status=reply.status,
        answered=None if answer.is_silence else other,
        data="" if answer.is_silence else text_of(question.attribute, reply.data, guids),
    )
