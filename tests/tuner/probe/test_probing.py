# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from ccsim import wire
from tests.tuner.mads.test_general_info import answer as general_info
from tests.tuner.probe.devices import A10_ADAPTER, A10_SWITCH, BAD, DCQCN, MISSING, NVIDIA_SWITCH, PPCC, Device, Fabric
from tuner.documents.probe_report import Algorithm, ProbedDevice
from tuner.mads.request import GET
from tuner.probe.interview import interview
from tuner.probe.probing import Chosen, choose, probed_device, report, spread

KEY = 0x1122334455667788
ENHANCED = {0xFF00: {"ver0Supported": 1, "CC_Capability_Mask": 8}}


def probed(device: Device, guids: frozenset[int] = frozenset(), keys: Sequence[int] = ()) -> ProbedDevice:
    fabric = Fabric(device)
    node = fabric.node(0)
    return probed_device(Chosen(node, None, 1), interview(fabric, node, keys=keys), guids | {node.guid})


def switch(*knows: int, **more: Any) -> Device:
    return Device(tuple(knows), values={**ENHANCED}, **more)


def adapter(*knows: int, **more: Any) -> Device:
    return Device(tuple(knows), kind="adapter", num_ports=3, values={**ENHANCED}, **more)


@pytest.mark.parametrize(
    ("device", "dialects"),
    [
        (switch(*A10_SWITCH), ("a10",)),
        (switch(*NVIDIA_SWITCH), ("nvidia",)),
        (switch(*A10_SWITCH, *NVIDIA_SWITCH), ("a10", "nvidia")),
        (switch(), ()),
        (adapter(*A10_ADAPTER), ("a10",)),
        (adapter(*DCQCN), ("nvidia-dcqcn",)),
        (adapter(*PPCC), ("nvidia-ppcc",)),
        (adapter(*A10_ADAPTER, *DCQCN, *PPCC), ("a10", "nvidia-dcqcn", "nvidia-ppcc")),
        (adapter(), ()),
    ],
)
def test_kinds_of_congestion_control(device: Device, dialects: tuple[str, ...]) -> None:
    found = probed(device)
    assert found.findings.dialects == dialects
    assert found.findings.misleading == ()
    assert (found.key, found.stopped) == ("none", None)
    assert found.findings.missing_status == MISSING
    assert all(request.method == GET for request in device.sent)
    assert 15 < len(device.sent) < 25


@pytest.mark.parametrize(
    ("more", "reading"),
    [
        ({"vls": {1: 40}}, "mask"),
        ({"vls": {1: 40}, "quirk": "first-port"}, "mask"),
        ({}, "modifier-is-port"),
        ({"by_modifier": True}, "modifier"),
        ({"by_modifier": True, "vls": {2: 7}}, "modifier"),
        ({"by_modifier": True, "vls": {1: 40}, "quirk": "first-port"}, "modifier"),
        ({"quirk": "echo"}, "unknown"),
        ({"quirk": "empty"}, "unknown"),
        ({"quirk": "noise"}, "unknown"),
    ],
)
def test_the_place_of_the_vl(more: dict[str, Any], reading: str) -> None:
    assert probed(switch(*NVIDIA_SWITCH, **more)).findings.vl_reading == reading


def test_a_device_without_thresholds_has_no_reading() -> None:
    assert probed(switch(*A10_SWITCH)).findings.vl_reading is None
    assert probed(adapter(*DCQCN)).findings.vl_reading is None


@pytest.mark.parametrize("make", [lambda quirk: switch(*NVIDIA_SWITCH, quirk=quirk), lambda quirk: adapter(*DCQCN, quirk=quirk)])
@pytest.mark.parametrize(("quirk", "said"), [("echo", "echo"), ("empty", "empty"), ("noise", "unstable")])
def test_firmware_that_fools_a_single_get_is_not_believed(make: Any, quirk: str, said: str) -> None:
    found = probed(make(quirk)).findings
    assert said in found.misleading
    assert (found.dialects, found.ver0, found.capability_mask, found.algorithms) == ((), None, None, ())


