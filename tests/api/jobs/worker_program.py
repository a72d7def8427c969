# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc-worker` with the tests' kinds of jobs, to be killed."""

from api.cli.worker import main
from tests.api.jobs.kinds import registered

if __name__ == "__main__":
    with registered():
        main()
