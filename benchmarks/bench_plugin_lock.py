# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""For how long the plugin holds OpenSM's lock after a heavy sweep. `make bench-plugin-lock` runs it.

The plugin copies the subnet under the lock once a sweep. With `--other`, another build of the plugin takes turns with this one,
each time in a new process of OpenSM on the same emulated fabric; the ratio at the end is of this build to the other.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from benchmarks.bench_emulator import SIZES, machine
from benchmarks.bench_plugin import LIBRARY, interval
from benchmarks.bench_plugin_sick import Sweeps, bed, build_timer

_END = "SUBNET UP"


def turn(name: str, library: Path, sweeps: int) -> Sweeps:
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as text:
        folder = Path(text)
        with bed(SIZES[name].build(), folder, build_timer(folder), library) as on:
            on.sweep(_END)  # warms up
            return on.measure(sweeps, _END)


def bench(name: str, libraries: dict[str, Path], repeat: int, sweeps: int) -> None:
    turns: dict[str, list[Sweeps]] = {label: [] for label in libraries}
    for i in range(repeat):
        order = list(libraries.items())
        for label, library in order if i % 2 == 0 else reversed(order):
            turns[label].append(turn(name, library, sweeps))
    print(f"{name} hosts; a heavy sweep that changes nothing:")
    for label, done in turns.items():
        print(
            f"  {label:5}: OpenSM's lock {statistics.median(one.locks for one in done):.1f} times, for "
            f"{statistics.median(one.lock_s for one in done) * 1e6:.0f} us each, "
            f"{statistics.median(one.lock_cpu_s for one in done) * 1e6:.0f} us of them CPU; the plugin's thread "
            f"{statistics.median(one.cpu_s for one in done) * 1e3:.2f} ms of CPU"
        )
    if len(turns) == 2:
        pairs = list(zip(*turns.values(), strict=True))
        print(f"  this / other: CPU under the lock {interval([one.lock_cpu_s / other.lock_cpu_s for one, other in pairs])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", nargs="+", default=["648", "5832"], choices=list(SIZES))
    parser.add_argument("--other", type=Path, metavar="LIBRARY", help="libibcc.so of another build, to compare with")
    parser.add_argument("--repeat", type=int, default=5, help="turns of each build (default: %(default)s)")
    parser.add_argument("--sweeps", type=int, default=3, help="heavy sweeps in each turn (default: %(default)s)")
    options = parser.parse_args()
    print(f"# {machine()}")
    libraries = {"this": LIBRARY} | ({"other": options.other.absolute()} if options.other else {})
    for name in options.hosts:
        bench(name, libraries, options.repeat, options.sweeps)


if __name__ == "__main__":
    main()
