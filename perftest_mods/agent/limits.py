# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""These are the limits of what all requests together may take of this host."""

import os

from ibcc_agent.configuration import DEFAULTS, set_in
from ibcc_agent.values import RefusedError


def default_limits():
    """Returns the limits that hold unless the configuration sets others. A quarter of the memory leaves a node's jobs the rest;
    128 programs are the servers and the clients of one run of ibcc's; queue pairs cost memory of the adapter, and adapters of
    larger hosts have more of it."""
    cores = os.cpu_count() or 1
    return {
        "max_bytes": memory_bytes() // 4,
        "max_qps": min(65536, max(4096, 256 * cores)),
        "max_processes": min(1024, max(128, 2 * cores)),
        "max_seconds": DEFAULTS["max_seconds"],
    }


def memory_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def limits(config):
    """All of them, by name."""
    return {name: value if config[name] is None else config[name] for name, value in default_limits().items()}


CACHE_LINE_BYTES = 128  # the longest that perftest knows (get_cache_line_size)
TX_DEPTH, RX_DEPTH = 128, 512  # perftest's own (DEF_TX_BW, DEF_RX_SEND in perftest_parameters.h)
QUEUE_ENTRY_BYTES = 512  # a work request, its completion in the queue and the copy of it: providers take 64 to 256 bytes for each


def process_bytes(message_bytes, qps, tx_depth=None, page_bytes=None):
    """Bytes that one program registers or has its provider register; an upper bound.

    Buffers are as perftest allocates them (alloc_ctx in its perftest_resources.c): a half to send from and a half to receive in,
    for each queue pair, each half the message or a page, whichever is larger, up to whole cache lines; the depth of queues does
    not count there. Queues come on top, with room for the depth rounded up to a power of 2, as providers do.
    """
    half = -(-max(message_bytes, page_bytes or os.sysconf("SC_PAGE_SIZE")) // CACHE_LINE_BYTES) * CACHE_LINE_BYTES
    depth = 1 << (max(1, tx_depth or TX_DEPTH) - 1).bit_length()
    return qps * (2 * half + (depth + RX_DEPTH) * QUEUE_ENTRY_BYTES)


def taken_by(processes):
    """Returns what a request's programs take together, by the names of limits."""
    return {
        "max_bytes": sum(process_bytes(p["message_bytes"], p["qps"], p["tx_depth"]) for p in processes),
        "max_qps": sum(p["qps"] for p in processes),
        "max_processes": len(processes),
    }


UNITS = {"max_bytes": "bytes of memory", "max_qps": "queue pairs", "max_processes": "programs"}


def require_limits(processes, config):
    """Raises RefusedError for what this host never gives, whoever else is there."""
    allowed = limits(config)
    for name, value in taken_by(processes).items():
        if value > allowed[name]:
            sentence = f"run.processes would take {value} {UNITS[name]}; {allowed[name]} at most are allowed on this host"
            raise RefusedError(f"{sentence} ({set_in(config, name)})")
