# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.errors import BadInputError

FABRIC = """\
ibcc_fabric: 1
name: mixed
mtu_bytes: 4096
switches:
- {name: leaf, guid: 0x10, ports: 12}
hosts:
- {name: node-a, guid: 0x20, lid: 1}
- {name: HCA, guid: 0x30, lid: 3}
- {name: HCA, guid: 0x31, lid: 4}
- {name: reducer, guid: 0x40, lid: 5, kind: aggregation}
- {name: gateway, guid: 0x50, lid: 6, kind: router}
- {name: loose, guid: 0x60}
- {name: dual, guid: 0x70, ports: 2, endports: [{port: 1, guid: 0x71, lid: 7}, {port: 2, guid: 0x72, lid: 8}]}
- {name: plain-dual, guid: 0x90, ports: 2}
- {name: "b*[1]", guid: 0xa0}
- {name: b1, guid: 0xb0}
links:
- {a: node-a/1, b: leaf/1, rate: 4xEDR}
- {a: "guid:0x30/1", b: leaf/2, rate: 4xEDR}
- {a: "guid:0x31/1", b: leaf/3, rate: 4xEDR}
- {a: reducer/1, b: leaf/4, rate: 4xEDR}
- {a: gateway/1, b: leaf/5, rate: 4xEDR}
- {a: dual/1, b: leaf/6, rate: 4xEDR}
- {a: dual/2, b: leaf/7, rate: 4xEDR}
- {a: plain-dual/1, b: leaf/8, rate: 4xEDR}
- {a: plain-dual/2, b: leaf/9, rate: 4xEDR}
- {a: "b*[1]/1", b: leaf/10, rate: 4xEDR}
- {a: b1/1, b: leaf/11, rate: 4xEDR}
"""


@pytest.fixture(scope="module")
def hosts() -> HostDirectory:
    return HostDirectory(validate(FabricDocument, parse_document(FABRIC, source="f.yaml")))


@pytest.mark.parametrize(
    ("reference", "node", "port"),
    [
        ("node-a", 1, 1),
        ("guid:0x20", 1, 1),
        ("guid:0x0000000000000020", 1, 1),
        ("lid:1", 1, 1),
        ("guid:0x31", 3, 1),
        ("lid:3", 2, 1),
        ("guid:0x72", 7, 2),
        ("lid:7", 7, 1),
        ("guid:0x92", 8, 2),  # a port's GUID is the node's plus the port number unless the document says otherwise
        ("b*[1]", 9, 1),
    ],
)
def test_a_host_is_a_unique_description_a_guid_or_a_lid(hosts: HostDirectory, reference: str, node: int, port: int) -> None:
    endport = hosts.find(reference)
    assert (endport.node, endport.port) == (node, port)


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        (
            "HCA",
            "host 'HCA' is ambiguous on fabric 'mixed'; it may be "
            "guid:0x0000000000000030 (lid 3), guid:0x0000000000000031 (lid 4)",
        ),
        (
            "dual",
            "host 'dual' is ambiguous on fabric 'mixed'; it may be "
            "guid:0x0000000000000071 (lid 7), guid:0x0000000000000072 (lid 8)",
        ),
        ("guid:0x70", "host 'guid:0x70' is ambiguous"),
        ("node-b", "unknown host 'node-b'; did you mean 'node-a'? (fabric 'mixed')"),
        ("leaf", "'leaf' is a switch on fabric 'mixed', not a host"),
        ("reducer", "'reducer' is an aggregation node of fabric 'mixed', not a host"),
        ("lid:6", "'lid:6' is a router of fabric 'mixed', not a host"),
        ("loose", "host 'loose' has no link on fabric 'mixed'"),
        ("lid:99", "no host has 'lid:99' on fabric 'mixed'"),
        ("guid:0x99", "no host has 'guid:0x99' on fabric 'mixed'"),
        ("lid:x", "no host has 'lid:x'"),
    ],
)
def test_what_is_not_one_host_is_an_error(hosts: HostDirectory, reference: str, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        hosts.find(reference)
    assert str(error.value).startswith(sentence)


def test_every_host_port_has_a_reference_that_finds_it(hosts: HostDirectory) -> None:
    own = [endport for endport in hosts.endports if endport.kind == "host"]
    assert len(own) == 9
    assert [hosts.find(hosts.reference(endport)) for endport in own] == own
    assert hosts.reference(own[0]) == "node-a"


@pytest.mark.parametrize(
    ("reference", "called"),
    [
        ("lid:1", "node-a"),
        ("guid:0x72", "dual/2"),
        ("guid:0x92", "plain-dual/2"),
        ("guid:0x31", "guid:0x31"),  # another host has the same description
        ("HCA", "HCA"),
        ("nobody", "nobody"),
    ],
)
def test_people_read_names_and_ports(hosts: HostDirectory, reference: str, called: str) -> None:
    assert hosts.called(reference) == called


def test_patterns_select_hosts_in_the_documents_order(hosts: HostDirectory) -> None:
    assert hosts.select("HCA*") == ["guid:0x0000000000000030", "guid:0x0000000000000031"]
    assert hosts.select("[nr]*") == ["node-a"]  # the aggregation node and the router are no hosts
    assert hosts.select("b*[1]") == ["b*[1]"]
    assert hosts.select("b?") == ["b1"]


def test_a_pattern_that_matches_nothing_is_an_error(hosts: HostDirectory) -> None:
    with pytest.raises(BadInputError, match="no host of fabric 'mixed' has a description like 'x\\*'"):
        hosts.select("x*")


def test_port_guids_stay_in_64_bits() -> None:
    """Found by fuzzing: an adapter with the largest GUID and several ports."""
    text = FABRIC.replace("guid: 0x90, ports: 2", "guid: 0xffffffffffffffff, ports: 2")
    document = validate(FabricDocument, parse_document(text, source="f.yaml"))
    guids = {endport.port: endport.guids for endport in HostDirectory(document).endports if endport.name == "plain-dual"}
    assert guids == {1: (0xFFFF_FFFF_FFFF_FFFF,), 2: (0xFFFF_FFFF_FFFF_FFFF, 1)}
