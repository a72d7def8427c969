# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The simulator as Python sees it; what it computes is tested in C++ (tests/simulator/engine)."""

import re
import signal
import threading

import numpy as np
import numpy.typing as npt
import pytest

import ccsim
from ccsim.policy import Profile, Tables
from tests.ccsim.beds import one_switch, two_switch

PROFILE = """
ibcc_profile: 1
name: test
link: {rate_gbps: 16, mtu_bytes: 2048}
switch: {threshold: 15, marking_rate: 1, packet_size: 8, victim_mask: ca_ports}
ca: {level: qp, ccti_timer: 150, ccti_increase: 1, ccti_min: 0}
cct: {ccti_limit: 127, curve: {kind: power, full_scale_us: 7, at_index: 106, exponent: 2}}
"""


def tables(fabric: ccsim.Fabric) -> Tables:
    return Profile.from_text(PROFILE).resolve(fabric)


def incast(**options: object) -> ccsim.Simulation:
    bed = two_switch()
    flows = [bed.flow(1, 4), *(bed.flow(i, 5) for i in (2, 3, 6, 7))]
    arguments = {"tables": tables(bed.fabric), "duration_s": 0.05, "sample_interval_s": 0.001} | options
    return ccsim.Simulation(bed.fabric, flows, **arguments)  # type: ignore[arg-type]


def test_series_and_counters_agree() -> None:
    result = incast().run()
    assert result.complete
    assert result.simulated_s == 0.05
    assert result.received_bytes.shape == (5, 50)
    # What was received after the last sample is in the totals only; here the last sample is the end.
    assert np.array_equal(result.received_bytes.sum(axis=1), result.flows["received_bytes"])
    ports = result.ports
    names = list(zip(ports["node"].tolist(), ports["port"].tolist(), strict=True))
    assert len(names) == 7 * 2 + 2
    to_h5 = names.index((1, 5))
    assert ports["fecn_marked"][to_h5] > 0
    assert ports["fecn_marked"].sum() >= result.flows["fecn_received"].sum() > 0
    assert ports["xmit_wait_ns"][to_h5] > 0
    in_flight = result.flows["sent_packets"] - result.flows["received_packets"]
    assert (in_flight >= 0).all()
    assert in_flight.sum() < 4 * 128 + 5 * 32 + 20  # what the buffers hold
    assert result.packet_hops > result.flows["received_packets"].sum() * 2


def test_a_disabled_profile_and_no_tables_are_the_same() -> None:
    bed = two_switch()
    flows = [bed.flow(i, 5) for i in (1, 2, 6)]
    off = Profile.from_text("ibcc_profile: 1\nname: off\nenable: false\n").resolve(bed.fabric)
    runs = [ccsim.Simulation(bed.fabric, flows, tables=t, duration_s=0.01, sample_interval_s=0.001).run() for t in (None, off)]
    assert np.array_equal(runs[0].received_bytes, runs[1].received_bytes)
    assert runs[1].ports["fecn_marked"].sum() == 0


def test_traces_come_when_asked_for() -> None:
    plain = incast().run()
    assert plain.ccti is None
    assert plain.occupancy_bytes is None
    assert plain.packets is None
    traced = incast(trace_ccti=True, trace_occupancy=True, trace_packets=2000).run()
    assert traced.ccti is not None
    assert traced.occupancy_bytes is not None
    assert traced.packets is not None
    assert traced.ccti.shape == (5, 50)
    assert traced.ccti[0, -1] == 0  # at first S1 is a root, as all start at full speed at once; then the victim is let go
    assert (traced.ccti[1:, -1] > 0).all()
    assert traced.ccti.max() <= 127
    assert traced.occupancy_bytes.shape == (16, 50)
    assert traced.occupancy_bytes.max() <= traced.ports["max_queued_bytes"].max()
    assert plain.waited_ns is None
    assert traced.waited_ns is not None
    assert traced.waited_ns.shape == traced.occupancy_bytes.shape
    assert (traced.waited_ns >= 0).all()
    assert (traced.waited_ns <= 1e9 * traced.sample_interval_s * 1.000001).all()
    total, counted = traced.waited_ns.sum(axis=1), traced.ports["xmit_wait_ns"]
    over = traced.waited_ns[:, -1] == 0  # else the counter has a wait only once it is over
    assert np.allclose(total[over], counted[over], rtol=1e-4)
    assert (total[~over] >= counted[~over] * 0.9999).all()
    assert over.any()
    assert (~over).any()
    assert len(traced.packets["time_ns"]) == 2000
    assert np.array_equal(plain.received_bytes, traced.received_bytes)  # looking changes nothing


