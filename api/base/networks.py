# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Networks of clients: whoever has an address of IPv6 has all that differ from it in the last 64 bits."""

import ipaddress
from collections.abc import Sequence

_HOST_BITS = 64


def network_of(address: str | None) -> str:
    """Returns the name under which an address is counted: of IPv6, that of its network of 64 bits."""
    if address is None:
        return "unknown"
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(parsed), 128 - _HOST_BITS), strict=False))


def is_among(address: str, named: Sequence[str]) -> bool:
    """Whether the address is one of those, which are addresses, networks, or `*` for all."""
    for text in named:
        if text in ("*", address):
            return True
        try:
            if ipaddress.ip_address(address.partition("%")[0]) in ipaddress.ip_network(text, strict=False):
                return True
        except ValueError:
            continue
    return False
