# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import random

import numpy as np

from tests.tuner.report.plots.fabric_cases import generated, node, parsed, wiring
from tuner.documents.fabric import FabricDocument
from tuner.report.plots import fabric_rows
from tuner.report.plots.fabric_geometry import Layout


def placed(document: FabricDocument, *, directed: bool = False) -> Layout:
    return fabric_rows.place(wiring(document), directed=directed)


def test_levels_are_rows_from_the_leaves_up() -> None:
    document = generated("k-ary-n-tree", k=2, n=3)
    layout = placed(document)
    heights = [layout.switches[node(document, name)][1] for name in ("S1-1", "S2-1", "S3-1")]
    assert heights == [0, fabric_rows.ROW_IN, 2 * fabric_rows.ROW_IN]
    assert [label.split("\n")[0] for _, label in layout.rows] == ["leaves", "level 2", "level 3", "8 hosts:"]


def test_hosts_are_below_their_leaf_each_by_itself_where_there_are_few() -> None:
    document = generated("leaf-spine", leaves=2, spines=1, hosts_per_leaf=3)
    layout = placed(document)
    assert [bar.name for bar in layout.bars] == [f"H{i}" for i in range(1, 7)]
    assert all(bar.at[1] < 0 for bar in layout.bars)
    assert np.mean([bar.at[0] for bar in layout.bars[:3]]) == layout.switches[node(document, "S1-1")][0]
    crowd = placed(generated("leaf-spine", leaves=4, spines=1, hosts_per_leaf=18))
    assert [len(bar.hosts) for bar in crowd.bars] == [18] * 4


def test_unfolded_every_switch_but_the_topmost_stands_twice() -> None:
    document = generated("leaf-spine", leaves=3, spines=2, hosts_per_leaf=3)
    layout = placed(document, directed=True)
    assert layout.senders is not None
    top, leaf = node(document, "S2-1"), node(document, "S1-1")
    assert (layout.senders[top] == layout.switches[top]).all()
    assert layout.senders[leaf][1] > layout.switches[top][1] > layout.switches[leaf][1]
    (up_from, up_to), (down_from, down_to) = layout.ends(leaf, top), layout.ends(top, leaf)
    assert (up_from == layout.senders[leaf]).all()
    assert (up_to == down_from).all()
    assert (down_to == layout.switches[leaf]).all()


def test_two_switches_side_by_side_stay_folded() -> None:
    assert placed(generated("dumbbell", left=2, right=2), directed=True).senders is None


def test_subtrees_are_kept_together_in_whatever_order_they_are_listed() -> None:
    document = generated("k-ary-n-tree", k=4, n=3)
    switches = list(document.switches)
    random.Random(3).shuffle(switches)
    shuffled = document.model_copy(update={"switches": tuple(switches)})
    layout = placed(shuffled)

    def crossed(these: FabricDocument, of: Layout) -> float:
        """How far links between the two lower levels lead to the side."""
        pairs = [(a.node, b.node) for _, a, b in these.ends() if max(a.node, b.node) < len(these.switches)]
        return float(sum(abs(of.switches[a][0] - of.switches[b][0]) for a, b in pairs if of.switches[[a, b], 1].min() == 0))

    assert crossed(shuffled, layout) < 1.05 * crossed(document, placed(document))


def test_links_within_a_row_pass_above_what_stands_between() -> None:
    document = parsed(
        "name: chain\nswitches: [{name: A, ports: 4}, {name: B, ports: 4}, {name: C, ports: 4}]\n"
        "hosts: [{name: HA}, {name: HB}, {name: HC}]\nlinks:\n"
        + "".join(f"- {{a: H{name}/1, b: {name}/1, rate: 4xHDR}}\n" for name in "ABC")
        + "- {a: A/2, b: B/2, rate: 4xHDR}\n- {a: A/3, b: C/3, rate: 4xHDR}\n"
    )
    layout = placed(document)
    assert set(layout.bends) == {(0, 2)}
    assert layout.bends[0, 2][1] > 0


def test_a_host_of_two_switches_is_counted_once() -> None:
    document = parsed(
        "name: rails\nswitches: [{name: A, ports: 2}, {name: B, ports: 2}]\nhosts: [{name: H, ports: 2}]\n"
        "links: [{a: H/1, b: A/1, rate: 4xHDR}, {a: H/2, b: B/1, rate: 4xHDR}]\n"
    )
    layout = placed(document)
    assert len(layout.bars) == 2
    assert "1 hosts:" in layout.rows[-1][1]
