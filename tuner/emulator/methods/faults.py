# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`fault.add`, `fault.list`, `fault.clear` and `fault.kinds`: what devices do wrong on purpose; the kinds say what they do."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

import ccsim
from tuner.document_base.model import DocumentModel, Within
from tuner.emulator.attributes import attribute_name, class_name, find_attribute, find_class
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.methods.base import METHODS, Call, Method, Nothing
from tuner.emulator.nodes import find_node, guid_of
from tuner.rpc.protocol import INVALID_PARAMS, RpcError


class FaultAdd(DocumentModel):
    """Target of a fault; the parameters of the fault's kind are given beside it."""

    kind: str
    guid: str | int | None = None
    node: str | None = None
    mgmt_class: str | int | None = Field(default=None, alias="class")
    """SMA, PMA, CCA or a number; without it and an attribute: all."""
    attribute: str | int | None = None
    """Attribute by name, such as CongestionControlTable, or by number; without it: all."""
    method: Literal["any", "get", "set"] = "any"
    probability: Annotated[float, Within(0, 1, above=True)] = 1.0
    count: Annotated[int, Within(1)] | None = None
    """Strikes after which it is over."""
    parameters: dict[str, int | str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _gather_parameters(cls, values: object) -> object:
        """Whatever is no key of all faults is a parameter of the kind, which knows what it takes."""
        if not isinstance(values, dict) or "parameters" in values:
            return values
        own = {field.alias or name for name, field in cls.model_fields.items()}
        return {k: v for k, v in values.items() if k in own} | {"parameters": {k: v for k, v in values.items() if k not in own}}


class FaultId(DocumentModel):
    id: int | None = None
    """Without it: all."""


def _add(emulated: EmulatedFabric, params: FaultAdd, call: Call) -> dict[str, Any]:
    node = find_node(emulated, params.guid, params.node)
    mgmt_class = None if params.mgmt_class is None else find_class(params.mgmt_class)
    attribute = None
    if params.attribute is not None:
        mgmt_class, attribute = find_attribute(params.attribute, mgmt_class)
    try:
        number = emulated.emulator.add_fault(
            params.kind,
            node=node,
            mgmt_class=mgmt_class,
            attribute=attribute,
            method=params.method,
            probability=params.probability,
            count=params.count,
            parameters=params.parameters,
        )
    except ValueError as error:
        raise RpcError(
            INVALID_PARAMS,
            str(error),
            guid=None if node is None else guid_of(emulated, node),
            attribute=None if attribute is None or mgmt_class is None else attribute_name(mgmt_class, attribute),
        ) from error
    return {"id": number}


def _list(emulated: EmulatedFabric, params: Nothing, call: Call) -> dict[str, Any]:
    return {"faults": [_shown(emulated, fault) for fault in emulated.emulator.faults()]}


def _shown(emulated: EmulatedFabric, fault: dict[str, Any]) -> dict[str, Any]:
    """In the words in which faults are added, with None for what is not limited."""
    node, mgmt_class, attribute = fault["node"], fault["mgmt_class"], fault["attribute"]
    return {
        "id": fault["id"],
        "kind": fault["kind"],
        "node": None if node is None else emulated.document.nodes[node].name,
        "guid": None if node is None else guid_of(emulated, node),
        "class": None if mgmt_class is None else class_name(mgmt_class),
        "attribute": None if attribute is None else attribute_name(mgmt_class, attribute),
        "method": fault["method"],
        "probability": fault["probability"],
        "count": fault["count"],
        **fault["parameters"],
        "matched": fault["matched"],
        "struck": fault["struck"],
    }


def _clear(emulated: EmulatedFabric, params: FaultId, call: Call) -> dict[str, Any]:
    cleared = emulated.emulator.clear_faults(params.id)
    if params.id is not None and cleared == 0:
        raise RpcError(INVALID_PARAMS, f"there is no fault {params.id}; `fault.list` lists them")
    return {"cleared": cleared}


def _kinds(emulated: EmulatedFabric, params: Nothing, call: Call) -> dict[str, Any]:
    return {"kinds": ccsim.fault_kinds()}


METHODS.add("fault.add", Method(FaultAdd, _add))
METHODS.add("fault.list", Method(Nothing, _list))
METHODS.add("fault.clear", Method(FaultId, _clear))
METHODS.add("fault.kinds", Method(Nothing, _kinds))
