# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sockets that the service gives to the entries of a check, by the fabric that it has."""

import pytest

from api.database.models.fabric import Fabric
from api.services.checks.files import _entry
from tuner.documents.check_kinds import Place
from tuner.errors import BadInputError

PLUGIN: dict[Place, str] = {"plugin": "/run/p"}
EMULATED: dict[Place, str] = {"plugin": "/run/p", "emulator": "/run/e"}


@pytest.mark.parametrize(
    ("given", "sockets", "expected"),
    [
        ({"kind": "links"}, PLUGIN, {"kind": "links", "socket": "/run/p"}),
        ({"kind": "links"}, EMULATED, {"kind": "links", "socket": "/run/p", "emulated": "/run/e"}),
        ({"kind": "links", "topology": "discover"}, {}, {"kind": "links", "topology": "discover"}),
        ({"kind": "tables"}, EMULATED, {"kind": "tables", "socket": "/run/p"}),
    ],
)
def test_an_entry_gets_the_sockets_that_the_fabric_has(
    given: dict[str, str], sockets: dict[Place, str], expected: dict[str, str]
) -> None:
    assert _entry(given, 0, Fabric(name="f", kind="plugin"), sockets) == expected


@pytest.mark.parametrize(
    ("given", "sockets", "sentence"),
    [
        ({"kind": "links"}, {}, "kinds[0] is 'links', which needs the OpenSM plugin; fabric 'f' is plugin and has none"),
        ({"kind": "links", "emulated": "x"}, EMULATED, "kinds[0] has 'emulated'; the service itself decides"),
    ],
)
def test_an_entry_without_a_socket_is_refused(given: dict[str, str], sockets: dict[Place, str], sentence: str) -> None:
    with pytest.raises(BadInputError) as raised:
        _entry(given, 0, Fabric(name="f", kind="plugin"), sockets)
    assert sentence in str(raised.value)
