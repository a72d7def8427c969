# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Libraries that make a program take an emulated fabric for its InfiniBand: Debian's libumad2sim.so, loaded before libibumad, and
before that a small library of ours."""

import importlib.util
import os
from pathlib import Path

from tuner.errors import BadInputError


def find_umad2sim() -> Path:
    """The library. Raises BadInputError where it is not installed."""
    found = [path for folder in ("/usr/lib", "/usr/lib64", "/usr/local/lib") for path in _candidates(Path(folder))]
    if not found:
        raise BadInputError("libumad2sim.so is not installed; Debian's package libumad2sim0 has it")
    return found[0]


def find_umad_classes() -> Path:
    """Our own library, which makes good for a fault of the other that ends ibdiagnet; simulator/client/umad_classes.c tells."""
    found = importlib.util.find_spec("ccsim._umad_classes")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin)


def client_environment(socket: str, node: str | None = None) -> dict[str, str]:
    """The environment of a program on the fabric of that socket name, attached to a node or to the first one that there is."""
    environment = {key: value for key, value in os.environ.items() if key not in ("SIM_HOST", "SIM_SET_ISSM")}
    preloads = [str(find_umad_classes()), str(find_umad2sim()), *environment.get("LD_PRELOAD", "").split()]
    environment["PATH"] = client_path()
    environment.update(LD_PRELOAD=" ".join(dict.fromkeys(preloads)), IBSIM_SOCKNAME=socket)
    if node is not None:
        environment["SIM_HOST"] = node
    return environment


def client_path() -> str:
    """Returns the search path for programs: Debian keeps OpenSM and most tools in sbin, which is not on a plain user's path."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def _candidates(folder: Path) -> list[Path]:
    return sorted([*folder.glob("umad2sim/libumad2sim.so"), *folder.glob("*/umad2sim/libumad2sim.so")])
