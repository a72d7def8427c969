# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuner.document_base.model import build_model
from tuner.documents.inventory_abort_if import AbortLimits
from tuner.errors import BadInputError
from tuner.hosts.abort_watch import AbortError, AbortWatch


def watch(counters: list[dict[str, object]] | None = None, jobs: list[dict[str, object]] | None = None) -> AbortWatch:
    return AbortWatch(build_model(AbortLimits, {"counters": counters or [], "jobs": jobs or []}))


def test_a_counter_that_rises_too_fast_ends_the_run() -> None:
    own = watch([{"name": "port_xmit_wait", "at_most_per_s": 1000, "for_s": 1}])
    for _ in range(30):
        own.counted("n1", "mlx5_0", "port_xmit_wait", 100, 0.1)
    for _ in range(9):
        own.counted("n1", "mlx5_0", "port_xmit_wait", 100, 0.1)
    with pytest.raises(AbortError, match=r"port_xmit_wait of mlx5_0 on node 'n1' has risen by .* limit is 1000"):
        own.counted("n1", "mlx5_0", "port_xmit_wait", 120, 0.1)


def test_a_short_peak_and_other_counters_and_hosts_do_not() -> None:
    own = watch([{"name": "port_xmit_wait", "at_most_per_s": 1000, "for_s": 1}])
    own.counted("n1", "mlx5_0", "port_xmit_wait", 900, 0.1)
    for _ in range(20):
        own.counted("n1", "mlx5_0", "port_xmit_wait", 0, 0.1)
        own.counted("n1", "mlx5_0", "np_cnp_sent", 10**9, 0.1)
    for host in ("n2", "n3", "n4"):  # each alone keeps the limit
        for _ in range(10):
            own.counted(host, "mlx5_0", "port_xmit_wait", 90, 0.1)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(0.01, 0.3), st.integers(0, 500)), max_size=60))
def test_it_ends_only_what_passes_the_limit(steps: list[tuple[float, int]]) -> None:
    own = watch([{"name": "c", "at_most_per_s": 1000, "for_s": 0.5}])
    try:
        for length_s, increase in steps:
            own.counted("n1", "d", "c", increase, length_s)
    except AbortError:
        # Somewhere there are half a second or more in which it did.
        assert any(
            sum(i for _, i in steps[a:b]) > 999 * sum(s for s, _ in steps[a:b]) and sum(s for s, _ in steps[a:b]) >= 0.499
            for a in range(len(steps))
            for b in range(a + 1, len(steps) + 1)
        )
    else:
        # In no single step that is long enough it did.
        assert not any(length_s >= 0.5 and increase > 1000 * length_s for length_s, increase in steps)


@pytest.mark.parametrize(
    ("text", "age_s", "sentence"),
    [
        ("899.5\n", 0, None),
        ("901", 0, "job 'allreduce' says 901; the inventory's limit is at most 900"),
        ("1", 0, "says 1; the inventory's limit is at least 2"),
        ("500", 31, "has written nothing for 31 s; it counts as stuck after 30 s"),
        ("nan", 0, "has 3 characters in .*; one number is expected"),
        ("rm -rf", 0, r"has 6 characters in [^']*number that are no number"),
        ("", 0, "has 0 characters in"),
        (None, 0, "cannot be read: .*No such file"),
    ],
)
def test_a_job_that_runs_beside(text: str | None, age_s: int, sentence: str | None, tmp_path: Path) -> None:
    file = tmp_path / "number"
    if text is not None:
        file.write_text(text)
        written_s = file.stat().st_mtime - age_s
        os.utime(file, (written_s, written_s))
    own = watch(jobs=[{"name": "allreduce", "file": str(file), "at_most": 900, "at_least": 2, "max_age_s": 30}])
    if sentence is None:
        own.look()
        return
    with pytest.raises(AbortError, match=sentence):
        own.look()


def test_jobs_are_read_once_a_second(tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("1")
    clock = [100.0]
    limits = build_model(AbortLimits, {"jobs": [{"name": "c", "file": str(file), "at_most": 5}]})
    own = AbortWatch(limits, monotonic_s=lambda: clock[0])
    own.look()
    file.write_text("9")
    clock[0] += 0.5
    own.look()
    with pytest.raises(AbortError):
        own.look(at_once=True)
    clock[0] += 1.5
    with pytest.raises(AbortError):
        own.look()


def test_a_job_without_a_limit_is_refused() -> None:
    with pytest.raises(BadInputError, match="neither at_most nor at_least"):
        watch(jobs=[{"name": "c", "file": "f"}])
