# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Real programs on an emulated fabric, attached by Debian's libumad2sim.so, each in a folder of its own; all end here."""

import itertools
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue

TOOL_S = 60.0
"""Longest time, in seconds, that a diagnostic tool may take on the fabrics of these tests; one that takes longer hangs."""


@dataclass(frozen=True)
class Clients:
    """What attaches programs to the fabric of one socket name."""

    socket: str
    folder: Path
    """Where each program gets a folder of its own: libumad2sim.so makes one there, as does OpenSM."""
    _number: Iterator[int] = field(default_factory=itertools.count)

    def run(self, *words: object, node: str | None = None, timeout_s: float = TOOL_S) -> "subprocess.CompletedProcess[str]":
        """A program from its start to its end, attached to a node or to the first; whatever it returns."""
        folder = self.folder / f"{next(self._number)}-{words[0]}"
        folder.mkdir(parents=True)
        return subprocess.run(
            [str(word) for word in words],
            cwd=folder,
            env=client_environment(self.socket, node),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )

    def output(self, *words: object, node: str | None = None, timeout_s: float = TOOL_S) -> str:
        """What a program prints; fails with all of that unless it exits with 0."""
        done = self.run(*words, node=node, timeout_s=timeout_s)
        said = f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        assert done.returncode == 0, f"{' '.join(map(str, words))}: exit {done.returncode}\n{said}"
        return done.stdout

    @contextmanager
    def opensm(
        self,
        options: Mapping[str, OptionValue | Path] | None = None,
        *,
        more_options: str = "",
        node: str | None = None,
        up: bool = True,
    ) -> Iterator[OpenSm]:
        """OpenSM, with SUBNET UP unless that is not to be waited for."""
        folder = self.folder / f"{next(self._number)}-opensm"
        settings = {key: str(value) if isinstance(value, Path) else value for key, value in (options or {}).items()}
        with OpenSm(folder, client_environment(self.socket, node), options=settings, more_options=more_options) as opensm:
            if up:
                opensm.await_subnet_up()
            yield opensm
