# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routes that are followed at once are those that are followed one by one, on tables of real OpenSMs and on broken ones."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tuner.documents.lft import NO_ROUTE
from tuner.fabric.credit_loops import credit_loop, vls
from tuner.fabric.forwarding import NOTHING, Forwarding, SwitchRow, of_document
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.routes import Routes

CASES = ["ring/minhop", "ring/updn", "fat-tree/ftree", "fat-tree/minhop", "torus/torus-2QoS"]


@pytest.fixture(scope="module")
def dumps(root: Path) -> Path:
    return root / "tests/data/opensm"


def forwarding(dumps: Path, case: str) -> Forwarding:
    folder, engine = case.split("/")
    imported = import_fabric(dumps / folder / "ibnetdiscover.txt", routes=dumps / folder / f"{engine}.lfts.dump")
    return of_document(imported.fabric)


def followed(f: Forwarding, source: int, destination: int) -> tuple[list[tuple[int, int]], str]:
    """Switches and ports of one route, and how it ends."""
    s, hops = int(f.at_switch[source]), list[tuple[int, int]]()
    while True:
        port = int(f.out[s, destination])
        if port == NO_ROUTE:
            return hops, "no entry"
        if (s, port) in hops:
            return hops, "circle"
        hops.append((s, port))
        if f.attached[s, port] == destination:
            return hops, "arrived"
        if f.attached[s, port] != NOTHING:
            return hops, "another host"
        if f.peer[s, port] == NOTHING:
            return hops, "leads nowhere"
        s = int(f.peer[s, port])


def one_by_one(f: Forwarding) -> tuple[Counter[tuple[int, int]], Counter[str]]:
    """Pairs by switch and port, of routes that arrive; and pairs by the way their routes end."""
    loads: Counter[tuple[int, int]] = Counter()
    ends: Counter[str] = Counter()
    hosts = np.flatnonzero(f.is_host).tolist()
    for a in hosts:
        for b in hosts:
            if a != b:
                hops, end = followed(f, a, b)
                ends[end] += 1
                loads.update(hops if end == "arrived" else ())
    return loads, ends


def agree(f: Forwarding) -> Counter[str]:
    """Compares both; how many pairs end in which way."""
    routes = Routes(f)
    loads, ends = one_by_one(f)
    assert {(s, port): load for (s, port), load in np.ndenumerate(routes.loads) if load} == dict(loads)
    by_end: Counter[str] = Counter()
    for one in routes.missing:
        by_end[one.why] += one.pairs
        assert one.pairs >= one.destinations > 0
    assert by_end == Counter({end: count for end, count in ends.items() if end != "arrived"})
    assert routes.unreachable == routes.pairs - ends["arrived"]
    return ends


@pytest.mark.parametrize("case", CASES)
def test_routes_of_a_real_opensm_are_followed_alike(dumps: Path, case: str) -> None:
    assert set(agree(forwarding(dumps, case))) == {"arrived"}


@pytest.mark.parametrize("seed", range(8))
def test_routes_of_broken_tables_are_followed_alike(dumps: Path, seed: int) -> None:
    f = forwarding(dumps, "ring/updn" if seed % 2 else "fat-tree/ftree")
    random = np.random.default_rng(seed)
    out = f.out.copy()
    rows, columns = random.integers(0, out.shape[0], 12), random.integers(0, out.shape[1], 12)
    out[rows, columns] = random.choice([NO_ROUTE, 1, 2, 3, 4, 5, 0, 8], 12)
    assert len(agree(replace(f, out=out))) > 1


