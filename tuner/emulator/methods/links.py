# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`link.set`: pulls a cable or plugs it in."""

from typing import Any

from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.methods.base import METHODS, Call, Method, PortParams
from tuner.emulator.nodes import guid_of, require_node
from tuner.rpc.protocol import INVALID_PARAMS, RpcError


class LinkSet(PortParams):
    up: bool


def _set(emulated: EmulatedFabric, params: LinkSet, call: Call) -> dict[str, Any]:
    node = require_node(emulated, params.guid, params.node)
    guid = guid_of(emulated, node)
    try:
        emulated.emulator.set_link(node, params.port, params.up)
    except ValueError as error:
        raise RpcError(INVALID_PARAMS, str(error), guid=guid, port=params.port) from error
    return {"guid": guid, "port": params.port, "up": params.up}


METHODS.add("link.set", Method(LinkSet, _set))
