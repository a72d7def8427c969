# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts with a model: the closed form beside single cache lines, the engine beside the closed form, hostCC, and the counters."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ccsim
from tests.ccsim.beds import Bed, one_switch
from tests.ccsim.cache_lines import LineHost, adapter_rate

INTERVAL_S = 1e-5
LINK_GBPS = 100 * 4096 / 4122


def model(**fields: float) -> ccsim.HostModel:
    made = ccsim.HostModel()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def with_hostcc(made: ccsim.HostModel, **fields: Any) -> ccsim.HostModel:
    settings = ccsim.HostCcSettings()
    settings.enabled = True
    for name, value in fields.items():
        setattr(settings, name, value)
    made.hostcc = settings
    return made


def bed_of(receiver: ccsim.HostModel | None) -> Bed:
    """H1 to H4 at 100 Gb/s; H3 receives."""
    bed = one_switch(4, rate="4xEDR", mtu_bytes=4096)
    if receiver is not None:
        bed.fabric.set_host_model(bed.fabric.endports[bed.hosts[2]][0], receiver)
    return bed


def load(bed: Bed, **fields: Any) -> ccsim.HostLoad:
    return ccsim.HostLoad(endport=bed.hosts[2], **fields)


def run(
    bed: Bed, flows: Sequence[ccsim.Flow] = (), loads: Sequence[ccsim.HostLoad] = (), duration_s: float = 0.001, **options: Any
) -> ccsim.Result:
    chosen = flows or [bed.flow(1, 3), bed.flow(2, 3)]
    return ccsim.Simulation(
        bed.fabric, chosen, duration_s=duration_s, sample_interval_s=INTERVAL_S, host_loads=loads, **options
    ).run()


def gbps(result: ccsim.Result, first: int = 20, last: int | None = None) -> float:
    """Payload of all flows together, in the mean of some samples."""
    return float(result.received_bytes[:, first:last].sum(axis=0).mean() * 8e-9 / INTERVAL_S)


def random_line_host(draws: random.Random) -> LineHost:
    memory = draws.uniform(40, 200)
    return LineHost(
        credits=draws.randint(40, 160),
        latency=draws.uniform(150, 900),
        pcie=draws.uniform(5, min(30, 0.9 * memory)),
        memory=memory,
        cores=draws.randint(0, 40),
        core_lines=draws.randint(8, 60),
        core_bandwidth=draws.uniform(5, 20),
    )


def of_lines(host: LineHost) -> ccsim.HostModel:
    return model(
        write_credits_lines=host.credits,
        base_latency_ns=host.latency,
        pcie_gbps=8 * host.pcie,
        memory_gbytes_per_s=host.memory,
        cores=max(host.cores, 1),
        core_lines=host.core_lines,
        core_gbytes_per_s=host.core_bandwidth,
    )


def test_the_closed_form_is_within_a_tenth_of_single_cache_lines() -> None:
    draws = random.Random(46)
    by_credits = 0
    for seed in range(200):
        host = random_line_host(draws)
        drain = of_lines(host).drain(cores=host.cores)
        by_credits += drain["by_credits"]
        assert drain["gbps"] / 8 == pytest.approx(adapter_rate(host, seed=seed), rel=0.1), host
    assert 50 < by_credits < 200


def test_the_lines_of_an_idle_host_are_littles_law() -> None:
    drain = model().drain()
    assert drain["gbps"] == 110
    assert drain["latency_ns"] == 300
    assert drain["occupancy_lines"] == pytest.approx(110 / 8 * 300 / 64)


