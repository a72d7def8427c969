# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Advice on routing: loads counted two ways, against OpenSM's tables, and what is chosen."""

import json
import random
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.fabric.strange_fabrics import (
    disguised,
    dragonfly_plus,
    fabric_of,
    storage_above,
    uneven_tree,
    without,
)
from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.forwarding import of_document
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.rerouting import rerouted, rerouted_as_advised, routing_named
from tuner.fabric.routes import Routes
from tuner.fabric.routing_advice import WINS, Advice, EngineAdvice, advise, curve, suited_shape
from tuner.fabric.topologies.base import generate


def engine(advice: Advice, routing: str, *, as_it_is: bool = False) -> EngineAdvice:
    return next(one for one in advice.engines if one.routing == routing and one.as_it_is == as_it_is)


def by_hand(document: FabricDocument) -> tuple[dict[tuple[int, int], int], int]:
    """Pairs of hosts that each direction of a link between switches carries, from single routes, and how many hosts there are."""
    built = build(document)
    hosts = [built.fabric.endport(one.node, one.port) for one in HostDirectory(document).endports if one.kind == "host"]
    between = {
        (own.node, own.port): 0
        for _, *ends in document.ends()
        for own, other in (ends, ends[::-1])
        if max(own.node, other.node) < len(document.switches)
    }
    for src, dst in permutations(hosts, 2):
        for hop in built.fabric.route(src, dst):
            if hop in between:
                between[hop] += 1
    return between, len(hosts)


FABRICS: list[FabricDocument] = [
    generate("k-ary-n-tree", k=3, n=3),
    generate("torus", dims=[4, 3], hosts_per_switch=2),
    generate("dragonfly", a=4, p=1, h=2, groups=4),
    generate("leaf-spine", leaves=5, spines=3, hosts_per_leaf=4, switch_rate="4xHDR"),
    without(generate("k-ary-n-tree", k=3, n=3), links=[5]),
    dragonfly_plus(3, 2, 2, 2),
]


@pytest.mark.parametrize("document", FABRICS, ids=lambda document: document.name)
def test_loads_are_those_of_the_single_routes(document: FabricDocument) -> None:
    advice = advise(document)
    for one in advice.engines:
        if one.loads is None:
            continue
        between, hosts = by_hand(rerouted(document, one.routing))
        loads = one.loads
        rate: dict[tuple[int, int], float] = {
            end: 400.0 if link.rate == "4xNDR" else 200.0 for link, *ends in document.ends() for end in ends
        }
        assert loads.directions == len(between)
        assert loads.used == sum(count > 0 for count in between.values())
        assert loads.busiest is not None
        assert between[loads.busiest.switch, loads.busiest.port] == loads.busiest.pairs
        worst = max([count / rate[end] for end, count in between.items()] + [(hosts - 1) / 400.0])
        assert loads.uniform_gbps == pytest.approx((hosts - 1) / worst)
        assert loads.sorted_shares[0] == pytest.approx(max(n / rate[end] for end, n in between.items()) * 400 / (hosts - 1))
        assert loads.unreachable_pairs == 0


def test_loads_of_tables_are_those_that_checks_count(root: Path) -> None:
    folder = root / "tests/data/opensm/fat-tree"
    document = import_fabric(folder / "ibnetdiscover.txt", routes=folder / "minhop.lfts.dump").fabric
    forwarding = of_document(document)
    expected = Routes(forwarding).loads[forwarding.peer >= 0]
    loads = engine(advise(document), "tables", as_it_is=True).loads
    assert loads is not None
    assert loads.busiest is not None
    assert loads.busiest.pairs == expected.max()
    assert loads.mean_pairs == pytest.approx(expected.mean())
    assert loads.used == (expected > 0).sum()


@pytest.mark.parametrize(("engine_name", "routing"), [("ftree", "dmodk"), ("updn", "updown"), ("minhop", "minhop")])
def test_on_a_tree_links_are_loaded_as_by_opensm(root: Path, engine_name: str, routing: str) -> None:
    folder = root / "tests/data/opensm/fat-tree"
    advice = advise(import_fabric(folder / "ibnetdiscover.txt", routes=folder / f"{engine_name}.lfts.dump").fabric)
    ours, theirs = engine(advice, routing).loads, engine(advice, "tables", as_it_is=True).loads
    assert ours is not None
    assert theirs is not None
    assert ours.sorted_shares == pytest.approx(theirs.sorted_shares)
    assert (ours.used, ours.upward_used) == (theirs.used, theirs.upward_used)


