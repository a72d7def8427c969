# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Networks under which clients are counted."""

import pytest

from api.base.networks import is_among, network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        (None, "unknown"),
        ("testclient", "testclient"),
    ],
)
def test_an_address_is_counted_as_its_network(address: str | None, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("address", "named", "found"),
    [
        ("192.0.2.7", ["192.0.2.7"], True),
        ("192.0.2.7", ["198.51.100.0/24", "192.0.2.0/24"], True),
        ("192.0.2.7", ["*"], True),
        ("192.0.2.7", ["192.0.2.8", "2001:db8::/32", "proxy.example.org"], False),
        ("testclient", ["192.0.2.7"], False),
        ("192.0.2.7", [], False),
    ],
)
def test_an_address_is_among_some(address: str, named: list[str], found: bool) -> None:
    assert is_among(address, named) is found
