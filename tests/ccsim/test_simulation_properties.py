# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Random small fabrics, workloads, profiles and models: what must hold of every lossless fabric."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ccsim
from ccsim.policy import Profile

RATES = ["1xSDR", "4xSDR", "4xDDR", "4xQDR", "4xFDR", "4xEDR", "4xNDR"]
MTUS = [256, 1024, 2048, 4096]


@st.composite
def fabrics(draw: st.DrawFn) -> tuple[ccsim.Fabric, list[int]]:
    """A random tree of one to four switches with two to eight hosts: trees have no credit loops."""
    fabric = ccsim.Fabric(mtu_bytes=draw(st.sampled_from(MTUS)))
    switches = [fabric.add_node(f"S{i}", "switch", guid=i + 1, num_ports=20) for i in range(draw(st.integers(1, 4)))]
    free = dict.fromkeys(switches, 1)

    def take(switch: int) -> int:
        free[switch] += 1
        return free[switch] - 1

    for i, switch in enumerate(switches[1:], 1):
        parent = switches[draw(st.integers(0, i - 1))]
        fabric.connect(switch, take(switch), parent, take(parent), rate=draw(st.sampled_from(RATES)))
    hosts = []
    for i in range(draw(st.integers(2, 8))):
        host = fabric.add_node(f"H{i}", "host", guid=100 + i, num_ports=1)
        limits = st.one_of(st.none(), st.floats(0.5, 50))
        fabric.set_host_limits(host, inject_gbps=draw(limits), receive_gbps=draw(limits))
        switch = draw(st.sampled_from(switches))
        propagation_ns = draw(st.sampled_from([0.0, 25.0, 1000.0]))
        fabric.connect(host, 1, switch, take(switch), rate=draw(st.sampled_from(RATES)), propagation_ns=propagation_ns)
        hosts.append(fabric.endport(host, 1))
    fabric.route_by("minhop")
    return fabric, hosts


@st.composite
def flow_sets(draw: st.DrawFn, hosts: list[int]) -> list[ccsim.Flow]:
    flows = []
    for _ in range(draw(st.integers(1, 6))):
        src, dst = draw(st.permutations(hosts))[:2]
        flows.append(
            ccsim.Flow(
                src=src,
                dst=dst,
                start_s=draw(st.sampled_from([0.0, 1e-5])),
                stop_s=2e-4,
                message_bytes=draw(st.sampled_from([1, 100, 2048, 5000, 65536])),
                qps=draw(st.integers(1, 3)),
                sl=draw(st.integers(0, 3)),
                rate_gbps=draw(st.one_of(st.none(), st.floats(0.1, 20))),
            )
        )
    return flows


@st.composite
def models(draw: st.DrawFn) -> ccsim.Model:
    model = ccsim.Model()
    model.num_vls = draw(st.integers(1, 3))
    model.switch.input_buffer_bytes = draw(st.integers(66, 300)) * 64
    model.switch.read_ports = draw(st.integers(1, 4))
    model.switch.routing_latency_ns = draw(st.sampled_from([0.0, 100.0]))
    model.switch.threshold_mode = draw(st.sampled_from(["voq", "sum", "contributing"]))
    model.switch.hysteresis_bytes = draw(st.sampled_from([0, 2112, 8448]))
    model.switch.root_test = draw(st.sampled_from(["crossing", "marking", "both"]))
    model.ca.input_buffer_bytes = draw(st.integers(66, 300)) * 64
    model.ca.becn_carrier = draw(st.sampled_from(["cnp", "ack"]))
    model.ca.becn_delay_ns = draw(st.sampled_from([0.0, 500.0]))
    model.ca.cnp_spacing_ns = draw(st.sampled_from([0.0, 4000.0]))
    model.ca.ack_every_packets = draw(st.sampled_from([1, 8, 32]))
    model.ca.ccti_timer = draw(st.sampled_from(["port_sl", "flow"]))
    model.ca.control_vl = draw(st.sampled_from(["data", "last"] if model.num_vls > 1 else ["data"]))
    return model


profiles = st.builds(
    lambda threshold, marking_rate, level, timer, increase, minimum: Profile.from_dict(
        {
            "ibcc_profile": 1,
            "name": "random",
            "link": {"rate_gbps": 16, "mtu_bytes": 2048},
            "switch": {"threshold": threshold, "marking_rate": marking_rate, "packet_size": 0, "victim_mask": "ca_ports"},
            "ca": {"level": level, "ccti_timer": timer, "ccti_increase": increase, "ccti_min": minimum},
            "cct": {"ccti_limit": 127, "curve": {"kind": "power", "full_scale_us": 7, "exponent": 2}},
        }
    ),
    st.integers(0, 15),
    st.integers(0, 3),
    st.sampled_from(["qp", "sl"]),
    st.integers(0, 20),
    st.integers(0, 5),
    st.integers(0, 3),
)


@pytest.mark.long
@given(st.data())
@settings(max_examples=60)
def test_every_packet_arrives_once_and_in_order(data: st.DataObject) -> None:
    """Flows stop after 0.2 ms; then the fabric runs dry.

    The engine itself refuses a packet out of order; what is left to check is that none is missing, and that no link or host
    carried more than it can.
    """
    fabric, hosts = data.draw(fabrics())
    flows = data.draw(flow_sets(hosts))
    model = data.draw(models())
    profile = data.draw(st.one_of(st.none(), profiles))
    result = ccsim.Simulation(
        fabric,
        flows,
        tables=profile.resolve(fabric) if profile else None,
        model=model,
        seed=data.draw(st.integers(0, 2**64 - 1)),
        duration_s=1.0,
        sample_interval_s=0.1,
    ).run()
    assert np.array_equal(result.flows["sent_packets"], result.flows["received_packets"])
    assert result.flows["sent_packets"].sum() > 0  # one flow may wait all the time for others of a slow host
    assert np.array_equal(result.received_bytes.sum(axis=1), result.flows["received_bytes"])
    ports = result.ports
    assert ports["xmit_packets"].sum() == ports["rcv_packets"].sum()
    assert ports["xmit_bytes"].sum() == ports["rcv_bytes"].sum()
    routes = [fabric.route(flow.src, flow.dst) for flow in flows if isinstance(flow.dst, int)]
    hops = sum(int(sent) * len(route) for sent, route in zip(result.flows["sent_packets"], routes, strict=True))
    assert result.packet_hops == hops
