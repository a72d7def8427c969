# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Who may be connected to."""

import contextlib
import ipaddress
import os
import socket
import struct

from ibcc_agent.configuration import CONFIG, set_in
from ibcc_agent.kernel_files import first_line, listed
from ibcc_agent.values import FAILED, RefusedError


def peer_networks(config):
    """([networks], where they come from). Without `peers`, those that this host's own RDMA interfaces are in."""
    if config["peers"] is not None:
        return [ipaddress.ip_network(network) for network in config["peers"]], set_in(config, "peers")
    origin = f"the networks of this host's RDMA interfaces, as {config.get('path', CONFIG)} has no peers"
    return list(own_networks(rdma_interfaces(config["sysfs"]))), origin


def rdma_interfaces(sysfs):
    """Names of network interfaces that are IPoIB's, or an RDMA device's own (RoCE)."""
    found = {name for name in listed("/sys/class/net") if first_line(f"/sys/class/net/{name}/type") == "32"}  # ARPHRD_INFINIBAND
    for device in listed(sysfs):
        for number in listed(os.path.join(sysfs, device, "ports")):
            names = os.path.join(sysfs, device, "ports", number, "gid_attrs", "ndevs")
            found.update(filter(None, (first_line(os.path.join(names, index)) for index in listed(names))))
    return found


def own_networks(interfaces, proc="/proc/net"):
    """Networks that these interfaces are in: IPv4's by routes without a gateway, IPv6's by addresses. Loopback and link-local
    ones are not among them: those have to be named."""
    found = set()
    with contextlib.suppress(OSError), open(os.path.join(proc, "route")) as file:
        for words in (line.split() for line in file.readlines()[1:]):
            if words[0] in interfaces and int(words[2], 16) == 0 and int(words[7], 16):
                address, mask = (socket.inet_ntoa(struct.pack("=I", int(words[k], 16))) for k in (1, 7))
                found.add(ipaddress.ip_network(f"{address}/{mask}", strict=False))
    with contextlib.suppress(OSError), open(os.path.join(proc, "if_inet6")) as file:
        for words in map(str.split, file):
            if words[5] in interfaces:
                found.add(ipaddress.ip_network((int(words[0], 16), int(words[2], 16)), strict=False))
    for network in sorted(found, key=lambda one: (one.version, one)):
        if not (network.is_loopback or network.is_link_local):
            yield network


def is_within(address, networks):
    """Returns True if an address, as the kernel or a resolver writes it, is in one of the networks."""
    found = ipaddress.ip_address(address.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    if found.is_unspecified or found.is_multicast:  # the first of which means this host itself
        return False
    special = [kind for kind in ("is_loopback", "is_link_local") if getattr(found, kind)]
    # 0.0.0.0/0 is no word for loopback.
    return any(found in network and all(getattr(network, kind) for kind in special) for network in networks)


def written(address):
    """Returns a socket's address as text, with its interface where it is link-local."""
    scope = address[3] if len(address) == 4 else 0
    return address[0].partition("%")[0] + ("%" + socket.if_indextoname(scope) if scope else "")


def allowed_address(name, tcp_port, config):
    """The address to connect to, which no other answer of a resolver can replace after it was found to be a peer's. IPv4 comes
    first: perftest exchanges addresses by it. Raises RefusedError."""
    try:
        answers = socket.getaddrinfo(name, tcp_port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise RefusedError(f"{name}, port {tcp_port}, cannot be reached: {why}", FAILED) from None
    networks, origin = peer_networks(config)
    addresses = [written(answer[4]) for answer in sorted(answers, key=lambda one: one[0] != socket.AF_INET)]
    for address in addresses:
        if is_within(address, networks):
            return address
    allowed = ", ".join(str(network) for network in networks[:8]) or "none"
    what = addresses[0] if name == addresses[0] else f"{name}, which is {addresses[0]},"
    raise RefusedError(f"{what} is no peer of this host's; allowed are {allowed} ({origin})")