@pytest.mark.parametrize(
    ("cores", "ddio", "remote"), [(0, 0, 0), (15, 0, 0), (28, 0, 0), (20, 0.5, 0), (28, 0, 0.4), (24, 0.2, 1)]
)
def test_the_engine_drains_at_the_rate_of_the_closed_form(cores: float, ddio: float, remote: float) -> None:
    made = model(ddio_share=ddio, remote_share=remote, pcie_gbps=90)
    bed = bed_of(made)
    result = run(bed, loads=[load(bed, cores=cores)] if cores else [])
    assert gbps(result) == pytest.approx(made.drain(cores=cores)["gbps"], rel=0.005)
    assert result.modelled_hosts is not None
    assert result.modelled_hosts["drain_gbps"][0] == pytest.approx(made.drain(cores=cores)["gbps"], rel=0.005)


def test_a_load_at_the_other_memory_slows_what_goes_there_alone() -> None:
    far = model(remote_share=0.5)
    assert model().drain(remote_cores=28)["gbps"] == model().drain()["gbps"]
    assert far.drain(remote_cores=28)["gbps"] < far.drain()["gbps"]
    assert far.drain(cores=28)["gbps"] == pytest.approx(far.drain(remote_cores=28)["gbps"], rel=1e-6)


def test_sockets_limit_what_crosses_them() -> None:
    assert model(remote_share=1, socket_gbytes_per_s=5).drain()["gbps"] == 40
    assert model(remote_share=0.5, socket_gbytes_per_s=5).drain()["gbps"] == 80


def test_threads_limit_what_they_take() -> None:
    assert [model(threads=n, thread_gbps=11.5).drain()["gbps"] for n in (1, 4, 16)] == [11.5, 46, 110]


def test_more_threads_and_smaller_pages_mean_longer_walks() -> None:
    walks = [model(iotlb_entries=128, threads=n).walk_ns() for n in (4, 8, 10, 12, 16)]
    assert walks[:2] == [0, 0]
    assert walks[2:] == sorted(walks[2:])
    assert walks[2] > 0
    assert model(iotlb_entries=0, threads=100).walk_ns() == 0
    assert model(iotlb_entries=128, page_bytes=4096).walk_ns() > model(iotlb_entries=128).walk_ns()
    assert model(iotlb_entries=128, page_bytes=2**30).walk_ns() < model(iotlb_entries=128).walk_ns()


def test_what_stands_in_the_buffer_leaves_at_the_rate_of_the_moment() -> None:
    """1 MB stands in the buffer as the load ends. At the old rate it would take 170 us to leave."""
    made = model(receive_buffer_bytes=2**20, pcie_gbps=99)
    bed = bed_of(made)
    result = run(bed, loads=[load(bed, cores=28, stop_s=5e-4)])
    slow = made.drain(cores=28)["gbps"]
    assert slow < 55
    assert gbps(result, 20, 50) == pytest.approx(slow, rel=0.01)
    assert gbps(result, 50, 54) == pytest.approx(99, rel=0.02)
    assert result.host_series is not None
    buffered = result.host_series["buffer_bytes"][0]
    assert buffered[45] > 0.95 * 2**20


def test_loads_follow_each_other() -> None:
    made = model(pcie_gbps=99)
    bed = bed_of(made)
    loads = [load(bed, cores=28, start_s=3e-4, stop_s=6e-4), load(bed, gbytes_per_s=87, start_s=6e-4)]
    result = run(bed, loads=loads)
    assert gbps(result, 10, 29) == pytest.approx(99, rel=0.01)
    assert gbps(result, 33, 59) == pytest.approx(made.drain(cores=28)["gbps"], rel=0.01)
    assert gbps(result, 63) == pytest.approx(made.drain(gbytes_per_s=87)["gbps"], rel=0.01)
    assert made.drain(gbytes_per_s=87)["gbps"] <= 8 * 3.0


def test_a_host_that_takes_less_withholds_credits() -> None:
    """The switch's port to it waits, and a stranger behind the same switch does not."""
    bed = bed_of(model())
    flows = [bed.flow(1, 3), bed.flow(2, 4)]
    slow, free = (run(bed, flows, loads) for loads in ([load(bed, cores=28)], []))
    waits = [result.ports["xmit_wait_ns"][result.ports["port"] == 3][0] for result in (slow, free)]
    assert waits[0] > 2e5
    assert waits[1] == 0
    assert slow.received_bytes[1].sum() == free.received_bytes[1].sum()


