# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc serve` with the tests' kinds of jobs, to be killed."""

import sys

from tests.api.jobs.kinds import registered
from tuner.cli.main import run

if __name__ == "__main__":
    with registered():
        sys.exit(run(["serve", *sys.argv[1:]]))
