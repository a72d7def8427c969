# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A process that measures on an emulated fabric, for the tests to kill: SETTINGS as JSON; `{}` for a fabric of its own. Says
what it has as a line of JSON, then waits for the end of its input."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tuner.backends.emulated import EmulatedBackend
from tuner.documents.profile import load_profile
from tuner.measuring.options import BackendOptions


def main(settings: str) -> None:
    chosen = json.loads(settings)
    options = BackendOptions(settings=chosen, owner="a holding process", fabric=None if chosen else "two-switch")
    backend = EmulatedBackend(options)
    backend.open()
    backend.apply(load_profile("gran-2010"))
    hosts = [site.host.pid for site in backend.sites if site.host is not None]
    print(json.dumps({"hosts": hosts}), flush=True)
    sys.stdin.read()


main(*sys.argv[1:])
