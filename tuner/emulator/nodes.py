# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the node that a call means, and writes nodes the way that answers do."""

from tuner.documents.fabric import NodeNames
from tuner.emulator.fabric import EmulatedFabric
from tuner.rpc.protocol import INVALID_PARAMS, RpcError


def find_node(emulated: EmulatedFabric, guid: str | int | None, node: str | None) -> int | None:
    """The node's index, by its GUID or one of its ports', or by its description; None if neither is given. Raises RpcError."""
    if guid is not None and node is not None:
        raise RpcError(INVALID_PARAMS, "gives both guid and node; one of them is enough")
    if guid is not None:
        return _by_guid(emulated, guid)
    if node is None:
        return None
    try:
        return NodeNames(emulated.document).node(node)
    except ValueError as error:
        raise RpcError(INVALID_PARAMS, str(error)) from error


def require_node(emulated: EmulatedFabric, guid: str | int | None, node: str | None) -> int:
    """Number of the node that a call names, as find_node; a call that names none is refused."""
    found = find_node(emulated, guid, node)
    if found is None:
        raise RpcError(INVALID_PARAMS, "needs a node: guid, or node with its description")
    return found


def guid_of(emulated: EmulatedFabric, node: int) -> str:
    return f"0x{emulated.document.guid_of(node):016x}"


def _by_guid(emulated: EmulatedFabric, guid: str | int) -> int:
    try:
        number = guid if isinstance(guid, int) else int(guid, 16)
    except ValueError:
        raise RpcError(INVALID_PARAMS, f"guid '{guid}' is not a GUID, such as 0x0002c90300a1b2c3") from None
    for i in range(len(emulated.document.nodes)):
        if emulated.document.guid_of(i) == number:
            return i
    for endport in emulated.built.hosts.endports:
        if number in endport.guids:
            return endport.node
    raise RpcError(
        INVALID_PARAMS, f"no node of fabric '{emulated.document.name}' has GUID 0x{number:016x}", guid=f"0x{number:016x}"
    )
