# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`node.remove`, `node.add` and `node.reboot`: nodes that are switched off, and on again.

A node that the fabric document does not have cannot be added: its cables would end at ports that nobody has described. Have it in
the document, remove it at the start, and add it when its time has come.
"""

from typing import Any

from tuner.documents.hardware import Firmware
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.methods.base import METHODS, Call, Method, NodeParams
from tuner.emulator.nodes import guid_of, require_node
from tuner.rpc.protocol import RpcError


def _remove(emulated: EmulatedFabric, params: NodeParams, call: Call) -> dict[str, Any]:
    node = require_node(emulated, params.guid, params.node)
    emulated.emulator.set_present(node, False)
    return {"guid": guid_of(emulated, node), "present": False}


def _add(emulated: EmulatedFabric, params: NodeParams, call: Call) -> dict[str, Any]:
    try:
        node = require_node(emulated, params.guid, params.node)
    except RpcError as error:
        sentence = "a new node must be in the fabric document that the emulator starts with; remove it until it is needed"
        raise RpcError(error.code, f"{error.message}; {sentence}") from error
    emulated.emulator.set_present(node, True)
    return {"guid": guid_of(emulated, node), "present": True}


class RebootParams(NodeParams):
    firmware: Firmware | None = None
    """Version that the node reports afterwards; without it, the former one."""


def _reboot(emulated: EmulatedFabric, params: RebootParams, call: Call) -> dict[str, Any]:
    node = require_node(emulated, params.guid, params.node)
    if params.firmware is None:
        emulated.emulator.reboot(node)
    else:
        emulated.update_firmware(node, params.firmware)
    return {"guid": guid_of(emulated, node)}


METHODS.add("node.remove", Method(NodeParams, _remove))
METHODS.add("node.add", Method(NodeParams, _add))
METHODS.add("node.reboot", Method(RebootParams, _reboot))
