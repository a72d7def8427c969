# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Input-queued crossbars: no input starves, and packets that wait behind others are no deadlock."""

import pytest

import ccsim
from tests.ccsim.beds import Bed, one_switch, two_switch

LINK_GBPS = 16.0
PAYLOAD = 2048 / 2074
"""Part of a link's rate that packets of the MTU leave to payload."""


def crossbar(scheme: str, crossbar_gbps: float) -> ccsim.Model:
    """Devices whose inputs give one packet at a time."""
    model = ccsim.Model()
    model.switch.read_ports = 1
    model.scheme.name = scheme
    model.scheme.values = {"crossbar_gbps": crossbar_gbps}
    return model


def gbps(bed: Bed, flows: list[ccsim.Flow], model: ccsim.Model, duration_s: float = 0.002) -> list[float]:
    """Mean of each flow over the second half of a run."""
    samples = 20
    run = ccsim.Simulation(
        bed.fabric, flows, model=model, seed=1, duration_s=duration_s, sample_interval_s=duration_s / samples
    ).run()
    second_half = run.received_bytes[:, samples // 2 :].sum(axis=1)
    return [float(received) * 8e-9 / (duration_s / 2) for received in second_half]


@pytest.mark.parametrize("scheme", ["voqnet", "fbicm", "hfdi"])
def test_an_input_with_two_outputs_gets_its_turns_at_both(scheme: str) -> None:
    """H1 to H3 come over one link at 32 Gb/s, H1 to H4 and the others to H5, to which H6 and H7 send too. H1 sends
    without a gap: an output to H5 that took whoever is free would find that input busy each time."""
    bed = two_switch(inject_gbps=None, receive_gbps=None)
    flows = [bed.flow(1, 4), bed.flow(2, 5), bed.flow(3, 5), bed.flow(6, 5), bed.flow(7, 5)]
    to_h4, *over_the_trunk, local_1, local_2 = gbps(bed, flows, crossbar(scheme, 2 * LINK_GBPS))
    full = LINK_GBPS * PAYLOAD
    assert to_h4 == pytest.approx(full, rel=0.02)
    assert sum(over_the_trunk) == pytest.approx(full / 3, rel=0.1)
    assert [local_1, local_2] == pytest.approx([full / 3, full / 3], rel=0.1)


def test_without_speed_up_the_input_has_a_turn_in_six_at_least() -> None:
    """In a switch with slots, it has one in three, and the output to H5 is never idle; here that may pass the input over in one
    round of two, and waits for it then."""
    bed = two_switch(inject_gbps=None, receive_gbps=None)
    flows = [bed.flow(1, 4), bed.flow(2, 5), bed.flow(3, 5), bed.flow(6, 5), bed.flow(7, 5)]
    to_h4, *over_the_trunk, local_1, local_2 = gbps(bed, flows, crossbar("voqnet", LINK_GBPS))
    full = LINK_GBPS * PAYLOAD
    assert sum(over_the_trunk) >= 0.95 * full / 6
    assert to_h4 >= 0.95 * full * 2 / 3
    assert sum(over_the_trunk) + local_1 + local_2 >= 0.8 * full


@pytest.mark.parametrize("scheme", ["1q", "fbicm", "voqnet"])
def test_packets_that_all_wait_behind_others_are_no_deadlock(scheme: str) -> None:
    """All draw a destination for each packet: at the end, outputs have packets of which none is at the head of its queue."""
    bed = one_switch(8)
    drawing = [ccsim.Flow(src=bed.hosts[i], dst=ccsim.Destinations.uniform(bed.hosts), message_bytes=2048) for i in range(8)]
    for seed in range(1, 6):
        run = ccsim.Simulation(
            bed.fabric, drawing, model=crossbar(scheme, 0), seed=seed, duration_s=2e-4, sample_interval_s=1e-4
        ).run()
        assert run.deadlock is None
        assert int(run.received_bytes.sum()) > 0
