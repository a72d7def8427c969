# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric with two subnet managers, each with the plugin: the service asks the one that is master, whichever that is."""

from pathlib import Path

import pytest

from api.fabric_drivers.plugin import PluginKind
from api.fabric_drivers.plugin_sockets import first_socket, master_socket
from api.fabric_drivers.registry import FabricSpec, connect
from api.fabric_drivers.sight import Lookout
from tests.api.fabric_drivers.conformance import OFF
from tests.api.fabric_drivers.memory import PlainMemory
from tests.emulator.conftest import Emulate
from tests.opensm_plugin.plugin_process import SOON_TAKEN_OVER, Load, PluginBed
from tests.opensm_plugin.test_nvidia import await_that
from tuner.documents.fabric import load_fabric
from tuner.errors import BadInputError, UnreachableError


def spec(*sockets: Path | str) -> FabricSpec:
    first, *others = map(str, sockets)
    return FabricSpec(name="site", kind="plugin", options={"socket": first, "other_sockets": others})


def asked(site: FabricSpec) -> tuple[Path, str | None]:
    fabric = connect(site, PlainMemory())
    role = fabric.state().sm_state
    fabric.close()
    return master_socket(site.options), role


def test_the_service_follows_the_master(plugin_bed: PluginBed) -> None:
    with (
        plugin_bed.opensm(OFF, more_options=SOON_TAKEN_OVER, node="H1", state="first") as first,
        plugin_bed.opensm(more_options=SOON_TAKEN_OVER, node="H7", state="second", up=False) as second,
    ):
        first.await_done()
        second.await_line("standby: another subnet manager is MASTER")
        both = first.setup.socket, second.setup.socket
        sites = spec(*both), spec(*reversed(both))
        assert [asked(site) for site in sites] == [(both[0], "master")] * 2
        lookout = PluginKind().lookout(sites[1])
        assert lookout.look().knows
        first.opensm.kill()
        with pytest.raises(UnreachableError):
            lookout.look()
        lookout.close()
        assert asked(sites[0])[0] == both[1], "who answers is asked, also until it is master"
        second.await_done()
        assert [asked(site) for site in sites] == [(both[1], "master")] * 2
        assert first_socket(sites[0].options) == str(both[1])
        lookout = PluginKind().lookout(sites[0])
        assert lookout.look().knows
        lookout.close()


def test_a_lookout_leaves_whoever_hands_over(plugin_bed: PluginBed) -> None:
    """Its plugin still answers, and knows nothing any more."""
    with plugin_bed.opensm(OFF, more_options=SOON_TAKEN_OVER, node="H7", state="first") as first:
        first.await_done()
        others: list[str] = []
        site = FabricSpec(name="site", kind="plugin", options={"socket": str(first.setup.socket), "other_sockets": others})
        lookout = PluginKind().lookout(site)
        assert lookout.look().knows
        # The second OpenSM has the same priority and the lower GUID, so it ranks above the first.
        with plugin_bed.opensm(OFF, more_options=SOON_TAKEN_OVER, node="H1", state="second", up=False) as second:
            others.append(str(second.setup.socket))
            second.await_done()
            await_that(lambda: has_left(lookout))
            lookout.close()
            assert master_socket(site.options) == second.setup.socket


def has_left(lookout: Lookout) -> bool:
    try:
        lookout.look()
    except UnreachableError as error:
        return "is standby, and that of " in str(error)
    return False


def test_sockets_of_two_fabrics_are_none(load: Load, emulate: Emulate, plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm(OFF) as one, load(emulate(load_fabric("two-switch"))).opensm(OFF) as other:
        one.await_done()
        other.await_done()
        with pytest.raises(UnreachableError, match="are both master: the fabric has come apart, or these are sockets of two"):
            connect(spec(one.setup.socket, other.setup.socket), PlainMemory())


def test_where_none_answers_each_is_named(tmp_path: Path) -> None:
    paths = tmp_path / "one.sock", tmp_path / "other.sock"
    with pytest.raises(UnreachableError, match=r"at .*one\.sock \(No such file.*at .*other\.sock \(No such file"):
        connect(spec(*paths), PlainMemory())
    assert first_socket(spec(*paths).options) == str(paths[0])


@pytest.mark.parametrize(
    ("others", "refused"),
    [
        (["sm2.sock"], "options.other_sockets is 'sm2.sock'; it must be the absolute path"),
        (["/proc/self/fd/3"], "options.other_sockets is '/proc/self/fd/3', which each process"),
        (["/run/a.sock"], "options.other_sockets has '/run/a.sock' twice"),
        (["/run/b.sock", "/run/b.sock"], "options.other_sockets has '/run/b.sock' twice"),
    ],
)
def test_other_sockets_are_as_the_first(others: list[str], refused: str) -> None:
    with pytest.raises(BadInputError, match=refused.replace("(", r"\(")):
        PluginKind().check(spec("/run/a.sock", *others).options)