def test_time_without_credits_is_counted() -> None:
    bed = bed_of(model())
    result = run(bed, loads=[load(bed, cores=28, start_s=5e-4)])
    assert result.modelled_hosts is not None
    assert result.modelled_hosts["without_credits_share"][0] == pytest.approx(0.5, abs=0.01)
    assert result.modelled_hosts["occupancy_max_lines"][0] == pytest.approx(92)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"cores": 4}, 4 * 12.5),
        ({"gbytes_per_s": 20}, 20),
        ({"cores": 4, "start_s": 5e-4}, 2 * 12.5),
        ({}, 0),
    ],
    ids=["cores", "bandwidth", "half the time", "nothing"],
)
def test_the_bandwidth_of_loads_is_counted(more: dict[str, float], expected: float) -> None:
    bed = bed_of(model())
    result = run(bed, loads=[load(bed, **more)] if more else [])
    assert result.modelled_hosts is not None
    assert result.modelled_hosts["load_gbytes_per_s"][0] == pytest.approx(expected, rel=0.01)


def test_loads_get_what_the_adapter_leaves_of_a_saturated_memory() -> None:
    bed = bed_of(model())
    result = run(bed, loads=[load(bed, cores=28)])
    assert result.modelled_hosts is not None
    adapter = result.modelled_hosts["drain_gbps"][0] / 8
    assert result.modelled_hosts["load_gbytes_per_s"][0] == pytest.approx(90 - adapter, rel=0.01)


def test_what_a_lossy_adapter_would_have_dropped_is_what_its_buffer_has_no_room_for() -> None:
    """With credits for far more than a lossy adapter's buffer, the link brings all that it carries."""
    made = model(receive_buffer_bytes=2**24, lossy_buffer_bytes=2**17)
    bed = bed_of(made)
    result = run(bed, loads=[load(bed, cores=28)])
    rate = made.drain(cores=28)["gbps"]
    assert result.modelled_hosts is not None
    expected = (LINK_GBPS - rate) * 1e-3 * 1e9 / 8 - 2**17
    assert result.modelled_hosts["would_have_dropped_bytes"][0] == pytest.approx(expected, rel=0.02)
    without = run(bed_of(made))
    assert without.modelled_hosts is not None
    assert without.modelled_hosts["would_have_dropped_bytes"][0] == 0


@pytest.mark.parametrize(("threshold", "marks"), [(30_000, True), (60_000, True), (70_000, False)])
def test_an_adapter_marks_above_its_buffers_threshold(threshold: float, marks: bool) -> None:
    """The buffer has 67,584 bytes, of which packets of 4096 bytes of payload fill 65,536."""
    bed = bed_of(model(mark_buffer_bytes=threshold))
    result = run(bed, loads=[load(bed, cores=28)])
    assert bool(result.flows["fecn_received"].sum() > 0) is marks
    assert result.modelled_hosts is not None
    assert result.modelled_hosts["fecn_set"][0] == result.flows["fecn_received"].sum()


def test_hostcc_throttles_until_the_adapter_has_its_target() -> None:
    made = with_hostcc(model())
    bed = bed_of(made)
    without = run(bed_of(model()), loads=[load(bed, cores=15)], duration_s=0.004)
    result = run(bed, loads=[load(bed, cores=15)], duration_s=0.004)
    assert gbps(without) < 79
    assert gbps(result, 200) > 80
    assert result.host_series is not None
    levels = result.host_series["hostcc_level"][0]
    assert levels[0] > 0
    # At most one step down in 150 us, which are 15 samples.
    downs = np.flatnonzero(np.diff(levels) < 0)
    assert len(downs) > 0
    assert (np.diff(downs) >= 14).all()
    assert (np.diff(levels) >= -1).all()


