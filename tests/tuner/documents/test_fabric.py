# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument, NodeNames, load_fabric
from tuner.errors import BadInputError

SMALL = """\
ibcc_fabric: 1
name: small
mtu_bytes: 2048
switches:
- {name: S1, guid: 0x10, ports: 4}
hosts:
- {name: H1, guid: 0x21, lid: 1}
- {name: H2, guid: 0x22, lid: 2}
links:
- {a: H1/1, b: S1/1, rate: 4xDDR}
- {a: S1/2, b: "guid:0x22/1", rate: 4xNDR, length_m: 3}
"""


def read(text: str) -> FabricDocument:
    return validate(FabricDocument, parse_document(text, source="f.yaml"))


def test_the_two_switch_bed_is_the_papers() -> None:
    fabric = load_fabric("two-switch")
    assert fabric.mtu_bytes == 2048
    assert [switch.ports for switch in fabric.switches] == [36, 36]
    assert {(host.inject_gbps, host.receive_gbps) for host in fabric.hosts} == {(13.0, 13.3)}
    assert sorted(link.rate for link in fabric.links) == ["4xDDR"] * 7 + ["4xQDR"]
    names = [node.name for node in fabric.nodes]
    neighbours = {names[a.node]: names[b.node] for _, a, b in fabric.ends()}
    assert neighbours == {"H1": "S1", "H2": "S1", "H3": "S1", "H4": "S2", "H5": "S2", "H6": "S2", "H7": "S2", "S1": "S2"}


def test_ends_and_delays() -> None:
    (first, a, b), (second, *_) = read(SMALL).ends()
    assert (a, b) == ((1, 1), (0, 1))
    assert (first.delay_ns, second.delay_ns) == (25.0, 15.0)


def test_nodes_without_a_guid_get_one_that_stays() -> None:
    fabric = read(SMALL.replace("guid: 0x21, ", "").replace("guid: 0x10, ", ""))
    guids = [fabric.guid_of(i) for i in range(3)]
    assert guids == [0x100, 0x200, 0x22]


def test_a_made_up_guid_is_none_that_the_document_gives() -> None:
    # H1 would get 0x200: once it is S1's, once within what S1's ports would follow on.
    for given in ("0x200", "0x1ff"):
        fabric = read(SMALL.replace("guid: 0x21, ", "").replace("0x10", given))
        assert [fabric.guid_of(i) for i in range(3)] == [int(given, 16), 0x400, 0x22]
        assert NodeNames(fabric).node(f"guid:{given}") == 0
    ported = SMALL.replace("guid: 0x21, ", "").replace(
        "guid: 0x22, lid: 2", "guid: 0x22, ports: 2, endports: [{port: 1, guid: 0x201}]"
    )
    assert read(ported).guid_of(1) == 0x400


