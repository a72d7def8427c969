# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.goals.objectives import OBJECTIVES
from tuner.report.text import duration, metric, number, value


def test_figures_for_people() -> None:
    assert [number(x) for x in (0, 0.98 * 100, 13.0, 0.000123, 1234.5)] == ["0", "98", "13", "1.23e-04", "1234"]
    assert [value(x) for x in (None, True, 150, 0.12345, "qp")] == ["–", "true", "150", "0.1235", "qp"]
    assert [duration(s) for s in (5.25, 65, 3700)] == ["5.2 s", "1 min 5 s", "1 h 1 min"]


def test_flows_that_do_not_settle_in_a_run_may_settle_later() -> None:
    """Phases of less than 50 ms cannot tell."""
    by_name = {objective.name: objective for objective in OBJECTIVES}
    assert metric(None, by_name["settle_time"]) == "not in the run"
    assert metric(None, by_name["tail_latency"]) == "–"
