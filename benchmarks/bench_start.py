# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""CPU time that `ibcc` takes to say what it can do, and to ask a service something. `make bench-start`.

The commands take turns with a Python that does nothing and one that imports typer, each in a process of its own; the service runs
in this one. CPU time, user and system, is the process's; the median of the rounds counts, after one that does not.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from api.base import logs
from api.configuration.settings import Settings
from tests.api.service import Service

LOCAL = (
    "--version",
    "--help",
    "profile show gran-2010",
    "fabric show two-switch",
    "fabric --help",
    "simulate --help",
    "tune --help",
    "serve --help",
)
SERVER = (
    "--help",
    "campaign --help",
    "profile --help",
    "tune --help",
    "campaign list",
    "fabric list",
    "fabric state two-switch",
    "hosts list",
    "job list",
    "profile list",
    "profile show gran-2010",
    "profile diff gran-2010 gran-2012",
    "workload list",
)


def cpu_ms(command: list[str], environment: Mapping[str, str]) -> float:
    """Milliseconds of CPU that one run of the command takes; the benchmark exits if the command fails."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} exited with {process.returncode}")
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def measure(commands: Mapping[str, list[str]], environment: Mapping[str, str], repeat: int) -> None:
    """Prints a line for each; the first one is what the others are multiples of."""
    rounds = [{name: cpu_ms(command, environment) for name, command in commands.items()} for _ in range(repeat + 1)][1:]
    medians = {name: statistics.median(one[name] for one in rounds) for name in commands}
    unit = next(iter(medians.values()))
    print(f"{'command':58} {'median':>9} {'most':>9} {'times':>6}")
    for name, median in medians.items():
        most = max(one[name] for one in rounds)
        print(f"{name:58} {median:6.0f} ms {most:6.0f} ms {median / unit:6.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    logs.configure("console", "error")
    ibcc = str(Path(sys.executable).with_name("ibcc"))
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as folder:
        service = Service(Settings(state_folder=Path(folder)))
        token = service.as_role("viewer").headers["Authorization"].removeprefix("Bearer ")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("IBCC_")} | {"IBCC_TOKEN": token}
        with service.served() as url:
            commands = {
                "python3 -c 'import typer'": [sys.executable, "-c", "import typer"],
                "python3 -c pass": [sys.executable, "-c", "pass"],
                **{f"ibcc {words}": [ibcc, *words.split()] for words in LOCAL},
                **{f"ibcc --server URL {words}": [ibcc, "--server", url, *words.split()] for words in SERVER},
            }
            measure(commands, environment, options.repeat)
        service.close()


if __name__ == "__main__":
    main()
