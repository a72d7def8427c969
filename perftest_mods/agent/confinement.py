# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The process of a program gets its limits here before it becomes the program: memory, threads, a NUMA node."""

import contextlib
import ctypes
import os
import platform
import resource
import signal

from ibcc_agent.devices import pci_chain, pci_place
from ibcc_agent.kernel_files import first_line, number_list, read_lines, sys_root
from ibcc_agent.processes import die_with, libc
from ibcc_agent.requests import MAX_NUMA_NODES
from ibcc_agent.values import NOT_THERE, RefusedError

ADDRESS_SPACE_BYTES = 2 << 30  # code, libraries, stacks, and what the allocator reserves for each thread, without using it
LOCKED_BYTES = 64 << 20  # what providers lock besides queues and buffers
TASKS_EACH = 16  # threads of a program under the meter: 2 to 4
OPEN_FILES = 1024


def bounds(bytes_, tasks):
    """(resource, soft and hard limit) for a program that may register `bytes_` bytes. `tasks`: maximum number of this user's.

    Address space is more than memory, and RDMA maps the adapter's registers too, so RLIMIT_AS stops who allocates without end,
    not who is a little over. No nice: a sender that others hold up measures the scheduler and not the fabric. What goes first
    when memory is short is said by oom_score_adj, which costs nothing before.
    """
    yield resource.RLIMIT_AS, bytes_ + ADDRESS_SPACE_BYTES
    yield resource.RLIMIT_MEMLOCK, bytes_ + LOCKED_BYTES
    yield resource.RLIMIT_NPROC, tasks
    yield resource.RLIMIT_NOFILE, OPEN_FILES
    yield resource.RLIMIT_CORE, 0
    yield resource.RLIMIT_FSIZE, 0  # it writes to pipes alone, for which this does not hold


def tasks_of_user():
    """Returns the number of threads of this user: RLIMIT_NPROC counts all of them, and not those of one process."""
    count, uid = 0, os.geteuid()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                if os.stat("/proc/" + name).st_uid == uid:
                    with open(f"/proc/{name}/stat", "rb") as file:
                        count += int(file.read().rpartition(b")")[2].split()[17])
    return count


# set_mempolicy's number, which the C library has no function for.
SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237, "riscv64": 237, "ppc64le": 261, "ppc64": 261, "s390x": 270}
MPOL_BIND = 2


def memory_nodes(config):
    """NUMA nodes with memory that this process may use; {0} on hosts whose kernel knows none."""
    nodes = os.path.join(sys_root(config), "devices/system/node")
    found = number_list(first_line(os.path.join(nodes, "has_memory"))) or {0}
    allowed = next((line for line in read_lines("/proc/self/status") if line.startswith("Mems_allowed_list:")), "")
    return found & (number_list(allowed.partition(":")[2].strip()) or found)


def near_cpus(device, config):
    """Processors beside a channel adapter that this process may use; all that it may use where the kernel does not say."""
    allowed = os.sched_getaffinity(0)
    bridges = pci_chain(device, config)
    near = number_list(first_line(os.path.join(pci_place(bridges[-1], config), "local_cpulist"))) if bridges else set()
    return near & allowed or allowed


def require_placeable(processes, config):
    """Raises RefusedError unless memory of each wanted NUMA node can be had."""
    for wanted in processes:
        node = wanted["numa_node"]
        if node is not None and node not in memory_nodes(config):
            there = ", ".join(str(one) for one in sorted(memory_nodes(config)))
            raise RefusedError(f"numa_node is {node}; nodes whose memory the agent may use are {there}", NOT_THERE)
        if node is not None and platform.machine() not in SET_MEMPOLICY:
            raise RefusedError(f"numa_node cannot be set on {platform.machine()}; known are " + ", ".join(SET_MEMPOLICY))


def place_on(node, cpus):
    """Memory of the calling process, and of the program that it becomes, comes from one NUMA node, and it runs on `cpus`."""
    os.sched_setaffinity(0, cpus)
    bits = ctypes.sizeof(ctypes.c_ulong) * 8
    mask = (ctypes.c_ulong * (MAX_NUMA_NODES // bits))()
    mask[node // bits] = 1 << (node % bits)
    # The kernel takes one bit less than it is told.
    if libc.syscall(SET_MEMPOLICY[platform.machine()], MPOL_BIND, mask, ctypes.c_ulong(MAX_NUMA_NODES + 1)):
        raise OSError(ctypes.get_errno(), "memory cannot be bound to a NUMA node")


def confine(worker, wanted, node=None, cpus=()):
    """Confines a program's process before it becomes the program. Limits can only be lowered. `node`: the NUMA node of its
    memory, None for any."""
    die_with(worker, signal.SIGKILL)
    if node is not None:
        place_on(node, cpus)
    for number, value in wanted:
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
