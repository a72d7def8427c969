# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Connections to addresses of the settings, bounded in time and bytes.

A host's name is resolved once, and the connection goes to a resolved address that was checked, so that nobody who controls a name
in the DNS can lead the service to a machine of its own network. Addresses that are not public have to be named in the settings.
"""

import socket
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any, TypeAlias

from api.configuration.notification_addresses import Reaching

MOST_BYTES = 2**20
"""Largest number of bytes that a receiver may send."""

_IP: TypeAlias = IPv4Address | IPv6Address
_NAT64 = ip_network("64:ff9b::/96")
_NOT_PUBLIC = (ip_network("fec0::/10"), ip_network("3fff::/20"))
"""Site-local addresses (RFC 3879) and those of documents (RFC 9637), which Python counts as global."""
_ISATAP, _ISATAP_UNIVERSAL = 0x0000_5EFE, 0x0200_0000
"""The upper half of an interface's identifier that wraps an address of IPv4 (RFC 5214, 6.1), and its bit that may be set."""


class NotReachedError(Exception):
    """A message was not delivered; the sentence says why."""


def deadline_in(seconds: float) -> float:
    """Returns a deadline for `connect`, in seconds of the monotonic clock."""
    return time.monotonic() + seconds


class _Bounded:
    """Mixin of sockets: whatever the other side does, nothing lasts longer than until the deadline, nor brings more bytes."""

    deadline = float("inf")
    received = 0

    def _limit(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.settimeout(None if left == float("inf") else left)  # type: ignore[attr-defined]

    def _count(self, number: int) -> None:
        self.received += number
        if self.received > MOST_BYTES:
            raise NotReachedError(f"it sent more than {MOST_BYTES} bytes")

    def recv_into(self, *given: Any, **named: Any) -> int:
        self._limit()
        number: int = super().recv_into(*given, **named)  # type: ignore[misc]
        self._count(number)
        return number

    def send(self, *given: Any, **named: Any) -> int:
        self._limit()
        return int(super().send(*given, **named))  # type: ignore[misc]

    def sendall(self, *given: Any, **named: Any) -> None:
        self._limit()
        super().sendall(*given, **named)  # type: ignore[misc]


class BoundedSocket(_Bounded, socket.socket):
    pass


class BoundedTls(_Bounded, ssl.SSLSocket):
    pass


@dataclass(frozen=True)
class Route:
    """Host, port and permissions of an address."""

    host: str
    port: int
    allowed: Sequence[IPv4Network | IPv6Network] = ()
    ca_file: Path | None = None

    @classmethod
    def of(cls, options: Reaching, host: str, port: int) -> "Route":
        return cls(host, port, options.allow_networks, options.ca_file)

    def connect(self, deadline: float, *, udp: bool = False, tls: bool = False) -> BoundedSocket | BoundedTls:
        """Returns a connected socket. Raises NotReachedError, OSError."""
        kind = socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
        failure: OSError | None = None
        places = self._places(kind)
        for number, (family, place) in enumerate(places):
            raw = BoundedSocket(family, kind)
            raw.deadline = deadline
            try:
                # One that does not respond, of IPv6 say, leaves time for the others.
                raw.settimeout(max(deadline - time.monotonic(), 0.01) / (len(places) - number))
                raw.connect(place)
                raw._limit()
                return self.wrapped(raw, deadline) if tls else raw
            except OSError as error:
                failure = error
                raw.close()
        raise failure or NotReachedError(f"{self.host} has no address")

    def wrapped(self, raw: socket.socket, deadline: float) -> BoundedTls:
        """Returns the socket with TLS, after the certificate was checked. Raises OSError."""
        secured = self.tls_context().wrap_socket(raw, server_hostname=self.host)
        assert isinstance(secured, BoundedTls)
        secured.deadline = deadline
        return secured

    def tls_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.ca_file)
        context.sslsocket_class = BoundedTls
        return context

    def _places(self, kind: socket.SocketKind) -> list[tuple[socket.AddressFamily, Any]]:
        try:
            found = socket.getaddrinfo(self.host, self.port, type=kind)
        except OSError as error:
            raise NotReachedError(f"the name {self.host} cannot be resolved: {error.strerror}") from error
        places: list[tuple[socket.AddressFamily, Any]] = [
            (family, place) for family, _, _, _, place in found if self.may_reach(ip_address(str(place[0]).partition("%")[0]))
        ]
        if not places:
            raise NotReachedError(
                f"{self.host} is {found[0][4][0]}, which is not public; name its network in allow_networks if that is right"
            )
        return places

    def may_reach(self, address: _IP) -> bool:
        """Says whether the settings name the address, or it is public."""
        if any(address in network for network in self.allowed) or _is_public(address):
            return True
        try:
            return address == ip_address(self.host)  # written as a number
        except ValueError:
            return self.host == "localhost" and address.is_loopback


def _is_public(address: _IP) -> bool:
    if isinstance(address, IPv6Address):
        if address.teredo is not None or any(address in network for network in _NOT_PUBLIC):
            return False
        inner = address.ipv4_mapped or address.sixtofour
        if (int(address) >> 32) & 0xFFFFFFFF & ~_ISATAP_UNIVERSAL == _ISATAP:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return _is_public(inner)
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)
