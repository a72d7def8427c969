# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Texts that people take for a fabric's topology, and that hold none: by what they are known, and what to run instead."""

import re

_KNOWN = [
    (
        re.compile(r"^#.*\bPhysSta\b|\bNeighbor (Guid|GUID)\b", re.MULTILINE),
        "is ibdiagnet's net_dump; import ibdiagnet2.db_csv or ibdiagnet2.lst, which the same run of ibdiagnet wrote beside it",
    ),
    (
        re.compile(r"^(Switch|Ca|Router|Rt)\s*: 0x[0-9a-f]+ ports ", re.MULTILINE),
        "lists nodes without links, as ibswitches, ibhosts and `ibnetdiscover -l` do; run `ibnetdiscover` without -l",
    ),
    (
        re.compile(r"^[ \t]*(SwitchName|BlockName|BlockSizes)=|^-[ \t]+topology[ \t]*:", re.MULTILINE | re.IGNORECASE),
        "is Slurm's topology.conf or topology.yaml, which has neither ports nor rates; run `ibnetdiscover`",
    ),
    (
        re.compile(r"^Unicast lids \[", re.MULTILINE),
        "holds forwarding tables, which need a topology beside them: `ibcc fabric import TOPOLOGY --routes` takes it",
    ),
    (
        re.compile(r"^(routing_engine|subnet_prefix|sm_priority|max_op_vls|cc_key|cc_sw_cong_setting_\w+)\s", re.MULTILINE),
        "is OpenSM's configuration, which has no topology; run `ibnetdiscover`",
    ),
    (
        re.compile(r"^CA '[^'\n]+'[ \t\r]*$", re.MULTILINE),
        "is what ibstat prints of one host; run `ibnetdiscover`",
    ),
    (
        re.compile(r"^[ \t]*(?:0x[0-9a-fA-F]{8,16}|[0-9a-fA-F]{16})[ \t]+\"?\S", re.MULTILINE),
        "is a node name map, or a list of GUIDs, which needs a topology beside it: `ibcc fabric import TOPOLOGY --names` takes "
        "a map",
    ),
    (
        re.compile(r"^ibcc_\w+[ \t]*:", re.MULTILINE),
        "is another document of ibcc; a fabric document begins with ibcc_fabric: 1",
    ),
]
_BEGINS = 2**20
"""Characters in which a text must show what it is."""


def neighbor(text: str) -> str | None:
    """Returns what a text is and what to run instead, as a sentence without its subject; None if it is not known."""
    if not text.strip("\ufeff\0 \t\r\n"):
        return "is empty; run `ibnetdiscover` as root and save what it prints"
    begin = text[:_BEGINS]
    if begin.count("\0") > len(begin) // 100:
        return "is no text; ibnetdiscover's cache is none either: `ibnetdiscover --load-cache FILE` prints it as text"
    return next((sentence for pattern, sentence in _KNOWN if pattern.search(begin)), None)
