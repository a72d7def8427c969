# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibnetdiscover` of infiniband-diags as a child process."""

import subprocess
import tempfile
from collections.abc import Mapping

from tuner.errors import UnreachableError
from tuner.opensm.preload import client_path

_DISCOVER_S = 600.0


def discovered_text(device: str | None, port: int, environment: Mapping[str, str]) -> str:
    """Returns what it prints. `device`, `port`: of this machine, as UmadPort takes them. Raises UnreachableError."""
    chosen = ["-C", device] if device else []
    chosen += ["-P", str(port)] if port else []
    # An emulated fabric's client makes a folder in the current one.
    with tempfile.TemporaryDirectory(prefix="ibcc-discover-", ignore_cleanup_errors=True) as folder:
        try:
            done = subprocess.run(
                ["ibnetdiscover", *chosen],
                cwd=folder,
                env={**environment, "PATH": client_path()},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_DISCOVER_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise UnreachableError("ibnetdiscover is not installed; Debian's package infiniband-diags has it") from error
        except subprocess.TimeoutExpired as error:
            raise UnreachableError(f"ibnetdiscover has not ended within {_DISCOVER_S:g} s") from error
    if done.returncode != 0:
        last = "".join(done.stderr.strip().splitlines()[-1:])
        raise UnreachableError(f"ibnetdiscover ended with exit code {done.returncode}{': ' if last else ''}{last}")
    return done.stdout
