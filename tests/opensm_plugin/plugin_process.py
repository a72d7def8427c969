# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""OpenSM with the plugin on an emulated fabric, and what the fabric's devices hold by now."""

import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ccsim.policy import Profile, Tables
from tests.emulator.conftest import Bed
from tests.opensm_plugin.devices import Device, held
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.opensm.plugin_library import PluginSetup
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue

CONGESTION_CONTROL = 0x21
"""The management class."""

NO_RETRIES = "--timeout-ms 20000 --max-timeout-ms 20000"
SOON_TAKEN_OVER = "sminfo_polling_timeout 500\npolling_retry_number 2\n"
"""Options of OpenSM: a standby asks its master twice a second, and takes over after two of its answers have not come. On a busy
machine, answers take a good part of that."""
"""For tests that count MADs: on a loaded machine a reply may be late, and a retry would be counted after all is done."""

_METHODS = {"get": 1, "set": 2}

KEEP_VARIABLE = "IBCC_KEEP_FOLDERS"
"""Environment variable: folders with logs, state and profiles stay after the test, for who looks for a fault."""

_ID = re.compile(r"^(ERR: |)IBCC\d{4}: ")
_number = itertools.count()


@dataclass(frozen=True)
class PluginProcess:
    """An OpenSM that was told to load the plugin, whether or not the plugin went along."""

    opensm: OpenSm
    setup: PluginSetup

    @property
    def lines(self) -> list[str]:
        """What the plugin has logged up to now, without the ids of messages."""
        texts = [line.text for line in self.opensm.lines]
        return [_ID.sub(r"\1", text.removeprefix("ibcc: ")) for text in texts if text.startswith("ibcc: ")]

    @property
    def errors(self) -> list[str]:
        return [line.removeprefix("ERR: ") for line in self.lines if line.startswith("ERR: ")]

    def await_line(self, pattern: str, *, after: int = 0, timeout_s: float = 300.0) -> int:
        """Waits for a line of the plugin's that matches from its start on; returns its index in `opensm.lines`."""
        return self.opensm.await_line(rf"^ibcc: (?:ERR: )?(?:IBCC\d{{4}}: )?{pattern}", after=after, timeout_s=timeout_s)

    def await_done(self, kind: str = "apply", *, after: int = 0, timeout_s: float = 300.0) -> int:
        """Waits until a job of that kind has done what it can."""
        return self.await_line(rf"{kind} of revision \d+ done: ", after=after, timeout_s=timeout_s)


class PluginBed:
    """An emulated fabric on which OpenSM is started with the plugin, several times if need be, with one state."""

    def __init__(self, bed: Bed, library: Path, folder: Path) -> None:
        self.bed = bed
        self.folder = folder
        self.profile = folder / "profile.yaml"
        """The base profile's file, if one was asked for."""
        self._library = library

    @property
    def fabric(self) -> Any:
        return self.bed.emulated.built.fabric

    def write_profile(self, profile: "Profile | str") -> None:
        """The base profile is another from now on: a profile, or the name of a packaged one. At once, as an editor does it."""
        text = profile.to_yaml() if isinstance(profile, Profile) else catalogue.find("profile", profile).read_text()
        fresh = self.profile.with_suffix(".new")
        fresh.write_text(text)
        fresh.rename(self.profile)

    @contextmanager
    def opensm(
        self,
        profile: "Profile | str | None" = None,
        *,
        options: str = "",
        opensm_options: Mapping[str, OptionValue] | None = None,
        more_options: str = "",
        node: str | None = None,
        state: str = "plugin",
        environment: Mapping[str, str] | None = None,
        up: bool = True,
        executable: str = "opensm",
        library: Path | None = None,
    ) -> Iterator[PluginProcess]:
        """`options`: of the plugin. `state`: the name of its folder, which two that run at once do not share. `up`: wait for
        SUBNET UP. `library`: another plugin than that of this tree."""
        if profile is not None:
            self.write_profile(profile)
        folder = self.folder / state
        folder.mkdir(exist_ok=True)
        setup = PluginSetup(library or self._library, folder, self.profile if self.profile.exists() else None, options)
        variables = setup.environment(client_environment(self.bed.emulated.name, node)) | dict(environment or {})
        with OpenSm(
            self.folder / f"opensm-{next(_number)}",
            variables,
            options={**setup.opensm_options(), **(opensm_options or {})},
            more_options=more_options,
            executable=executable,
        ) as opensm:
            if up:
                opensm.await_subnet_up()
            yield PluginProcess(opensm, setup)

    def wanted(self, profile: "Profile | str") -> Tables:
        """What each device is to hold under a profile."""
        return (profile if isinstance(profile, Profile) else load_profile(profile)).resolve(self.fabric)

    def held(self) -> dict[Device, Any]:
        """What each device holds, as the emulator itself sees it."""
        return held(self.bed.emulated.emulator.tables())

    def count_mads(self, method: Literal["any", "get", "set"] = "any") -> Callable[[], int]:
        """Counts requests of congestion control from now on."""
        methods = {_METHODS[method]} if method in _METHODS else set(_METHODS.values())

        def total() -> int:
            _, rows = self.bed.emulated.emulator.mads()
            return sum(row["count"] for row in rows if row["mgmt_class"] == CONGESTION_CONTROL and row["method"] in methods)

        before = total()
        return lambda: total() - before


Load = Callable[[Bed], PluginBed]


@contextmanager
def plugin_beds(library: Path) -> Iterator[Load]:
    """Makes beds, in folders whose paths are short enough for sockets, which go at the end (but see `KEEP_VARIABLE`)."""
    with ExitStack() as ends:

        def load(bed: Bed) -> PluginBed:
            folder = Path(tempfile.mkdtemp(prefix="ibcc-plugin-"))
            if not os.environ.get(KEEP_VARIABLE):
                ends.callback(shutil.rmtree, folder, ignore_errors=True)
            return PluginBed(bed, library, folder)

        yield load