def test_a_switch_that_answers_for_ports_that_do_not_exist() -> None:
    found = probed(switch(*NVIDIA_SWITCH, quirk="first-port")).findings
    assert (found.misleading, found.unknown_port, found.dialects) == (("any-port",), "answered", ("nvidia",))
    assert probed(switch(*NVIDIA_SWITCH)).findings.unknown_port == "refused"


def test_algorithms_and_capabilities() -> None:
    found = probed(adapter(*PPCC)).findings
    assert found.algorithms == (Algorithm(algo_id=7, major=2, minor=0),)
    assert (found.ver0, found.ver1, found.capability_mask, found.port_as_modifier) == (True, False, 8, "refused")


@pytest.mark.parametrize("protects", [True, False])
def test_a_device_with_a_key_is_left_alone(protects: bool) -> None:
    device = switch(*NVIDIA_SWITCH, key=KEY, protects=protects)
    device.knows = (*device.knows, 0x01)
    found = probed(device)
    assert (found.key, [request.attribute for request in device.sent]) == ("needed", [0x12])
    assert "1122334455667788" not in report([found]).model_dump_json()


@pytest.mark.parametrize(("protects", "tries"), [(True, [1, KEY]), (False, [])])
def test_a_device_with_a_known_key_is_asked_with_it(protects: bool, tries: list[int]) -> None:
    device = switch(*NVIDIA_SWITCH, key=KEY, protects=protects)
    found = probed(device, keys=[1, KEY])
    assert (found.key, found.stopped, found.findings.dialects) == ("needed", None, ("nvidia",))
    assert [request.key for request in device.sent if request.attribute == 0x12] == [0, *tries]
    assert all(request.key == KEY for request in device.sent if request.attribute != 0x12)
    assert f"{KEY:x}" not in report([found]).model_dump_json()
    assert found.answers == probed(switch(*NVIDIA_SWITCH, key=KEY, protects=protects), keys=[KEY]).answers


@pytest.mark.parametrize("protects", [True, False])
def test_a_device_with_another_key_is_asked_for_no_more(protects: bool) -> None:
    device = switch(*NVIDIA_SWITCH, key=KEY, protects=protects)
    found = probed(device, keys=[1, 2])
    assert (found.key, found.stopped) == ("needed", "wants a CC_Key that the key file does not have, so nothing else was asked")
    assert {request.attribute for request in device.sent} == {0x12}


def test_a_device_that_stops_answering_is_left_alone() -> None:
    device = switch(*NVIDIA_SWITCH, dies_after=6)
    found = probed(device)
    assert found.stopped == "stopped answering at time-stamp"
    assert len(device.sent) == 8


def test_a_device_that_ignores_single_attributes_is_asked_on() -> None:
    found = probed(adapter(*A10_ADAPTER, quirk="silent"))
    assert found.stopped is None
    assert {answer.status for answer in found.answers if answer.attribute >= 0xFF00} == {None}
    assert found.findings.dialects == ("a10",)


def test_logs() -> None:
    stamp = {0x18: {"TimeStamp": 100_000}}
    for layout, said in (("CongestionLog (CA)", "ib-types"), ("CongestionLog (CA, libibmad)", "libibmad")):
        events = {"SL_CN_Entry": [3] * 13, "Remote_QP_Number_CN_Entry": [0x123456] * 13, "Local_QP_CN_Entry": [0x654321] * 13}
        events |= {"Remote_LID_CN_Entry": [0x777] * 13}
        log = wire.pack(layout, {"LogType": 2, "CurrentTimeStamp": 99_990, **events})
        device = Device((*A10_ADAPTER,), kind="adapter", log=log, values={**stamp})
        found = probed(device)
        assert (found.findings.log_layout, found.findings.log_timestamp_at) == (said, 8)
        text = report([found]).model_dump_json()
        assert "123456" not in text
        assert "0777" not in text
    assert probed(Device(A10_ADAPTER, kind="adapter", values=stamp)).findings.log_layout is None