def test_the_packet_trace_shows_each_hop() -> None:
    bed = two_switch()
    simulation = ccsim.Simulation(bed.fabric, [bed.flow(1, 4)], duration_s=1e-5, sample_interval_s=1e-5, trace_packets=1000)
    rows = simulation.run().packets
    assert rows is not None
    first = (rows["sequence"] == 0) & (rows["kind"] == 0)
    assert rows["node"][first & (rows["event"] == 0)].tolist() == [2, 0, 1]  # H1, S1, S2
    assert rows["port"][first & (rows["event"] == 0)].tolist() == [1, 36, 4]
    assert set(rows["bytes"][first].tolist()) == {2074}


def test_progress_is_told_and_false_cancels() -> None:
    told: list[float] = []
    assert incast().run(told.append).complete
    assert told[-1] == 0.05
    result = incast(duration_s=1000.0, sample_interval_s=0.01).run(lambda now: now < 0.02)
    assert not result.complete
    assert 0.02 <= result.simulated_s < 1000
    assert result.received_bytes.shape[1] == int(result.simulated_s / 0.01 + 1e-9)


def test_an_exception_in_the_callback_ends_the_run() -> None:
    def fail(now: float) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        incast(duration_s=1000.0).run(fail)


def test_ctrl_c_ends_a_run() -> None:
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        incast(duration_s=1000.0, sample_interval_s=1.0).run()
    timer.join()


def test_runs_in_threads_share_nothing() -> None:
    alone = [incast(seed=seed).run().received_bytes for seed in range(4)]
    together: dict[int, npt.NDArray[np.uint64]] = {}

    def run(i: int) -> None:
        together[i] = incast(seed=i).run().received_bytes

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        assert np.array_equal(alone[i], together[i])
    assert not np.array_equal(alone[0], alone[1])


def test_a_simulation_runs_once() -> None:
    simulation = incast(duration_s=0.001)
    simulation.run()
    with pytest.raises(RuntimeError, match="already"):
        simulation.run()


