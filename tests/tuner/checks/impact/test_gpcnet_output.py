# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The reader takes what network_load_test prints, and says in a sentence what is wrong with anything else."""

import os
import random
import string
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tuner.checks.impact.gpcnet_text import ISOLATED, LOADED, ROWS, output
from tests.tuner.checks.test_kinds import NIGHT
from tuner.checks.impact.gpcnet_output import parse_output, read_output
from tuner.checks.impact.metrics import CANARIES
from tuner.checks.observe import observed
from tuner.documents.check_kinds import CongestionImpact
from tuner.errors import BadInputError, IbccError, UnreachableError

NOW = datetime(2026, 1, 31, 3, tzinfo=UTC)


def figures(text: str) -> list[tuple[tuple[float | None, ...], tuple[float | None, ...]]]:
    run = parse_output(text, source="gpcnet.txt", written=NOW)
    return [(tuple(run.figures[name].isolated.values()), tuple(run.figures[name].loaded.values())) for name in CANARIES]


@pytest.mark.parametrize("version", ["1.0", "1.2", "1.3"])
@pytest.mark.parametrize("verbose", [False, True])
def test_the_tables_are_read(version: str, verbose: bool) -> None:
    assert figures(output(version=version, verbose=verbose)) == list(zip(ISOLATED, LOADED, strict=True))


def test_other_lines_and_a_word_before_each_do_no_harm() -> None:
    lines = [f"0: {line}" for line in output().splitlines()]
    lines[20:20] = ["slurmstepd: warning: something | somewhere", "0: | 3 | 4 |"]
    assert figures("\n".join(["job 17 starts", *lines, "done"])) == list(zip(ISOLATED, LOADED, strict=True))


def test_the_last_of_several_runs_counts() -> None:
    later = tuple((one * 2, other * 2) for one, other in LOADED)
    assert figures(output() + output(loaded=later)) == list(zip(ISOLATED, later, strict=True))
    with pytest.raises(UnreachableError, match="'Isolated Network Tests' is missing"):
        figures(output() + "NetworkLoad Tests v1.3\n  Test with 64 MPI ranks (32 nodes)\n")


def test_the_run_is_described() -> None:
    run = parse_output(output(ranks=576), source="f", written=NOW)
    assert (run.version, run.ranks, run.hosts, run.canaries) == ("1.3", 576, 32, 7)


@pytest.mark.parametrize("lines", [9, 14, 20, 26, 31, 38])
def test_an_output_that_was_cut_off_is_said_to_be_that(lines: int) -> None:
    with pytest.raises(UnreachableError, match="is missing: GPCNeT's job did not end, or still runs"):
        figures("\n".join(output().splitlines()[:lines]))


def test_strange_texts_get_a_sentence_each() -> None:
    for text, sentence in (
        ("", "is empty"),
        ("hello", "a line such as 'NetworkLoad Tests v1.3' is missing"),
        (output(version="2.0"), "is of GPCNeT 2.0; the output of versions 1.x can be read"),
        ("Network Tests v1.3\n", "is of GPCNeT's network_test, which runs no congestors"),
        ("ERROR: this application must be run on at least 10 nodes\n", "GPCNeT was started on too few hosts"),
        (output(isolated=((0.0, 0.0),) * 3), "has no figure above 0; Avg of row .* is left out: '0.0' alone, "),
        (output(factors={1: (1.2, 6.7)}), "the impact factor 1.2 of row 'RR Two-sided BW.*is not that of its figures, 2.7"),
        (output().replace("  7 nodes running Network Tests\n", ""), "number of canaries is missing"),
        (output().replace(ROWS[2], "Something else"), "row 'Multiple Allreduce"),
    ):  # fmt: skip
        with pytest.raises(IbccError, match=sentence):
            figures(text)


