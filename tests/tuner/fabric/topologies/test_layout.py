# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.documents.fabric import Host, Link, Switch
from tuner.fabric.topologies.layout import Layout, LinkSettings


def test_what_is_added_stands_in_the_order_of_the_calls() -> None:
    layout = Layout(host_links=LinkSettings("4xEDR", None, 2.0), switch_links=LinkSettings("4xHDR", 10.0, None), inject_gbps=90.0)
    a, b = layout.switch("A", 4), layout.switch("B", 4, at=[1, 2])
    assert [layout.host(a, 1), layout.host(b, 3)] == ["H1", "H2"]
    layout.link(a, 2, b, 1)
    assert layout.switches == [Switch(name="A", ports=4), Switch(name="B", ports=4, at=(1, 2))]
    assert layout.hosts == [Host(name="H1", inject_gbps=90.0), Host(name="H2", inject_gbps=90.0)]
    assert layout.links == [
        Link(a="H1/1", b="A/1", rate="4xEDR", length_m=2.0),
        Link(a="H2/1", b="B/3", rate="4xEDR", length_m=2.0),
        Link(a="A/2", b="B/1", rate="4xHDR", propagation_ns=10.0),
    ]