@pytest.mark.parametrize(
    ("model", "line", "sentence"),
    [
        ("model:\n  num_vls: 1\n  swich: {read_ports: 2}\n", 14, "unknown setting 'model.swich.read_ports'; did you mean"),
        ("model:\n  switch:\n    read_ports: two\n", 14, "model.switch.read_ports is 'two'; a whole number is expected"),
        ("model:\n  switch:\n    input_buffer_bytes: 65536\n    read_ports: 0\n", 15, "model.switch.read_ports is 0; it must be"),
    ],
)
def test_the_devices_parameters_are_checked_at_reading(model: str, line: int, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        read(SMALL + model)
    assert error.value.sentence.startswith(sentence)
    assert (error.value.source, error.value.line) == ("f.yaml", line)


def test_guids_may_be_text_as_json_needs() -> None:
    assert read(SMALL.replace("0x21", "'0x21'")) == read(SMALL)


def test_names_may_hold_slashes() -> None:
    fabric = read(SMALL.replace("name: S1", "name: MF0;leaf:MQM9700/U1").replace("S1/", "MF0;leaf:MQM9700/U1/"))
    assert [b.port for _, _, b in fabric.ends()] == [1, 1]


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("S1/2", "S1/1", 11, "port 1 of 'S1' is used twice: by the links H1/1 - S1/1 and S1/1 - guid:0x22/1"),
        ("guid:0x22/1", "H1/1", 11, "port 1 of 'H1' is used twice: by the links H1/1 - S1/1 and S1/2 - H1/1"),
        ("S1/2", "S1/5", 11, "port 5 of 'S1' does not exist; it has ports 1 to 4"),
        ("S1/2", "S1/0", 11, "port 0 of 'S1' does not exist; it has ports 1 to 4"),
        ("S1/2", "S9/2", 11, "unknown node 'S9'; known are S1, H1, H2"),
        ("S1/2", "S1", 11, "'S1' is not NODE/PORT, such as S1/19"),
        ("guid:0x22/1", "guid:0x99/1", 11, "'guid:0x99' is not the GUID of a node of this fabric"),
        ("guid:0x22/1", "S1/3", 11, "the link S1/2 - S1/3 joins a node with itself"),
        ("4xNDR", "4xDRR", 11, "links[1] link rate '4xDRR' is not a width"),
        ("length_m: 3", "length_m: 3, propagation_ns: 5", 11, "links[1] gives both propagation_ns and length_m"),
        ("length_m: 3", "propagation_ns: 1e20", 11, "links[1].propagation_ns is 1e+20; it must be from 0 to 1e+09"),
        ("length_m: 3", "length_m: 1e20", 11, "links[1].length_m is 1e+20; it must be from 0 to 2e+08"),
        ("guid: 0x22", "guid: 0x21", 8, "GUID 0x0000000000000021 of 'H2' is also that of 'H1'"),
        ("lid: 2", "lid: 1", 8, "LID 1 of 'H2' is also that of 'H1'"),
        ("lid: 2", "lid: 49152", 8, "hosts[1].lid is 49152; it must be from 1 to 49151"),
        ("ports: 4", "ports: 255", 5, "switches[0].ports is 255; it must be from 1 to 254"),
        ("mtu_bytes: 2048", "mtu_bytes: 1500", 3, "mtu_bytes is 1500; it must be 256, 512, 1024, 2048 or 4096"),
        ("lid: 2", "lid: 2, inject_gbps: 0", 8, "hosts[1].inject_gbps is 0.0; it must be from 0.001 to 100000"),
        ("lid: 2", "lid: 2, kind: hub", 8, "hosts[1].kind is 'hub'; it must be 'host', 'aggregation' or 'router'"),
        ("lid: 2", "lid: 2, ports: 2", 8, "hosts[1] has 2 ports, so each has its own lid and guid"),
        ("lid: 2", "endports: [{port: 2}]", 8, "hosts[1] lists a port under endports that it does not have; it has 1"),
        ("ports: 4", "prots: 4", 5, "unknown key 'prots'; did you mean 'ports'? (in switches[0])"),
        (
            "name: H2",
            "name: H1",
            10,
            "'H1' is the description of 2 nodes; use one of guid:0x0000000000000021, guid:0x0000000000000022",
        ),
    ],
)
def test_mistakes_have_a_sentence_and_a_line(old: str, new: str, line: int, sentence: str) -> None:
    assert SMALL.count(old) >= 1
    with pytest.raises(BadInputError) as error:
        read(SMALL.replace(old, new, 1))
    assert error.value.sentence.startswith(sentence)
    assert error.value.line == line


def test_what_is_computed_of_a_fabric_is_computed_anew_of_a_copy() -> None:
    fabric = read(SMALL)
    assert (len(fabric.nodes), len(list(fabric.ends())), fabric.guid_of(0)) == (3, 2, 0x10)
    copy = fabric.model_copy(update={"switches": (), "hosts": fabric.hosts, "links": ()})
    assert (len(copy.nodes), list(copy.ends()), copy.guid_of(0)) == (2, [], 0x21)
    assert len(list(fabric.ends())) == 2


def test_a_fabric_that_was_read_keeps_the_lines_of_its_forwarding_only(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(SMALL + "forwarding:\n  S1: {H2: 3}\n")
    error = load_fabric(file).bad_forwarding("S1", "H2", "is bad")
    assert (error.source, error.line) == (str(file), 13)
    origin = load_fabric(file)._origin.document
    assert origin is not None
    assert {place[0] for place in origin.lines} == {"forwarding"}


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        ("routing: minhob", "f.yaml:12: routing 'minhob' is not known; there are dmodk, dor, minhop"),
        ("roots: [S1]", "f.yaml:12: roots are for the routing updown; this fabric's routing is minhop"),
        ("routing: updown\nroots: [S1, S7]", "f.yaml:13: unknown node 'S7'"),
        ("routing: updown\nroots: [H1]", "f.yaml:13: 'H1' is not a switch"),
    ],
)
def test_routings_and_roots_that_do_not_fit_are_errors(extra: str, sentence: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read(SMALL + extra)
    assert sentence in str(caught.value)


def test_a_switch_may_have_a_place() -> None:
    switch = read(SMALL.replace("ports: 4", "ports: 4, at: [0, 3]")).switches[0]
    assert switch.at == (0, 3)
    with pytest.raises(BadInputError, match="it must be from 0 to 65535"):
        read(SMALL.replace("ports: 4", "ports: 4, at: [-1]"))
