# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Management classes and their attributes, by name and by number (IBA vol. 1: 14.2.5, 16.1.3, annex A10.4)."""

import ccsim
from tuner.document_base.model import unknown_name
from tuner.errors import BadInputError

SMA, PMA, VENDOR, CCA = 0x01, 0x04, 0x0A, 0x21
"""Each agent's class; that of the SMA stands for directed routes (0x81) too, and VENDOR is Mellanox'."""

CLASSES = {"SMA": SMA, "PMA": PMA, "VENDOR": VENDOR, "CCA": CCA}

_NOT_ANSWERED: dict[int, dict[str, int]] = {
    SMA: {"Notice": 0x0002, "RandomForwardingTable": 0x001A, "VendorDiag": 0x0030, "LedInfo": 0x0031, "CableInfo": 0xFF60},
    PMA: {"PortSamplesControl": 0x0010, "PortSamplesResult": 0x0011, "PortSamplesResultExtended": 0x001E},
    VENDOR: {},
    CCA: {"Notice": 0x0002},
}
"""Those that devices send, or that programs ask for although no emulated device has them."""

ATTRIBUTES: dict[int, dict[str, int]] = {
    of_class: {name: number for c, number, name in ccsim.agent_attributes() if c == of_class} | others
    for of_class, others in _NOT_ANSWERED.items()
}
"""Number of each attribute, by class and name. Those that emulated devices answer come from where their agents register them."""


def find_class(given: str | int) -> int:
    """A class by its agent's name or its number. Raises BadInputError."""
    if isinstance(given, str) and given.upper() in CLASSES:
        return CLASSES[given.upper()]
    number = _number(given, 0xFF)
    if number is None:
        raise BadInputError(f"class '{given}' is neither one of {', '.join(CLASSES)} nor a number of 0 to 255")
    return SMA if number == 0x81 else number


def find_attribute(given: str | int, of_class: int | None) -> tuple[int, int]:
    """The class and the number of an attribute by its name or number; a name that one class alone has needs no class.

    Raises BadInputError.
    """
    number = _number(given, 0xFFFF)
    if number is not None:
        if of_class is None:
            raise BadInputError(f"attribute {given} is given by its number, which means nothing without the class")
        return of_class, number
    wanted = str(given).lower()
    classes = [of_class] if of_class is not None else list(ATTRIBUTES)
    found = [(c, n) for c in classes for name, n in ATTRIBUTES.get(c, {}).items() if name.lower() == wanted]
    if not found:
        known = sorted({name for c in classes for name in ATTRIBUTES.get(c, {})})
        raise BadInputError(unknown_name("attribute", str(given), known))
    if len(found) > 1:
        names = " and ".join(class_name(c) for c, _ in found)
        raise BadInputError(f"attribute '{given}' is one of {names}; give the class too")
    return found[0]


def class_name(number: int) -> str:
    """The agent's name, or the number as text."""
    return next((name for name, n in CLASSES.items() if n == number), f"0x{number:02x}")


def attribute_name(of_class: int, number: int) -> str:
    """The attribute's name, or its number as text."""
    return next((name for name, n in ATTRIBUTES.get(of_class, {}).items() if n == number), f"0x{number:04x}")


def _number(given: str | int, largest: int) -> int | None:
    if isinstance(given, int):
        number = given
    else:
        try:
            number = int(given, 0)
        except ValueError:
            return None
    if not 0 <= number <= largest:
        raise BadInputError(f"{given} is not a number of 0 to {largest:#x}")
    return number
