# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Service levels in a fabric document: SL-to-VL tables and VL arbitration (IBA 7.6.6 and 7.6.9)."""

from typing import Annotated, Self, TypeAlias

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, ListOf, Within
from tuner.documents.flow import Name

NUM_SLS = 16
Vl: TypeAlias = Annotated[int, Within(0, 14)]
"""A data VL."""
Port: TypeAlias = Annotated[int, Within(1, 254)]
VlBySl: TypeAlias = Annotated[ListOf[Vl], Field(min_length=NUM_SLS, max_length=NUM_SLS)]
"""The VL of each SL, 16 of them."""


class SlToVlOverride(DocumentModel):
    node: Name
    """A unique description or `guid:0x…`."""
    in_port: Annotated[int, Within(0, 254)] | None = None
    """Packets that come in by this port, or in 0 that the node sends itself; without it, all."""
    out_port: Port | None = None
    """Packets that leave by this port; without it, all."""
    vls: VlBySl


class SlToVlTables(DocumentModel):
    vls: VlBySl | None = None
    """Wherever no override and no routing says something else."""
    overrides: ListOf[SlToVlOverride] = ()
    """Later ones win."""


class VlWeight(DocumentModel):
    vl: Vl
    weight: Annotated[int, Within(0, 255)]
    """In units of 64 bytes; 0: the entry is passed over."""


Weights: TypeAlias = Annotated[ListOf[VlWeight], Field(max_length=64)]


class VlTables(DocumentModel):
    high: Weights = ()
    low: Weights = ()
    high_limit: Annotated[int, Within(0, 255)] = 255
    """Amount that `high` may send before `low` has a turn, in units of 4,096 bytes; 0: one packet, 255: no limit."""

    def serves_anything(self) -> bool:
        return any(entry.weight for entry in (*self.high, *self.low))


class VlArbitrationOverride(VlTables):
    node: Name
    """A unique description or `guid:0x…`."""
    port: Port | None = None
    """Without it, all ports of the node."""

    @model_validator(mode="after")
    def _serves_something(self) -> Self:
        if not self.serves_anything():
            raise ValueError(f"has no entry of a weight above 0 for '{self.node}', so nothing would ever be sent")
        return self


class VlArbitration(VlTables):
    overrides: ListOf[VlArbitrationOverride] = ()
    """Later ones win. Ports without tables serve their VLs in turn, packet by packet."""

    @model_validator(mode="after")
    def _serves_something(self) -> Self:
        if (self.high or self.low or not self.overrides) and not self.serves_anything():
            raise ValueError("has no entry of a weight above 0, so nothing would ever be sent")
        return self
