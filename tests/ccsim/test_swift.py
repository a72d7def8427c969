# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The scheme swift: windows by the delay in the fabric and in the receiving host."""

from typing import Any

import numpy as np
import pytest

import ccsim
from tests.ccsim.beds import Bed, one_switch
from tests.ccsim.test_host_models import INTERVAL_S, bed_of, gbps, load, model

LINK_GBPS = 100 * 4096 / 4122


def swift(**values: float) -> ccsim.Model:
    made = ccsim.Model()
    scheme = ccsim.SchemeChoice()
    scheme.name = "swift"
    scheme.values = values
    made.scheme = scheme
    return made


def run(bed: Bed, flows: list[ccsim.Flow], chosen: ccsim.Model, **options: Any) -> ccsim.Result:
    times = {"duration_s": 0.01, "sample_interval_s": INTERVAL_S} | options
    return ccsim.Simulation(bed.fabric, flows, model=chosen, **times).run()


def fill(result: ccsim.Result, port: int) -> float:
    """Mean of the bytes queued for a port of the switch, once the flows have settled."""
    row = int(np.flatnonzero((result.ports["node"] == 0) & (result.ports["port"] == port))[0])
    assert result.occupancy_bytes is not None
    return float(result.occupancy_bytes[row, 300:].mean())


def test_a_lone_flow_gets_its_link() -> None:
    bed = one_switch(3, rate="4xEDR", mtu_bytes=4096)
    assert gbps(run(bed, [bed.flow(1, 3)], swift()), 300) == pytest.approx(LINK_GBPS, rel=0.001)


@pytest.mark.parametrize("target_us", [5.0, 10.0])
def test_the_queue_of_an_incast_takes_the_fabrics_target(target_us: float) -> None:
    """Two inputs of 67,584 bytes would take 10.8 us; the rest of the round trip is below 2 us."""
    bed = one_switch(3, rate="4xEDR", mtu_bytes=4096)
    chosen = swift(fabric_target_us=target_us, additive_packets=0.2)
    chosen.switch.input_buffer_bytes = 1 << 20
    result = run(bed, [bed.flow(1, 3), bed.flow(2, 3)], chosen, trace_occupancy=True)
    waits_us = fill(result, 3) * 8e-3 / 100
    assert waits_us == pytest.approx(target_us, abs=2)
    assert gbps(result, 300) == pytest.approx(LINK_GBPS, rel=0.01)
    shares = result.received_bytes[:, 300:].sum(axis=1)
    assert shares[0] / shares[1] == pytest.approx(1, abs=0.2)


def test_a_slow_host_has_a_target_of_its_own() -> None:
    """What waits in it takes the host's target to drain, or a little less, as windows fall from there; the switch's queue stays
    short."""
    slow = model(receive_buffer_bytes=2**24, memory_gbytes_per_s=90)
    bed = bed_of(slow)
    loads = [load(bed, cores=15)]
    chosen = swift(host_target_us=50, additive_packets=0.2)
    result = run(bed, [bed.flow(1, 3), bed.flow(2, 3)], chosen, host_loads=loads, trace_occupancy=True)
    rate = slow.drain(cores=15)["gbps"]
    assert gbps(result, 300) == pytest.approx(rate, rel=0.02)
    assert result.host_series is not None
    buffered = float(result.host_series["buffer_bytes"][0][300:].mean())
    assert buffered * 8e-3 / rate == pytest.approx(50, rel=0.2)
    assert fill(result, 3) < 20_000


def test_a_host_target_beyond_the_buffer_is_never_reached() -> None:
    """As the HotNets paper has it: the buffer is full before the delay is the target, so nobody slows down for the host."""
    slow = model(receive_buffer_bytes=2**18)
    bed = bed_of(slow)
    loads = [load(bed, cores=15)]
    slack = run(bed, [bed.flow(1, 3)], swift(host_target_us=100, fabric_target_us=1e4), host_loads=loads)
    tight = run(bed, [bed.flow(1, 3)], swift(host_target_us=10, fabric_target_us=1e4), host_loads=loads)
    waits = [float(one.ports["xmit_wait_ns"][(one.ports["node"] == 0) & (one.ports["port"] == 3)][0]) for one in (slack, tight)]
    assert waits[0] > 1e5
    assert waits[1] == 0


def test_rtt_packets_have_an_sl_of_their_own() -> None:
    bed = bed_of(model())
    chosen = swift(rtt_sl=1)
    chosen.num_vls = 2
    result = run(bed, [bed.flow(1, 3), bed.flow(3, 1)], chosen)
    assert result.complete
    assert not result.flows["becn_received"].any()


def test_a_run_repeats() -> None:
    bed = bed_of(model())
    flows = [bed.flow(1, 3), bed.flow(2, 3)]
    first, second = (run(bed, flows, swift(), host_loads=[load(bed, cores=20)], seed=5) for _ in range(2))
    assert np.array_equal(first.received_bytes, second.received_bytes)
