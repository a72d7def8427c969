# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sections of ibdiagnet's file that say what congestion control devices hold, and the attributes whose fields their columns are.

Columns have the names of the attributes' fields where public texts show them (docs.nvidia.com, ibdiagnet user manual,
Congestion Control). Those of CC_SL_MAPPING_SETTINGS are not public; spellings that have the SL's number are read. The columns of
the sections about algorithms of the firmware are not public either: their cells are shown as they stand.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ccsim import wire

GUID = "nodeguid"
PORTS = ("portnum", "port_num", "port", "portnumber", "localportnum")
"""Names of the column with the port's number; that of ibdiagnet first."""
VL = "vl"
_KEYS = frozenset((GUID, *PORTS, VL, "lid", "portguid", "port_guid"))
"""Columns that say what a row is about."""
_SL_PROFILE = re.compile(r"(?:sl|sl_profile|profile_sl|sl_mapping)_?([0-9]{1,2})(?:_?profile)?")


@dataclass(frozen=True)
class HeldSection:
    """`attribute`: whose fields the columns are; None: not public. `by_port`, `by_vl`: a row is of one."""

    attribute: str | None
    device: str
    """`switch`, `adapter`, or empty for both."""
    by_port: bool = True
    by_vl: bool = False


SECTIONS: Mapping[str, HeldSection] = {
    "CC_ENHANCED_INFO": HeldSection("EnhancedCongestionInfo", "", by_port=False),
    "CC_SWITCH_GENERAL_SETTINGS": HeldSection("CongestionSwitchGeneralSettings", "switch", by_port=False),
    "CC_PORT_PROFILE_SETTINGS": HeldSection("CongestionPortProfileSettings", "switch", by_vl=True),
    "CC_SL_MAPPING_SETTINGS": HeldSection("CongestionSLMappingSettings", "switch"),
    "CC_HCA_GENERAL_SETTINGS": HeldSection("CongestionHCAGeneralSettings", "adapter"),
    "CC_HCA_RP_PARAMETERS": HeldSection("CongestionHCARPParameters", "adapter"),
    "CC_HCA_NP_PARAMETERS": HeldSection("CongestionHCANPParameters", "adapter"),
    "CC_HCA_ALGO_CONFIG_SUPPORT": HeldSection(None, "adapter"),
    "CC_HCA_ALGO_CONFIG": HeldSection(None, "adapter"),
    "CC_HCA_ALGO_CONFIG_PARAMS": HeldSection(None, "adapter"),
}
"""The sections CC_HCA_STATISTICS_QUERY and CC_HCA_ALGO_COUNTERS have counters, which are no settings, and are not read."""

NODES = "NODES"
"""Section with the descriptions and kinds of nodes."""


@lru_cache(maxsize=1024)
def fields(section: str, columns: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The columns of a section that are values, each with the name of its field."""
    attribute = SECTIONS[section].attribute
    if attribute is None:
        return tuple((column, column) for column in columns if column not in _KEYS)
    known = {field.name.lower(): field.name for field in wire.attributes()[attribute].fields if field.count == 1}
    if attribute == "CongestionSLMappingSettings":
        known |= {column: f"SL {sl}" for column in columns if (sl := _sl_of(column)) is not None}
    return tuple((column, known[column]) for column in columns if column in known)


@lru_cache(maxsize=1024)
def unknown_columns(section: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of a section that are neither values nor say what the row is about."""
    known = {column for column, _ in fields(section, columns)}
    return tuple(column for column in columns if column not in known and column not in _KEYS)


def _sl_of(column: str) -> int | None:
    """The SL whose profile a column of CC_SL_MAPPING_SETTINGS has; None if it is no such column."""
    match = _SL_PROFILE.fullmatch(column)
    return int(match[1]) if match and int(match[1]) < 16 else None
