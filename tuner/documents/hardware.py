# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makers and firmware of a fabric's devices (`hardware:`), as emulated devices report them."""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, WithJsonSchema

from tuner.document_base.model import Within
from tuner.documents.node_rows import NodeRow

GeneralInfo: TypeAlias = Literal["answered", "unsupported", "silent", "other-attribute", "zeros"]

_PATTERN = "^[0-9]{1,10}[.][0-9]{1,10}[.][0-9]{1,10}$"
_LARGEST = 2**32 - 1


def firmware_numbers(text: str) -> tuple[int, int, int]:
    """Returns the three numbers of a version, each of 32 bits. Raises ValueError with a sentence."""
    parts = text.split(".")
    if len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts):
        major, minor, sub_minor = (int(part) for part in parts)
        if max(major, minor, sub_minor) <= _LARGEST:
            return major, minor, sub_minor
    raise ValueError(f"is '{text:.60}'; a firmware version is three numbers of 0 to {_LARGEST}, such as 31.2012.1024")


def _checked(text: str) -> str:
    firmware_numbers(text)
    return text


Firmware: TypeAlias = Annotated[str, AfterValidator(_checked), WithJsonSchema({"type": "string", "pattern": _PATTERN})]


def _oui(number: int) -> int:
    if not 0 <= number <= 0xFFFFFF:
        raise ValueError(f"is {number:#x}; an OUI has 24 bits, 0x000000 to 0xffffff")
    return number


Oui: TypeAlias = Annotated[int, AfterValidator(_oui), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 0xFFFFFF})]


def _board(text: str) -> str:
    if not (0 < len(text) <= 16 and text.isascii() and text.isprintable()):
        raise ValueError(f"is '{text:.60}'; a board's PSID is 1 to 16 printable ASCII characters, such as MT_0000000634")
    return text


class HardwareRow(NodeRow):
    """Properties of all nodes, of those of one kind, or of the nodes that it lists. Later rows replace what earlier ones say."""

    vendor_id: Oui | None = None
    """OUI of the maker, as NodeInfo has it; 0x0002c9 is Mellanox'."""
    device_id: Annotated[int, Within(0, 0xFFFF)] | None = None
    """Number of the device among the maker's, as NodeInfo has it."""
    firmware: Firmware | None = None
    """Version of the firmware, such as 31.2012.1024."""
    psid: Annotated[str, AfterValidator(_board), WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 16})] | None = (
        None
    )
    """Name of the board's configuration, such as MT_0000000634."""
    general_info: GeneralInfo | None = None
    """Answer to GeneralInfo of the vendor class 0x0A: `answered` (the default where a firmware is given), `unsupported` (the
    default elsewhere), or none (`silent`), one of another attribute (`other-attribute`), or one without content (`zeros`)."""


@dataclass(frozen=True)
class Hardware:
    """Properties of one node."""

    vendor_id: int = 0
    device_id: int = 0
    firmware: str | None = None
    psid: str = ""
    general_info: GeneralInfo | None = None

    @property
    def answer(self) -> GeneralInfo:
        if self.general_info is not None:
            return self.general_info
        return "unsupported" if self.firmware is None else "answered"