@given(st.integers(0, 2**32))
def test_damage_is_read_or_refused_with_a_sentence(seed: int) -> None:
    chance = random.Random(seed)
    text = list(output(verbose=chance.random() < 0.5))
    for _ in range(chance.randrange(1, 12)):
        place = chance.randrange(len(text))
        if chance.random() < 0.3:
            del text[place : place + chance.randrange(200)]
        else:
            text[place : place + 1] = chance.choice([*string.printable, "", "é", "\0"])
        text = text or ["x"]
    said = None
    try:
        run = parse_output("".join(text), source="f", written=NOW)
    except IbccError as error:
        said = str(error)
    if said is None:
        assert all(value is not None and value > 0 for one in run.figures.values() for value in one.loaded.values())
        assert sum(len(one.loaded) for one in run.figures.values()) + len(run.left_out) == 6
    else:
        assert said.startswith("f")


def test_the_file_must_be_of_this_night(tmp_path: Path) -> None:
    path = tmp_path / "gpcnet.txt"
    path.write_text(output())
    for ago_h, sentence in ((1, None), (25, "is 25 h old, and max_age_h is 24"), (-2, "later than now; set the clocks")):
        moment = (NOW - timedelta(hours=ago_h)).timestamp()
        os.utime(path, (moment, moment))
        if sentence is None:
            assert read_output(path, max_age_h=24, now=NOW).hosts == 32
        else:
            with pytest.raises(UnreachableError, match=sentence):
                read_output(path, max_age_h=24, now=NOW)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInputError, match="is no file"):
        read_output(tmp_path / "pipe", max_age_h=1, now=NOW)
    with pytest.raises(UnreachableError, match="absent.txt cannot be read: No such file"):
        read_output(tmp_path / "absent.txt", max_age_h=1, now=NOW)
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(BadInputError, match="has 16777217 bytes"):
        read_output(large, max_age_h=1e6, now=datetime.now(UTC))


def test_the_kind_gives_the_metrics_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text(output())
    observation = observed(CongestionImpact(backend="gpcnet", output=str(tmp_path / "out")), NIGHT)
    values = {metric.name: value for metric, value in observation.metrics}
    assert len(values) == 12
    assert values["impact_latency_average"] == pytest.approx(4.2 / 1.5)
    assert values["impact_bandwidth_p99"] == pytest.approx(640.2 / 95.5)
    assert values["isolated_allreduce_p99"] == 30.9
    assert observation.facts[0].startswith("GPCNeT 1.3 with 64 ranks on 32 hosts, 7 of them canaries")


def test_what_is_printed_as_0_or_infinite_is_left_out_and_said(tmp_path: Path) -> None:
    text = output(loaded=((4.2, 18.1), (301.0, 0.0), (float("nan"), 180.2)), factors={1: (2.7, float("inf")), 2: (3.0, 5.8)})
    run = parse_output(text, source="f", written=NOW)
    assert {name: sorted(one.loaded) for name, one in run.figures.items()} == {
        "latency": ["average", "p99"],
        "bandwidth": ["average"],
        "allreduce": ["p99"],
    }
    assert run.left_out[0] == (
        "99% of row 'RR Two-sided BW+Sync (131072 B)' is left out: '640.2' alone, '0.0' loaded, factor 'infX'; "
        "they must be above 0"
    )
    (tmp_path / "out").write_text(text)
    observation = observed(CongestionImpact(backend="gpcnet", output=str(tmp_path / "out")), NIGHT)
    assert len([metric for metric, value in observation.metrics if value is not None]) == 8
    assert observation.facts[-1] == run.left_out[-1]


def test_the_factor_of_a_small_figure_may_be_that_of_what_was_rounded() -> None:
    """812.4 by 0.27, printed as 0.3."""
    assert figures(output(loaded=(LOADED[0], (0.3, 95.5), LOADED[2]), factors={1: (3008.9, 6.7)}))[1][1] == (0.3, 95.5)


def test_a_night_with_a_rate_that_rounds_to_0(shared: Path) -> None:
    run = parse_output((shared / "cases/c14-gpcnet-zero.txt").read_text(), source="f", written=NOW)
    assert sum(len(one.loaded) for one in run.figures.values()) == 5
    assert len(run.left_out) == 1
