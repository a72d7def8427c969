# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names of nodes by which people and alarms find them again."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any


def node_names(rows: Iterable[Mapping[str, Any]], known: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """Returns the name of each node by its GUID, of rows with `guid` and `description`: its description, behind that its GUID
    where others have the same one, as nobody gave them another, and the GUID alone where it is empty. `known`: earlier names; a
    node that had its GUID in it keeps it while the others are off."""
    descriptions = {row["guid"]: row["description"].strip() for row in rows}
    guids_of: dict[str, list[str]] = {}
    for guid, description in descriptions.items():
        guids_of.setdefault(description, []).append(guid)
    told_apart = {guid: f"{description} {guid}".strip() for guid, description in descriptions.items()}
    return {
        guid: description
        if description and len(guids_of[description]) == 1 and known.get(guid) != told_apart[guid]
        else told_apart[guid]
        for guid, description in descriptions.items()
    }
