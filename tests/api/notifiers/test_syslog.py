# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Lines of syslog, as sockets get them."""

import re
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from api.configuration.notification_addresses import Syslog
from api.notifiers.kinds.syslog import LINE_BYTES, SyslogSender, lines_of
from tests.api.notifiers.messages import HOSTILE, message

LINE = re.compile(
    rb"<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z) "
    rb"([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) - \xef\xbb\xbf(.*)"
)
"""RFC 5424, 6, without structured data."""


def sender_to(**options: Any) -> SyslogSender:
    return SyslogSender("ops", Syslog.model_validate({"kind": "syslog"} | options))


def parsed(line: bytes) -> tuple[int, bytes, str]:
    """Priority, kind of event and text."""
    match = LINE.fullmatch(line)
    assert match is not None, line
    return int(match[1]), match[6], match[7].decode()


def test_udp() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(10)
        sender_to(server="127.0.0.1", port=server.getsockname()[1]).send(message("S1", "S2", severity="error"))
        lines = [server.recv(65536) for _ in range(2)]
    assert [parsed(line) for line in lines] == [
        (3 * 8 + 3, b"device.lost", "fabric lab: S1 is missing"),
        (3 * 8 + 3, b"device.lost", "fabric lab: S2 is missing"),
    ]


def test_tcp_counts_the_bytes_of_a_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        got: list[bytes] = []

        def read() -> None:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as stream:
                got.append(stream.read())

        reader = threading.Thread(target=read)
        reader.start()
        options = {"server": "127.0.0.1", "port": server.getsockname()[1], "transport": "tcp", "facility": "local7"}
        sender_to(**options).send(message("S1", "\u6f22", severity="info"))
        reader.join(10)
    rest, lines = got[0], []
    while rest:
        length, _, rest = rest.partition(b" ")
        lines.append(rest[: int(length)])
        rest = rest[int(length) :]
    assert [parsed(line)[0::2] for line in lines] == [
        (23 * 8 + 6, "fabric lab: S1 is missing"),
        (23 * 8 + 6, "fabric lab: \u6f22 is missing"),
    ]


def test_unix_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "log"))
        server.settimeout(10)
        sender_to(transport="unix", socket=tmp_path / "log").send(message("S1", fabric=None))
        assert parsed(server.recv(65536))[2] == "S1 is missing"
    with pytest.raises(OSError, match="No such file"):
        sender_to(transport="unix", socket=tmp_path / "none").send(message("S1"))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_is_one_line(text: str) -> None:
    [line] = lines_of(message(text, kind="de vice\n<1>1 x"), "daemon")
    _, kind, shown = parsed(line)
    assert len(line) <= LINE_BYTES
    assert kind == b"de?vice?<1>1?x"
    assert shown.isprintable()


def test_events_that_are_only_counted_have_a_line() -> None:
    lines = list(lines_of(message(*["S"] * 103), "daemon"))
    assert len(lines) == 101
    assert parsed(lines[-1]) == (3 * 8 + 4, b"omitted", "3 more events")
