# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which addresses the service connects to."""

import socket
from ipaddress import ip_address, ip_network

import pytest

from api.notifiers.outgoing import Route, deadline_in

PUBLIC = (
    "8.8.8.8",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2606:4700::5efe:808:808",  # ISATAP of 8.8.8.8
    "2606:4700::1:5efe:7f00:1",  # no ISATAP
)
INSIDE = (
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "0.0.0.0",
    "224.0.0.1",
    "239.1.1.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "2002:7f00:1::",  # 6to4 of 127.0.0.1
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2001:0:7f00:1::1",  # Teredo
    "fec0::1",
    "feff::1",
    "3fff::1",
    "3fff:fff::1",
    "2606:4700::5efe:7f00:1",  # ISATAP of 127.0.0.1
    "2606:4700::200:5efe:a9fe:a9fe",
)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    assert Route("hooks.example.org", 443).may_reach(ip_address(address))


@pytest.mark.parametrize("address", INSIDE)
def test_others_must_be_named(address: str) -> None:
    found = ip_address(address)
    assert not Route("hooks.example.org", 443).may_reach(found)
    assert not Route("hooks.example.org", 443, [ip_network("198.51.100.0/24")]).may_reach(found)
    assert Route("hooks.example.org", 443, [ip_network(address)]).may_reach(found)
    assert Route(address, 443).may_reach(found), "written as a number"


def test_an_address_that_does_not_respond_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.create_server(("127.0.0.1", 0)) as server:
        # The kernel drops what does not fit into the queue: connecting takes until the time-out.
        fillers = [socket.socket() for _ in range(8)]
        for one in fillers:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", one.getsockname()) for one in (full, server)]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **named: found)
        with Route("localhost", 0).connect(deadline_in(1.0)) as connection:
            assert connection.getpeername() == server.getsockname()
        for one in fillers:
            one.close()


def test_localhost_names_loopback_only() -> None:
    assert Route("localhost", 25).may_reach(ip_address("127.0.0.1"))
    assert Route("localhost", 25).may_reach(ip_address("::1"))
    assert not Route("localhost", 25).may_reach(ip_address("10.0.0.1"))