def test_each_way_to_lose_a_route_has_its_name(dumps: Path) -> None:
    """S0 to S5 form a ring: port 3 leads on, port 4 back, ports 1 and 2 to hosts."""
    f = forwarding(dumps, "ring/updn")
    s = [switch.name for switch in f.switches].index("S0")
    (far,) = [i for i, one in enumerate(f.destinations) if f.at_switch[i] != s and one.port == 1][:1]
    ends = {}
    for port in (NO_ROUTE, 0, int(np.flatnonzero(f.attached[s] != NOTHING)[0])):
        out = f.out.copy()
        out[s, far] = port
        (one,) = Routes(replace(f, out=out)).missing
        assert f.switches[one.switch].name == "S0"
        assert one.example[1] == far
        ends[port] = one.why
    assert list(ends.values()) == ["no entry", "leads nowhere", "another host"]
    out = f.out.copy()
    back = int(f.peer[s, int(f.out[s, far])])
    out[back, far] = next(port for port in range(1, 9) if f.peer[back, port] == s)
    assert {one.why for one in Routes(replace(f, out=out)).missing} == {"circle"}


@pytest.mark.parametrize(("engine", "used", "busiest"), [("ftree", 108, 24), ("minhop", 72, 54)])
def test_loads_are_those_that_docs_have(dumps: Path, engine: str, used: int, busiest: int) -> None:
    """Those of docs/use/routing.md for the 3-ary 3-tree with 54 links between switches, in both directions."""
    f = forwarding(dumps, f"fat-tree/{engine}")
    loads = Routes(f).loads[f.peer != NOTHING]
    assert loads.size == 108
    assert ((loads > 0).sum(), loads.max()) == (used, busiest)


def test_groups_tell_a_balanced_tree_from_another(dumps: Path) -> None:
    assert max(group.share for group in Routes(forwarding(dumps, "fat-tree/ftree")).groups) == pytest.approx(1.0, abs=0.34)
    worst = max(Routes(forwarding(dumps, "fat-tree/minhop")).groups, key=lambda group: group.share)
    assert worst.share == 3.0
    assert sorted(worst.pairs)[:2] == [0, 0]


def test_the_engine_with_a_credit_loop_is_found(dumps: Path) -> None:
    f = forwarding(dumps, "ring/minhop")
    loop = credit_loop(f)
    assert len(loop) == 6
    for one, then in zip(loop, (*loop[1:], loop[0]), strict=True):
        assert f.peer[one.switch, one.port] == then.switch
    for case in ("ring/updn", "fat-tree/ftree"):
        assert credit_loop(forwarding(dumps, case)) == ()


def test_a_loop_names_the_vls_of_pairs_of_ports(dumps: Path) -> None:
    """One switch of the ring sends by one port on VL 3, whatever the SL; all else goes on VL 0."""
    f = forwarding(dumps, "ring/minhop")
    first = credit_loop(f)[0]
    rows = []
    for s, row in enumerate(f.switches):
        tables = bytearray(row.ports * (row.ports + 1) * 8)
        if s == first.switch:
            begin = (first.port - 1) * (row.ports + 1) * 8
            tables[begin : begin + (row.ports + 1) * 8] = b"\x33" * ((row.ports + 1) * 8)
        rows.append(replace(row, sl2vl=bytes(tables)))
    loop = credit_loop(replace(f, switches=rows))
    assert {(one.switch, one.vl) for one in loop} == {(one.switch, 3 if one.switch == first.switch else 0) for one in loop}
    assert len(loop) == 6
    one_for_all = [replace(row, sl2vl=bytes([0x01, 0x23, 0x45, 0x67] * 2)) for row in f.switches]
    assert len(credit_loop(replace(f, switches=one_for_all))) == 6


def test_a_table_is_read_as_the_specification_has_it() -> None:
    table = bytes([0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF])
    assert vls(table, 4, 3, 2) == [*range(15), 0]
    assert vls(None, 4, 3, 2) == [0] * 16
    many = bytes(8) * (1 * 5 + 3) + table + bytes(8) * 11
    assert vls(many, 4, 3, 2) == [*range(15), 0]
    assert vls(many, 4, 2, 3) == [0] * 16


def test_what_is_no_switch_or_adapter_of_the_fabric_is_left_out() -> None:
    f = Forwarding([SwitchRow(1, "S", 2)], [], frozenset({frozenset({(1, 1), (9, 1)})}), np.zeros((1, 0), dtype=np.uint8))
    assert Routes(f).missing == []
    assert Routes(f).groups == []
    assert f.levels.tolist() == [0]