def test_nothing_of_the_site_is_in_the_report() -> None:
    guid = 0x2C9_0300_1234_5678
    values: dict[int, dict[str, Any]] = {
        **ENHANCED,
        0x01: {
            "BaseVersion": 1,
            "ClassVersion": 2,
            "TrapGID": bytes.fromhex("fe80") + bytes(6) + guid.to_bytes(8, "big"),
            "TrapLID": 0x1234,
        },
        0x14: {"Control_Map": 0x1F, "Victim_Mask": guid.to_bytes(32, "big")},
    }
    found = probed(Device((*A10_SWITCH, *NVIDIA_SWITCH), values=values), frozenset({guid}))
    text = report([found]).model_dump_json()
    for secret in ("secret", f"{guid:016x}"[4:], "02c90300aabb", "1234"):
        assert secret not in text
    answers = {answer.question: answer for answer in found.answers}
    assert answers["class-port-info"].data.startswith("0102")
    assert answers["switch-setting"].data == "0000001f" + "00" * 24 + "xx" * 8
    assert found.findings.control_map == 0x1F


def test_bits_that_no_layout_has_are_named() -> None:
    device = switch(*NVIDIA_SWITCH)
    plain = device._answer

    def odd(request: Any) -> tuple[int, bytes]:
        status, data = plain(request)
        return status, b"\0\x01" + data[2:] if request.attribute == 0xFF08 else data

    device._answer = odd  # type: ignore[method-assign]
    assert probed(device).findings.reserved_bits == ("ff08",)


def test_one_device_of_each_model_and_firmware_is_chosen() -> None:
    new, old = general_info(extended=(31, 2012, 1024), psid=b"MT_1"), general_info(extended=(31, 2010, 2))
    fabric = Fabric(*(Device((), general_info=info) for info in (new, old, new, None, new)))
    nodes = [fabric.node(0), fabric.node(1), fabric.node(2), fabric.node(3), fabric.node(4, vendor_id=0x66A)]
    found = choose(fabric, nodes)
    assert [(one.node.lid, one.info and one.info.firmware, one.count) for one in found] == [
        (1, "31.2012.1024", 2),
        (2, "31.2010.2", 1),
        (4, None, 1),
        (5, None, 1),
    ]
    assert fabric.devices[4].sent == []


def test_a_sample_is_spread_over_the_whole_list() -> None:
    assert spread(list(range(100)), 4) == [0, 25, 50, 75]
    assert spread([1, 2], 20) == [1, 2]
    fabric = Fabric(*(Device(()) for _ in range(50)))
    choose(fabric, [fabric.node(i) for i in range(50)], sample=5)
    assert sum(len(device.sent) for device in fabric.devices) == 5


def test_statuses_are_those_of_the_device() -> None:
    answers = {answer.question: answer for answer in probed(switch(*NVIDIA_SWITCH)).answers}
    assert (answers["ff10/unknown-port"].status, answers["switch-setting"].status, answers["ff00"].status) == (BAD, MISSING, 0)


def test_a_device_that_refuses_all_by_one_status() -> None:
    device = switch(*NVIDIA_SWITCH)
    plain = device._answer

    def one_status(request: Any) -> tuple[int, bytes]:
        status, data = plain(request)
        return (BAD if status else 0), data

    device._answer = one_status  # type: ignore[method-assign]
    found = probed(device).findings
    assert (found.unknown_port, found.vl_reading, found.missing_status) == ("refused", "modifier-is-port", BAD)


def test_an_answer_with_the_number_of_another_attribute_is_none() -> None:
    device = switch(*NVIDIA_SWITCH)
    plain = device.answer

    def confused(request: Any) -> Any:
        reply = plain(request)
        return replace(reply, attribute=0xFF01) if request.attribute == 0xFF00 else reply

    device.answer = confused  # type: ignore[method-assign]
    found = probed(device)
    assert found.findings.dialects == ()
    assert {answer.answered for answer in found.answers if answer.attribute == 0xFF00} == {0xFF01}
