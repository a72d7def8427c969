# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tuner.emulator.inside import environment, run_inside
from tuner.errors import BadInputError


def test_the_exit_status_is_the_programs() -> None:
    assert run_inside(["sh", "-c", "exit 7"], os.environ) == 7


def test_a_signal_is_told_as_shells_do() -> None:
    assert run_inside(["sh", "-c", "kill -TERM $$"], os.environ) == 128 + signal.SIGTERM


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(BadInputError, match="cannot run '/not/there': No such file or directory"):
        run_inside(["/not/there"], os.environ)


def test_the_environment_attaches(tmp_path: Path, infiniband_programs: None) -> None:
    variables = environment("a-name", tmp_path, "H3")
    assert (variables["IBSIM_SOCKNAME"], variables["SIM_HOST"], variables["OSM_CACHE_DIR"]) == ("a-name", "H3", str(tmp_path))
    assert Path(variables["LD_PRELOAD"].split()[1]).name == "libumad2sim.so"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_are_passed_on(number: signal.Signals) -> None:
    told = "import signal, sys; print('ready', flush=True); print(signal.sigwait(signal.valid_signals()) + 0, flush=True)"
    inner = f"import signal; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); {told}"
    outer = (
        "import os, sys; from tuner.emulator.inside import run_inside; "
        f"sys.exit(run_inside([sys.executable, '-c', {inner!r}], os.environ))"
    )
    with subprocess.Popen([sys.executable, "-c", outer], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == f"{number.value}\n"
    assert process.returncode == 0


def test_a_signal_that_comes_while_the_program_is_started_reaches_it() -> None:
    outer = """
import os, signal, subprocess, sys
from tuner.emulator.inside import run_inside

class Popen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        super().__init__(*arguments, **options)

subprocess.Popen = Popen
sys.exit(run_inside(["sleep", "60"], os.environ))
"""
    ended = subprocess.run([sys.executable, "-c", outer], stdin=subprocess.DEVNULL, check=False, timeout=50)
    assert ended.returncode == 128 + signal.SIGTERM
