# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The widths and speeds that a port has enabled, as bits of the PortInfo attribute, and what two ports make of theirs.

Bits are those of IBA's LinkWidthEnabled, LinkSpeedEnabled and LinkSpeedExtEnabled (PortInfo, 14.2.5.6); FDR10 is a vendor's
attribute of one bit.
"""

import re
from dataclasses import dataclass

from tuner.fabric.importers.c_integer import C_INTEGER, c_integer

# From the best to the least.
_WIDTHS = {8: "12x", 4: "8x", 2: "4x", 16: "2x", 1: "1x"}
_SPEEDS = {4: "QDR", 2: "DDR", 1: "SDR"}
_EXTENDED_SPEEDS = {8: "NDR", 4: "HDR", 2: "EDR", 1: "FDR"}

# Widths and speeds that ibsim enables for a rate as ibnetdiscover prints it.
_WIDTHS_UP_TO = {"12": 1 | 2 | 8, "8": 4, "4": 1 | 2, "2": 16, "1": 1}
_SPEEDS_UP_TO = {"SDR": 1, "DDR": 3}
_EXTENDED_UP_TO = {"FDR": 1, "EDR": 3, "HDR": 7, "NDR": 15}

_OPTION = re.compile(rf"(?P<key>[A-Za-z])[^A-Za-z=]{{0,8}}=[ \t]*(?P<value>{C_INTEGER})")
_RATE = re.compile(r'lid [0-9]+ (?P<width>[0-9]+)x(?P<speed>[A-Z0-9]{1,9})[^"]*$')


@dataclass(frozen=True)
class LinkMasks:
    """A port's. By default ibsim's: 4x SDR."""

    width: int = 2
    speed: int = 1
    extspeed: int = 0
    fdr10: bool = False

    def with_default(self, key: str, value: int) -> "LinkMasks":
        """`width=`, `speed=` and `extspeed=` of a net file. Raises ValueError with a sentence."""
        most = {"width": 31, "speed": 7, "extspeed": 15}[key]
        least = 0 if key == "extspeed" else 1
        if not least <= value <= most:
            raise ValueError(f"{key} {value} is no set of bits of that kind; it must be from {least} to {most}")
        masks = {"width": self.width, "speed": self.speed, "extspeed": self.extspeed, key: value}
        return LinkMasks(**masks, fdr10=self.fdr10)

    def with_options(self, text: str) -> "LinkMasks":
        """The options `w=`, `s=` and `e=` at the end of a port's line; others mean nothing to ibsim. Raises ValueError."""
        masks = self
        for option in _OPTION.finditer(text):
            value = c_integer(option["value"])
            match option["key"]:
                case "w":
                    masks = masks.with_default("width", value)
                case "s":
                    masks = masks.with_default("speed", value or 4)
                case "e":
                    masks = masks.with_default("extspeed", value)
        return masks

    def with_rate_of(self, comment: str) -> "LinkMasks":
        """With what a comment as ibnetdiscover writes it says about the rate: `"peer" lid 3 4xQDR`. Raises ValueError."""
        rate = _RATE.search(comment)
        if rate is None:
            return self
        width, speed = rate["width"], rate["speed"]
        if width not in _WIDTHS_UP_TO or speed not in {*_SPEEDS_UP_TO, *_EXTENDED_UP_TO, "QDR", "FDR10"}:
            raise ValueError(f"ibsim knows no rate '{width}x{speed}'; the best it has is 12xNDR")
        fdr10 = speed == "FDR10" or speed in _EXTENDED_UP_TO
        extspeed = _EXTENDED_UP_TO.get(speed, self.extspeed)
        return LinkMasks(_WIDTHS_UP_TO[width], _SPEEDS_UP_TO.get(speed, 7), extspeed, fdr10 or self.fdr10)

    def rate_with(self, other: "LinkMasks") -> str:
        """The best that both have enabled, such as 4xEDR. Raises ValueError if there is no such width or speed."""
        width = _best(_WIDTHS, self.width & other.width)
        if width is None:
            raise ValueError(
                f"the two sides of the link have no width in common: the bits {self.width} here and {other.width} there"
            )
        speed = _best(_SPEEDS, self.speed & other.speed)
        if speed is None:
            raise ValueError(
                f"the two sides of the link have no speed in common: the bits {self.speed} here and {other.speed} there"
            )
        extended = _best(_EXTENDED_SPEEDS, self.extspeed & other.extspeed)
        if extended is None and speed == "QDR" and self.fdr10 and other.fdr10:
            extended = "FDR10"
        return f"{width}{extended or speed}"


def _best(names: dict[int, str], mask: int) -> str | None:
    return next((name for bit, name in names.items() if mask & bit), None)
