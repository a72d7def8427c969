# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counters of congestion control: of ports in the class of performance management, and of a switch in its CongestionLog (IBA vol.
1, 16.1.4 and annex A10). They are optional, and a device that has one of them not refuses it."""

from dataclasses import dataclass

from tuner.mads.performance import bits
from tuner.mads.request import CONGESTION_CONTROL, PERFORMANCE, Reply, Request

_PORT_COUNTERS, _PORT_COUNTERS_EXTENDED, _PORT_RCV_CON_CTRL, _PORT_XMIT_CON_CTRL = 0x0012, 0x001D, 0x0031, 0x0034
_CONGESTION_LOG = 0x0013
_SWITCH_LOG = 1
_WORD_BYTES = 4
_LARGEST = (1 << 32) - 1


@dataclass(frozen=True)
class PortCongestion:
    """Counts since somebody cleared them; None for those that the device does not tell. `fecn`, `becn`: packets that arrived with
    one. `congested_ticks`: PortXmitTimeCong. `wait_ticks`: PortXmitWait."""

    xmit_bytes: int | None
    rcv_bytes: int | None
    fecn: int | None
    becn: int | None
    congested_ticks: int | None
    wait_ticks: int | None = None

    def since(self, before: "PortCongestion") -> "PortCongestion":
        """What came since then; None for what was cleared meanwhile, or stands at its largest value."""
        return PortCongestion(
            _grown(self.xmit_bytes, before.xmit_bytes, wide=True),
            _grown(self.rcv_bytes, before.rcv_bytes, wide=True),
            _grown(self.fecn, before.fecn),
            _grown(self.becn, before.becn),
            _grown(self.congested_ticks, before.congested_ticks),
            _grown(self.wait_ticks, before.wait_ticks),
        )


def ask_port(lid: int, port: int) -> list[Request]:
    """The requests whose replies port_congestion takes."""
    attributes = (_PORT_COUNTERS_EXTENDED, _PORT_RCV_CON_CTRL, _PORT_XMIT_CON_CTRL, _PORT_COUNTERS)
    return [Request(lid, PERFORMANCE, attribute, data=bytes([0, port])) for attribute in attributes]


def port_congestion(replies: list[Reply]) -> PortCongestion:
    data, received, sent, plain = replies
    return PortCongestion(
        None if (words := _field(data, 64, 64)) is None else words * _WORD_BYTES,
        None if (words := _field(data, 128, 64)) is None else words * _WORD_BYTES,
        _field(received, 32, 32),
        _field(received, 64, 32),
        _field(sent, 32, 32),
        _field(plain, 320, 32),
    )


def ask_log(lid: int) -> Request:
    """A device clears the count when it is read."""
    return Request(lid, CONGESTION_CONTROL, _CONGESTION_LOG)


def log_events(reply: Reply) -> int | None:
    """Returns how often a switch has marked since its log was read last; None if it does not tell."""
    return _field(reply, 16, 16) if reply.is_good and bits(reply.data, 0, 8) == _SWITCH_LOG else None


def _field(reply: Reply, at: int, width: int) -> int | None:
    return bits(reply.data, at, width) if reply.is_good else None


def _grown(now: int | None, before: int | None, *, wide: bool = False) -> int | None:
    if now is None or before is None or now < before or (not wide and now >= _LARGEST):
        return None
    return now - before
