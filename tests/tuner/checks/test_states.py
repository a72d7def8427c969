# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.checks.states import FAIL, NOT_RUN, PASS, WARN, State, worst


@pytest.mark.parametrize(
    ("state", "codes"), [(PASS, (0, 0, 0)), (WARN, (0, 1, 1)), (FAIL, (1, 1, 2)), (NOT_RUN, (3, 3, 3))], ids=lambda one: str(one)
)
def test_exit_codes(state: State, codes: tuple[int, int, int]) -> None:
    assert (state.exit_code, state.strict_code, state.nagios_code) == codes


def test_the_worst_state_is_the_check_s() -> None:
    assert worst([]) is PASS
    assert worst([WARN, PASS]) is WARN
    assert worst([WARN, NOT_RUN]) is NOT_RUN
    assert worst([NOT_RUN, FAIL, WARN]) is FAIL