@pytest.mark.parametrize("seed", range(4))
def test_a_tree_is_routed_as_a_tree_in_whatever_order_it_is_listed(seed: int) -> None:
    advice = advise(disguised(generate("k-ary-n-tree", k=3, n=3), seed))
    assert advice.chosen == "dmodk"
    assert advice.opensm_engines == "ftree,updn"
    dmodk, minhop = engine(advice, "dmodk").loads, engine(advice, "minhop").loads
    assert dmodk is not None
    assert minhop is not None
    assert (dmodk.used, dmodk.shift_worst) == (108, 1.0)  # no two flows of a shift meet: Zahavi et al. 2010
    assert minhop.used < 108
    assert minhop.uniform_share < 0.6


def test_where_links_are_missing_the_engine_that_carries_a_tenth_more_goes_first() -> None:
    over = disguised(without(generate("xgft", m=[12, 6, 8], w=[1, 6, 3]), links=[4, 77]), 4)
    leaf_spine = disguised(without(generate("leaf-spine", leaves=9, spines=4, hosts_per_leaf=5), links=[2, 9, 30]), 6)
    for fabric, engines, chosen in ((over, "ftree,updn", "dmodk"), (leaf_spine, "updn,ftree", "updown")):
        advice = advise(fabric)
        assert (advice.opensm_engines, advice.chosen) == (engines, chosen)
        assert suited_shape(fabric) == advice.shape
    first, second = (engine(advise(over), routing).loads for routing in ("dmodk", "updown"))
    assert first is not None
    assert second is not None
    assert first.uniform_share >= WINS * second.uniform_share
    assert advise(over).shape.reason == "links are missing, and ftree carries 22 % here where updn carries 9 %"


def test_hosts_on_several_spines_get_no_engine_whose_routes_close_a_credit_loop() -> None:
    """OpenSM's ftree routes between such hosts down and up again; its routes are those of `dmodk`."""
    for storage, engines in (((2, 1), ("nue", "updn")), ((0, 3), ("updn", "ftree"))):
        whole = fabric_of([(leaf, 5 + spine) for leaf in range(5) for spine in range(2)], [6] * 5 + [*storage])
        assert advise(whole).shape.opensm == engines, "no link is missing, and a real OpenSM's tables have the loop all the same"
    for seed in range(12):
        fabric = disguised(storage_above(random.Random(seed)), seed)
        advice = advise(fabric)
        assert advice.shape.kind == "fat-tree"
        loop = engine(advice, "dmodk").credit_loop
        assert advice.shape.opensm == (("ftree", "updn") if loop is None else ("nue", "updn"))
        assert loop is None or "would close a credit loop here" in advice.shape.reason
        assert suited_shape(fabric) == advice.shape
        assert engine(advice, advice.chosen).usable


def test_an_engine_that_refuses_the_fabric_is_not_advised() -> None:
    """OpenSM's ftree wants all compute hosts equally far below the top."""
    advice = advise(uneven_tree())
    refused = engine(advice, "dmodk").refused
    assert refused is not None
    assert advice.shape.opensm == ("nue", "updn")
    assert advice.shape.reason.startswith(f"{refused}; nue closes none")
    assert suited_shape(uneven_tree()) == advice.shape


def test_a_torus_gets_coordinates_and_dimension_order() -> None:
    document = disguised(generate("torus", dims=[4, 5]))
    fabric, advice = rerouted_as_advised(document)
    assert (fabric.routing, advice.shape.kind) == ("dor", "torus")
    assert all(switch.at for switch in fabric.switches)
    assert build(fabric).credit_loop() is None
    assert engine(advice, "minhop").credit_loop is not None
    assert rerouted(document, "torus-2QoS") == fabric


def test_a_torus_with_a_missing_link_is_routed_round_it() -> None:
    fabric, advice = rerouted_as_advised(without(generate("torus", dims=[4, 5]), links=[7]))
    assert fabric.routing == "updown"
    assert "dor is refused (dimension order has no route" in advice.reason
    assert advice.shape.opensm[0] == "torus-2QoS"


def test_a_dragonfly_takes_what_has_no_credit_loop() -> None:
    advice = advise(generate("dragonfly", a=4, p=2, h=2))
    assert advice.chosen == "updown"
    assert "minhop gives 74 %, and has a credit loop" in advice.reason


def test_own_tables_are_kept_and_compared(root: Path) -> None:
    folder = root / "tests/data/opensm/ring"
    document = import_fabric(folder / "ibnetdiscover.txt", routes=folder / "minhop.lfts.dump").fabric
    fabric, advice = rerouted_as_advised(document)
    assert fabric == document
    assert engine(advice, "tables", as_it_is=True).credit_loop is not None
    assert any(sentence.startswith("routing tables with the tables that the document holds") for sentence in advice.sentences())
    assert rerouted(document, "minhop").lfts == {}


