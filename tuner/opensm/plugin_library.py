# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibcc's plugin in an OpenSM of ours: where libibcc.so is, and what loads it with a profile, a socket and a state of its own."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tuner.errors import BadInputError

_BUILT = Path(__file__).resolve().parents[2] / "build/plugin/libibcc.so"
"""What `make plugin` builds, for people who run ibcc from its source."""
_SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/local/lib")
MAX_SOCKET_PATH = 107
"""Bytes of a Unix socket's path."""


def find_plugin() -> Path:
    """libibcc.so: $IBCC_PLUGIN, that of `make plugin`, or the installed one. Raises BadInputError where there is none."""
    given = os.environ.get("IBCC_PLUGIN")
    if given is not None:
        if not Path(given).is_file():
            raise BadInputError(f"IBCC_PLUGIN is '{given}', and there is no such file")
        return Path(given).absolute()
    installed = [
        path
        for folder in map(Path, _SYSTEM)
        for path in sorted([*folder.glob("libibcc.so"), *folder.glob("*-linux-*/libibcc.so")])
    ]
    for path in (_BUILT, *installed):
        if path.is_file():
            return path
    raise BadInputError("libibcc.so is not found: `make plugin` builds it, and Debian's package ibcc-opensm-plugin has it")


@dataclass(frozen=True)
class PluginSetup:
    """Library, folder and options with which an OpenSM loads the plugin."""

    library: Path
    folder: Path
    """Holds the control socket and the state; of one OpenSM at a time. Its path is short: see `MAX_SOCKET_PATH`."""
    profile: Path | None = None
    """File of the base profile."""
    options: str = ""
    """Further options of the plugin, as `--audit-interval-s 60`."""

    @property
    def socket(self) -> Path:
        return self.folder / "opensm.sock"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def opensm_options(self) -> dict[str, str]:
        """The options of opensm.conf. Raises BadInputError."""
        if len(os.fsencode(self.socket)) > MAX_SOCKET_PATH:
            raise BadInputError(f"'{self.socket}' is too long for a socket: at most {MAX_SOCKET_PATH} bytes would be right")
        words = ["ibcc", "--socket", _quoted(self.socket), "--state-dir", _quoted(self.state)]
        if self.profile is not None:
            words += ["--profile", _quoted(self.profile)]
        return {"event_plugin_name": "ibcc", "event_plugin_options": " ".join([*words, *self.options.split()])}

    def environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """With the plugin's folder in front of what is searched for libraries."""
        folders = [str(self.library.parent), *filter(None, [environment.get("LD_LIBRARY_PATH")])]
        return {**environment, "LD_LIBRARY_PATH": os.pathsep.join(folders)}


def _quoted(path: Path) -> str:
    """As the plugin reads a word: between quotation marks if there are blanks in it."""
    text = str(path)
    if not any(character in text for character in ' \t"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
