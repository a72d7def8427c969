# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.documents.node_sets import expand


def test_the_nodes_of_a_set_are_all_there_by_name() -> None:
    assert expand("node[08-10],login") == ("login", "node08", "node09", "node10")


@pytest.mark.parametrize("text", ["", "node[", "@all", "-oProxyCommand", "node[1-65537]"])
def test_what_is_no_set_of_hosts_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(ValueError, match="^is '"):
        expand(text)


@given(st.text(max_size=40))
def test_any_text_is_a_set_of_nodes_or_refused(text: str) -> None:
    try:
        nodes = expand(text)
    except ValueError:
        return
    assert nodes
    assert all(not node.startswith("-") and node.isascii() and node.isprintable() for node in nodes)