def test_the_fabric_outlives_its_name() -> None:
    simulation = incast()  # its fabric and tables have no other owner
    assert simulation.run().complete


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"duration_s": 0}, "duration_s is 0"),
        ({"duration_s": 1e6}, "duration_s is 1000000"),
        ({"sample_interval_s": 0.0}, "sample_interval_s is 0"),
        ({"sample_interval_s": 1.0}, "at most the duration"),
        ({"duration_s": 9000, "sample_interval_s": 1e-6}, "at most 200 million"),
    ],
)
def test_bad_options_are_refused_with_their_value(arguments: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        incast(**arguments)


def test_a_flow_without_a_route_is_refused_with_the_place_where_it_ends() -> None:
    bed = two_switch()
    bed.fabric.set_forward(1, bed.hosts[3], 255)
    with pytest.raises(ValueError, match="no route from 'H1' to 'H4': it ends at 'S2'"):
        ccsim.Simulation(bed.fabric, [bed.flow(1, 4)], duration_s=0.01)


def test_tables_of_another_fabric_are_refused() -> None:
    bed, other = one_switch(3), two_switch()
    with pytest.raises(ValueError, match="another fabric"):
        ccsim.Simulation(bed.fabric, [bed.flow(1, 2)], tables=tables(other.fabric), duration_s=0.01)


def test_tables_of_a_smaller_switch_are_refused() -> None:
    bed, other = one_switch(3), one_switch(5)
    with pytest.raises(ValueError, match="another fabric"):
        ccsim.Simulation(bed.fabric, [bed.flow(1, 2)], tables=tables(other.fabric), duration_s=0.01)


def test_model_parameters_are_named_when_they_are_wrong() -> None:
    model = ccsim.Model()
    with pytest.raises(ValueError, match=r"model\.ca\.becn_carrier is 'pigeon'; it must be one of cnp, ack"):
        model.ca.becn_carrier = "pigeon"  # type: ignore[assignment]
    model.switch.input_buffer_bytes = 100
    with pytest.raises(ValueError, match=r"model\.switch\.input_buffer_bytes is 100"):
        model.validate(2048)
    assert model.to_dict()["switch"]["input_buffer_bytes"] == 100


def test_tables_may_be_set_in_mid_run() -> None:
    on = tables(two_switch().fabric)
    never = incast(tables=None).run()
    later = incast(tables=None, reprogram=[(0.0205, on)]).run()
    assert np.array_equal(later.received_bytes[:, :20], never.received_bytes[:, :20])
    assert not np.array_equal(later.received_bytes, never.received_bytes)
    assert later.ports["fecn_marked"].sum() > 0 == never.ports["fecn_marked"].sum()
    again = incast(reprogram=[(0.01, on), (0.0205, on)]).run()
    assert np.array_equal(again.received_bytes, incast().run().received_bytes)
    with pytest.raises(ValueError, match="another fabric"):
        incast(reprogram=[(0.01, tables(one_switch(3).fabric))])
    with pytest.raises(ValueError, match="reprogram"):
        incast(reprogram=[(-1.0, on)])


def test_devices_log_congestion() -> None:
    assert incast(tables=None).run().congestion_logs == {"switches": [], "cas": []}
    bed = two_switch()
    profile = Profile.from_text(PROFILE.replace("ccti_min: 0", "ccti_min: 0, trigger_threshold: 2"))
    logs = incast(tables=profile.resolve(bed.fabric)).run().congestion_logs
    (at_root,) = [log for log in logs["switches"] if log["node"] == 1]
    assert 5 in at_root["marked_ports"]
    assert 0 < len(at_root["entries"]) <= 15
    assert at_root["events"] >= len(at_root["entries"])
    assert {entry["dst"] for entry in at_root["entries"]} <= {bed.hosts[3], bed.hosts[4]}
    assert logs["cas"]
    for log in logs["cas"]:
        assert log["sls"] == [0]
        assert all(entry["qp"] == 0 and entry["remote"] in bed.hosts for entry in log["entries"])


def test_service_levels_are_set_on_the_fabric() -> None:
    shares = []
    for low in ((), ((0, 33), (1, 99))):
        bed = one_switch(3)
        bed.fabric.set_sl_to_vl(None, 0, 1, [0, 1] * 8)
        if low:
            bed.fabric.set_vl_arbitration(0, 3, low=low)
        flows = [ccsim.Flow(src=bed.hosts[sl], dst=bed.hosts[2], sl=sl) for sl in (0, 1)]
        received = ccsim.Simulation(bed.fabric, flows, duration_s=0.02, sample_interval_s=0.001).run().received_bytes
        shares.append(received[0, 1:].sum() / received[:, 1:].sum())
    assert shares == pytest.approx([0.5, 0.25], rel=0.01)
    with pytest.raises(ValueError, match="there are 16 SLs"):
        bed.fabric.set_sl_to_vl(None, 0, 1, [0])
    with pytest.raises(ValueError, match="VL 15"):
        bed.fabric.set_vl_arbitration(None, 0, low=[(15, 1)])
