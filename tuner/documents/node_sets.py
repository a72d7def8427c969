# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sets of nodes, given as ClusterShell writes them, and what a node may be called."""

import re
from collections.abc import Iterable

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

MAX_NODES = 65536
NODE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,252}")
"""A host's name."""


def expand(text: str) -> tuple[str, ...]:
    """The nodes of a NodeSet such as `node[01-16,20]`, in its order. Raises ValueError for one that is none, is empty or huge,
    or has names that no host can have."""
    try:
        nodes = NodeSet(text, resolver=RESOLVER_NOGROUP)
    except NodeSetException as error:
        raise ValueError(f"is '{text}', which is not a NodeSet such as node[01-16]: {error}") from error
    if not 1 <= len(nodes) <= MAX_NODES:
        raise ValueError(f"is '{text}', which is {len(nodes)} nodes; it must be 1 to {MAX_NODES}")
    for node in nodes:
        if not NODE.fullmatch(node):
            raise ValueError(
                f"is '{text}', and '{node}' cannot be a host's name: that has letters, digits, '.', '_' and '-', and begins "
                "with a letter, a digit or '_'"
            )
    return tuple(nodes)


def fold(nodes: Iterable[str]) -> str:
    """The NodeSet of some nodes, as `node[01-16,20]`."""
    return str(NodeSet.fromlist(list(nodes), resolver=RESOLVER_NOGROUP))
