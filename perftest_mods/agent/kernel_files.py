# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Files in which the kernel tells of this host."""

import os
import re


def number_list(line):
    """Numbers of the kernel's `0-3,8`. Empty for what is no such list."""
    found = set()
    for part in (line or "").split(","):
        first, _dash, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit() and len(first) < 8 and len(last) < 8:
            found.update(range(int(first), min(int(last or first), int(first) + 65536) + 1))
    return found


def listening_ports():
    """TCP ports on which somebody listens here, by /proc/net."""
    ports = set()
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(name) as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
        ports.update(int(row[1].rsplit(":", 1)[1], 16) for row in rows if len(row) > 3 and row[3] == "0A")
    return ports


def listed(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def first_line(path):
    try:
        with open(path, errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return None


def word(line):
    """`ACTIVE` of `4: ACTIVE`."""
    return line.rpartition(": ")[2] if line else None


def guid(line):
    return "0x" + line.replace(":", "") if line else None


def sys_root(config):
    """Where sysfs is: the part of `sysfs` before /class/infiniband."""
    root, found, _rest = config["sysfs"].rpartition("/class/infiniband")
    return root if found else "/sys"


def whole(line):
    return int(line) if line and re.fullmatch(r"-?[0-9]{1,18}", line) else None


def read_lines(path):
    try:
        with open(path, errors="replace") as file:
            return file.read(65536).splitlines()
    except OSError:
        return []
