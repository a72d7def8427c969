# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads the counters of all ports of links: a MAD for each port, one or two for each device, and one more for a switch's port to
a host where PortXmitData of 64 bits is in an attribute of its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tuner.checks.links.ports import Link, Port, PortKey
from tuner.mads import performance
from tuner.mads.client import MadReader
from tuner.mads.performance import Ability
from tuner.mads.request import Reply

SILENT = "did not answer"


@dataclass(frozen=True)
class Counts:
    """`values`: of COUNTERS, None for one that the device does not have."""

    able: Ability
    values: tuple[int | None, ...]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """`counts`: by port. `unread`: why others could not be read. `tick_bytes`: by a switch's GUID, after how many bytes its
    PortXmitWait counts one, if it says so. `sent_words`: PortXmitData of switches' ports to hosts that have it in 64 bits."""

    counts: Mapping[PortKey, Counts]
    unread: Mapping[PortKey, str]
    tick_bytes: Mapping[str, int]
    sent_words: Mapping[PortKey, int]


def read_counters(reader: MadReader, links: Sequence[Link], on_progress: Callable[[float], None]) -> Reading:
    """Raises UnreachableError."""
    ports = [end for link in links for end, _ in link.ends]
    devices = {_device(port): port for port in ports if port.lid is not None}
    switches = {port.guid: port for port in devices.values() if port.is_switch}
    asked = [performance.ask_ability(_lid(port)) for port in devices.values()]
    asked += [performance.ask_tick(_lid(port), port.number) for port in switches.values()]
    to_hosts = [end for link in links for end, peer in link.ends if end.is_switch and not peer.is_switch]
    total = len(asked) + len(ports)
    replies = [one.reply for one in reader.read(asked, on_progress=lambda done: on_progress(done * len(asked) / total))]
    of_device = dict(zip(devices, replies, strict=False))
    of_switch = dict(zip(switches, replies[len(devices) :], strict=True))
    able = {device: performance.ability(reply.data) for device, reply in of_device.items() if reply.is_good}
    readable = in_turns(port for port in ports if _device(port) in able)
    counters = reader.read(
        [performance.ask_counters(_lid(port), port.number, able[_device(port)]) for port in readable],
        on_progress=lambda done: on_progress((len(asked) + done * len(readable)) / total),
    )
    found = {port.key: (able[_device(port)], one.reply) for port, one in zip(readable, counters, strict=True)}
    words = {key: performance.xmit_words(reply.data) for key, (one, reply) in found.items() if one.extended and reply.is_good}
    apart = [port for port in in_turns(to_hosts) if _waits_in_32_bits(found.get(port.key))]
    data = reader.read([performance.ask_data(_lid(port), port.number) for port in apart])
    told = [(port.key, read.reply) for port, read in zip(apart, data, strict=True)]
    words |= {key: performance.xmit_words(reply.data) for key, reply in told if reply.is_good}
    unread = {port.key: _why(of_device.get(_device(port))) for port in ports if port.key not in found}
    return Reading(
        counts={key: Counts(one, performance.counters(reply.data, one)) for key, (one, reply) in found.items() if reply.is_good},
        unread=unread | {key: _why(reply) for key, (_, reply) in found.items() if not reply.is_good},
        tick_bytes={guid: performance.tick_bytes(reply.data) for guid, reply in of_switch.items() if reply.is_good},
        sent_words={port.key: words[port.key] for port in to_hosts if port.key in words},
    )


def _waits_in_32_bits(read: tuple[Ability, Reply] | None) -> bool:
    """True if PortXmitWait was read, whose place beside PortXmitData is of use, and PortXmitData not yet."""
    return read is not None and read[1].is_good and read[0].waits and not read[0].extended


def clear_counters(
    reader: MadReader, ports: Iterable[Port], reading: Reading, names: Mapping[PortKey, list[str]]
) -> set[PortKey]:
    """Sets the named counters of ports to 0, and returns the ports that have done so."""
    chosen = in_turns(port for port in ports if port.key in names)
    replies = reader.read(
        [performance.clear(_lid(port), port.number, reading.counts[port.key].able, names[port.key]) for port in chosen]
    )
    return {port.key for port, one in zip(chosen, replies, strict=True) if one.reply.is_good}


def in_turns(ports: Iterable[Port]) -> list[Port]:
    """Returns the ports so that devices take turns, for none to get many requests at once."""
    turns: dict[str, int] = {}
    numbered = []
    for port in ports:
        turn = turns[port.guid] = turns.get(port.guid, 0) + 1
        numbered.append((turn, port))
    return [port for _, port in sorted(numbered, key=lambda one: one[0])]


def _device(port: Port) -> tuple[str, int | None]:
    """Device that answers for a port: a switch, or a port of an adapter."""
    return port.guid, port.lid


def _lid(port: Port) -> int:
    assert port.lid is not None
    return port.lid


def _why(reply: Reply | None) -> str:
    if reply is None:
        return "has no LID"
    return SILENT if reply.status is None else f"refused with status 0x{reply.status:04x}"
