# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion control that a fabric's devices have (`congestion_control:`), by node."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, WithJsonSchema, model_validator
from pydantic_core import CoreSchema, core_schema

from tuner.document_base.model import DocumentModel, ListOf, Within
from tuner.documents.node_rows import NodeRow

Dialect: TypeAlias = Literal["a10", "nvidia-dcqcn", "nvidia-ppcc", "both", "none", "unknown"]

VlReading: TypeAlias = Literal["mask", "modifier"]
OutOfRange: TypeAlias = Literal["refuse", "clip"]
Quirk: TypeAlias = Literal["none", "echo", "zeros", "noise", "first-port", "silent"]

MAX_ALGORITHMS = 16
MAX_PARAMETERS = 44


def _of_64_bits(number: int) -> int:
    if not 0 <= number < 2**64:
        raise ValueError(f"is {number:#x}; a capability mask has 64 bits, 0x0 to {2**64 - 1:#x}")
    return number


CapabilityMask: TypeAlias = Annotated[
    int, AfterValidator(_of_64_bits), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 2**64 - 1})
]


class Algorithm(DocumentModel):
    """An algorithm of an adapter's firmware (PPCC)."""

    algo_id: Annotated[int, Within(0, 0xFFFF)]
    major: Annotated[int, Within(0, 0xFF)] = 1
    minor: Annotated[int, Within(0, 0xFF)] = 0
    parameters: ListOf[Annotated[int, Within(0, 2**32 - 1)]] = ()
    """Power-on values, at most 44."""

    @model_validator(mode="after")
    def _has_room(self) -> "Algorithm":
        if len(self.parameters) > MAX_PARAMETERS:
            raise ValueError(f"has {len(self.parameters)} parameters; an algorithm has at most {MAX_PARAMETERS}")
        return self


class CongestionControlRow(NodeRow):
    """Congestion control of all nodes, of those of one kind, or of the nodes that it lists. Later rows replace what earlier ones
    say."""

    dialect: Dialect | None = None
    """Attributes that the devices know: `a10` (annex A10 of the specification; the default), `nvidia-dcqcn` or `nvidia-ppcc`
    (NVIDIA's, for adapters that run DCQCN, or algorithms of their firmware), `both` (all of these), `none`, or `unknown`: nobody
    has said, so nothing is set on them. Aggregation nodes have none whatever a row says."""
    vl_reading: VlReading | None = None
    """Place of the VLs in CongestionPortProfileSettings: `mask` (vl_mask names them; the default), or `modifier` (the attribute
    modifier does, above the port)."""
    out_of_range: OutOfRange | None = None
    """Answer to a Set of NVIDIA's attributes with a value out of range: `refuse` (status 0x001C; the default), or `clip` (the
    device takes the nearest value)."""
    capability_mask: CapabilityMask | None = None
    """CC_Capability_Mask of EnhancedCongestionInfo; without it, what the dialect has."""
    quirk: Quirk | None = None
    """Behavior that misleads a manager: NVIDIA's attributes are answered with the request's own content (`echo`), with `zeros`
    or with `noise`, whatever the dialect; those of ports are port 1's (`first-port`); no request of the class is answered
    (`silent`); or `none` of these, the default."""
    profile_step_kb: Annotated[int, Within(0, 0xFF)] | None = None
    """Step of thresholds that switches report, in KB; without it, 1."""
    algorithms: ListOf[Algorithm] | None = None
    """Algorithms of adapters by slot, at most 16; without it, ZTR-RTTCC in slot 0."""

    @model_validator(mode="after")
    def _has_slots(self) -> "CongestionControlRow":
        if self.algorithms is not None and len(self.algorithms) > MAX_ALGORITHMS:
            raise ValueError(f"has {len(self.algorithms)} algorithms; an adapter has at most {MAX_ALGORITHMS} slots")
        return self


@dataclass(frozen=True)
class CongestionControl:
    """Congestion control of one node."""

    dialect: Dialect = "a10"
    vl_reading: VlReading = "mask"
    out_of_range: OutOfRange = "refuse"
    capability_mask: int | None = None
    quirk: Quirk = "none"
    profile_step_kb: int = 1
    algorithms: tuple[Algorithm, ...] | None = None


class OneForAll:
    """Lets the name of a dialect stand for a list of one row, which gives it to all nodes."""

    def __get_pydantic_core_schema__(self, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            lambda value: ({"dialect": value},) if isinstance(value, str) else value, handler(source)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [{"type": "string", "enum": list(Dialect.__args__)}, handler(schema)]}  # type: ignore[attr-defined]


def in_words(dialects: Mapping[str, int]) -> str | None:
    """Returns the number of devices by dialect as people read it; None where all have annex A10's."""
    if set(dialects) <= {"a10"}:
        return None
    return "congestion control: " + ", ".join(f"{dialect} ({count} devices)" for dialect, count in dialects.items())
