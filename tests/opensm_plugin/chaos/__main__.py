# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`make chaos`: real OpenSM with the plugin on an emulated fabric on which everything goes wrong, by one seed."""

import argparse
import faulthandler
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.opensm_plugin.chaos.ground import Ground, ViolationError
from tests.opensm_plugin.chaos.kinds import Kind, kinds
from tests.opensm_plugin.chaos.phases import PHASES, Phase, phase_of
from tests.opensm_plugin.chaos.run import HEADER, PhaseViolationError, run, shown
from tuner.fabric.topologies.base import generate
from tuner.opensm.plugin_library import find_plugin


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1200.0, help="for all phases together; 1200 by default")
    parser.add_argument("--seed", type=int, help="of what happens, and to whom; another each time by default")
    parser.add_argument("--phases", help="only these, with semicolons between; --list has them")
    parser.add_argument("--devices", choices=sorted(kinds()), help="of this kind alone; all, one after the other, by default")
    parser.add_argument("--list", action="store_true", help="the phases' names, and nothing else")
    given = parser.parse_args()
    if given.list:
        print("\n".join(phase.name for phase in PHASES))
        return 0
    phases = [phase_of(name.strip()) for name in given.phases.split(";")] if given.phases else list(PHASES)
    seed = random.SystemRandom().randrange(1 << 31) if given.seed is None else given.seed
    faulthandler.enable()
    chosen = [kind for name, kind in kinds().items() if given.devices in (None, name)]
    return 0 if all(_passes(kind, phases, given.seconds / len(chosen), seed) for kind in chosen) else 1


def _passes(kind: Kind, phases: Sequence[Phase], seconds: float, seed: int) -> bool:
    """Runs the phases on devices of one kind, and prints what they have come to. False: something was violated."""
    folder = Path(tempfile.mkdtemp(prefix="ibcc-chaos-"))
    print(f"devices '{kind.name}', seed {seed}, {len(phases)} phases in {seconds:g} s, in {folder}\n{HEADER}", flush=True)
    begun_s = time.monotonic()
    try:
        fabric = generate("k-ary-n-tree", k=4, n=2)  # 8 switches and 16 hosts
        with Ground(fabric, kind, find_plugin(), folder, seed) as ground:
            rows = run(ground, phases, seconds, lambda row: print(shown(row), flush=True))
    except (PhaseViolationError, ViolationError) as violation:
        print(f"\nVIOLATION {violation}")
        told = "has calls.log, OpenSM's logs in opensm-*/, and the state in first/ and second/"
        print(f"devices '{kind.name}', seed {seed}; {folder} {told}")
        return False
    calls, starts = sum(row.calls for row in rows), sum(row.starts for row in rows) + 1
    slowest = max(rows, key=lambda row: row.rest_s)
    print(f"\n{len(rows)} phases in {time.monotonic() - begun_s:.0f} s, {calls:,} calls, {starts} starts of OpenSM.", end=" ")
    print(f"Each ended in the profile that was wanted, '{slowest.name}' after {slowest.rest_s:.1f} s.\n", flush=True)
    shutil.rmtree(folder)
    return True


if __name__ == "__main__":
    sys.exit(main())
