# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Management classes and their attributes, by name and by number (IBA vol. 1: 14.2.5, 16.1.3, annex A10.4)."""

from tuner.document_base.model import unknown_name
from tuner.errors import BadInputError

SMA, PMA, CCA = 0x01, 0x04, 0x21
"""Each agent's class; that of the SMA stands for directed routes (0x81) too."""

CLASSES = {"SMA": SMA, "PMA": PMA, "CCA": CCA}

ATTRIBUTES: dict[int, dict[str, int]] = {
    SMA: {
        "Notice": 0x0002,
        "NodeDescription": 0x0010,
        "NodeInfo": 0x0011,
        "SwitchInfo": 0x0012,
        "GUIDInfo": 0x0014,
        "PortInfo": 0x0015,
        "P_KeyTable": 0x0016,
        "SLtoVLMappingTable": 0x0017,
        "VLArbitrationTable": 0x0018,
        "LinearForwardingTable": 0x0019,
        "RandomForwardingTable": 0x001A,
        "MulticastForwardingTable": 0x001B,
        "VendorDiag": 0x0030,
        "LedInfo": 0x0031,
        "CableInfo": 0xFF60,
        "MlnxExtPortInfo": 0xFF90,
    },
    PMA: {
        "ClassPortInfo": 0x0001,
        "PortSamplesControl": 0x0010,
        "PortSamplesResult": 0x0011,
        "PortCounters": 0x0012,
        "PortRcvErrorDetails": 0x0015,
        "PortXmitDiscardDetails": 0x0016,
        "PortOpRcvCounters": 0x0017,
        "PortFlowCtlCounters": 0x0018,
        "PortVLOpPackets": 0x0019,
        "PortVLOpData": 0x001A,
        "PortVLXmitFlowCtlUpdateErrors": 0x001B,
        "PortVLXmitWaitCounters": 0x001C,
        "PortCountersExtended": 0x001D,
        "PortSamplesResultExtended": 0x001E,
        "SwPortVLCongestion": 0x0030,
        "PortRcvConCtrl": 0x0031,
        "PortSLRcvFECN": 0x0032,
        "PortSLRcvBECN": 0x0033,
        "PortXmitConCtrl": 0x0034,
        "PortVLXmitTimeCong": 0x0035,
        "PortXmitDataSL": 0x0036,
        "PortRcvDataSL": 0x0037,
    },
    CCA: {
        "ClassPortInfo": 0x0001,
        "Notice": 0x0002,
        "CongestionInfo": 0x0011,
        "CongestionKeyInfo": 0x0012,
        "CongestionLog": 0x0013,
        "SwitchCongestionSetting": 0x0014,
        "SwitchPortCongestionSetting": 0x0015,
        "CACongestionSetting": 0x0016,
        "CongestionControlTable": 0x0017,
        "TimeStamp": 0x0018,
    },
}


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