def test_hostcc_changes_nothing_where_the_fabric_alone_is_congested() -> None:
    beds = [bed_of(model()), bed_of(with_hostcc(model()))]
    plain, marked = (run(bed, [bed.flow(source, 3) for source in (1, 2, 4)], duration_s=0.002) for bed in beds)
    assert np.array_equal(plain.received_bytes, marked.received_bytes)
    for columns in ("flows", "ports"):
        for name, values in getattr(plain, columns).items():
            assert np.array_equal(values, getattr(marked, columns)[name]), name
    assert marked.events > plain.events  # it did look


def test_a_run_repeats() -> None:
    results = []
    for _ in range(2):
        bed = bed_of(with_hostcc(model()))
        results.append(run(bed, loads=[load(bed, cores=20)], seed=3))
    assert np.array_equal(results[0].received_bytes, results[1].received_bytes)
    assert results[0].events == results[1].events


def test_other_hosts_of_the_fabric_are_as_without_models() -> None:
    plain, modelled = bed_of(None), bed_of(model())
    for bed in (plain, modelled):
        bed.fabric.set_host_limits(bed.fabric.endports[bed.hosts[3]][0], receive_gbps=37.0)
    results = [run(bed, [bed.flow(1, 4), bed.flow(2, 4)]) for bed in (plain, modelled)]
    assert np.array_equal(results[0].received_bytes, results[1].received_bytes)
    assert results[0].modelled_hosts is None
    assert results[0].host_series is None


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"base_latency_ns": 0}, "host model of 'H3': base_latency_ns is 0; it must be above 0"),
        ({"ddio_share": 1.5}, "host model of 'H3': ddio_share is 1.5; it must be 0 to 1"),
        ({"memory_gbytes_per_s": float("nan")}, "host model of 'H3': memory_gbytes_per_s is"),
        ({"page_bytes": 64}, "host model of 'H3': page_bytes is 64; it must be 4096 or more"),
    ],
)
def test_a_model_out_of_range_is_refused(fields: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        bed_of(model(**fields))


def test_a_host_takes_by_one_rule() -> None:
    bed = bed_of(None)
    node = bed.fabric.endports[bed.hosts[2]][0]
    bed.fabric.set_host_limits(node, receive_gbps=50.0)
    with pytest.raises(ValueError, match="'H3' has receive_gbps and a host model"):
        bed.fabric.set_host_model(node, model())


@pytest.mark.parametrize(
    ("loads", "sentence"),
    [
        ([{"endport": 0, "cores": 1}], "host load 1 is on a host without a host model"),
        ([{"cores": 29}], "host load 1 has 29.0+ cores; the host's memory node has 28"),
        ([{"gbytes_per_s": 90}], "host load 1 takes 90.0+ GB/s; it must leave some"),
        ([{"cores": 1}, {"cores": 2, "start_s": 1e-4}], "host load 2 overlaps host load 1 on the same memory"),
        ([{"cores": 1, "start_s": 2e-4, "stop_s": 1e-4}], "host load 1 stops before it starts"),
    ],
)
def test_a_load_that_does_not_fit_is_refused(loads: list[dict[str, Any]], sentence: str) -> None:
    bed = bed_of(model())
    with pytest.raises(ValueError, match=sentence):
        run(bed, loads=[ccsim.HostLoad(**{"endport": bed.hosts[2], **one}) for one in loads])


def test_loads_of_two_memories_may_overlap() -> None:
    bed = bed_of(model(remote_share=0.5))
    run(bed, loads=[load(bed, cores=10), load(bed, cores=10, remote=True)])


def test_other_schemes_refuse_host_models() -> None:
    bed = bed_of(model())
    chosen = ccsim.Model()
    chosen.scheme = ccsim.SchemeChoice()
    chosen.scheme.name = "1q"
    with pytest.raises(
        ValueError, match="'1q', and host 'H3' has a host_model; with host models it must be one of ith, swift, voqsw"
    ):
        run(bed, model=chosen)