@pytest.mark.parametrize("hosts", [[], [0], [1], [1, 0]])
def test_fabrics_with_nothing_to_compare(hosts: list[int]) -> None:
    advice = advise(fabric_of([(0, 1)] if len(hosts) > 1 else [], hosts))
    assert advice.chosen == "minhop"
    assert "fewer than two hosts" in advice.reason
    json.dumps(advice.to_json(), allow_nan=False)


def test_of_parts_that_do_not_reach_each_other_the_largest_is_advised_on() -> None:
    advice = advise(fabric_of([(0, 1), (2, 3)], [1, 1, 2, 1]))
    loads = engine(advice, "minhop").loads
    assert loads is not None
    assert (loads.unreachable_pairs, advice.chosen) == (0, "minhop")
    assert advice.shape.text.startswith("2 subnets, which no link joins: ")
    assert "; subnet 2, the largest of 2: two switches" in advice.shape.text


def test_json_holds_what_the_documentation_lists(root: Path) -> None:
    document = advise(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=3)).to_json()
    text = (root / "docs/use/routing.md").read_text()
    assert all(f"| `{key}` |" in text for key in document if key != "fabric")
    loads: Mapping[str, Any] = document["engines"][0]["loads"]
    assert all(f"`{key}`" in text for key in (*document["engines"][0], *loads))
    json.dumps(document, allow_nan=False)


def test_curves_are_thinned_out() -> None:
    assert curve([]) == []
    assert curve([3.0]) == [3.0]
    assert curve(list(range(1000, -1, -1)), 11) == list(range(1000, -1, -100))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("fastest", "routing 'fastest' is not known; there are dmodk, dor, minhop, updown, and OpenSM's updn, ftree, torus-2QoS"),
        ("tables", "routing 'tables' is not known"),
        ("dfsssp", "ibcc does not compute the routes of OpenSM's dfsssp"),
    ],
)
def test_routings_that_nobody_can_give(name: str, sentence: str) -> None:
    with pytest.raises(BadInputError) as caught:
        routing_named(name)
    assert caught.value.sentence.startswith(sentence)


def test_names_of_opensm_are_taken_in_any_case() -> None:
    assert [routing_named(name) for name in ("ftree", "UPDN", "torus-2qos", "dor", "minhop")] == [
        "dmodk", "updown", "dor", "dor", "minhop",
    ]  # fmt: skip


def test_a_routing_that_does_not_fit_is_refused_with_the_reason() -> None:
    tree = generate("k-ary-n-tree", k=3, n=2)
    with pytest.raises(BadInputError, match="routing dor is for tori, meshes and hypercubes; fabric '.*' is none: fat tree"):
        rerouted(tree, "dor")
    with pytest.raises(BadInputError, match="is not a fat tree"):
        build(rerouted(generate("torus", dims=[4, 4]), "ftree"))


def test_hostile_names_are_short_and_printable_in_all_sentences() -> None:
    whole = generate("xgft", m=[2, 3, 4], w=[1, 2, 2])
    bad = "\x1b]0;owned\x07<script>[red]" * 2000
    switches = tuple(switch.model_copy(update={"name": bad}) for switch in whole.switches)
    names = {switch.name: f"guid:0x{whole.guid_of(i):x}" for i, switch in enumerate(whole.switches)}

    def end(text: str) -> str:
        name, _, port = text.rpartition("/")
        return f"{names.get(name, name)}/{port}"

    links = tuple(link.model_copy(update={"a": end(link.a), "b": end(link.b)}) for link in whole.links)
    guids = tuple(switch.model_copy(update={"guid": whole.guid_of(i)}) for i, switch in enumerate(switches))
    advice = advise(without(whole.model_copy(update={"switches": guids, "links": links}), links=[2]))
    assert advice.shape.missing
    assert all(sentence.isprintable() and len(sentence) < 1000 for sentence in advice.sentences())


@pytest.mark.long
def test_whatever_the_fabric_the_chosen_routing_reaches_all_without_credit_loops() -> None:
    for seed in range(150):
        rng = random.Random(seed)
        switches = rng.randrange(1, 14)
        links = [tuple(rng.sample(range(switches), 2)) for _ in range(rng.randrange(3 * switches) if switches > 1 else 0)]
        document = fabric_of(((a, b) for a, b in links), [rng.randrange(4) for _ in range(switches)])
        fabric, advice = rerouted_as_advised(document)
        built = build(fabric)
        json.dumps(advice.to_json(), allow_nan=False)
        if not advice.reason.startswith(("fewer than two hosts", "no routing reaches")):
            assert built.credit_loop() is None, seed
            assert built.unreachable() == [], seed
