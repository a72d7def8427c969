# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.opensm.log import parse


def test_a_line_is_its_level_and_its_text() -> None:
    line = parse("Nov 21 15:51:31 328852 [F3C5D6C0] 0x01 -> construct_fabric: ERR AB2B: More than one root\n", arrived_s=2.5)
    assert line is not None
    assert (line.level, line.text, line.arrived_s) == (1, "construct_fabric: ERR AB2B: More than one root", 2.5)
    assert line.is_error


def test_only_level_1_is_an_error() -> None:
    greeting = parse("Nov  1 15:51:31 242203 [F6C64740] 0x03 -> OpenSM 3.3.23")
    assert greeting is not None
    assert not greeting.is_error


def test_the_engine_is_the_one_whose_tables_were_set_not_one_that_failed() -> None:
    start = "Nov 21 15:51:31 329690 [F3C5D6C0] "
    tried = parse(f"{start}0x01 -> ucast_mgr_route: ftree: cannot build lid matrices")
    used = parse(f"{start}0x02 -> osm_ucast_mgr_process: torus-2QoS tables configured on all switches")
    assert tried is not None
    assert used is not None
    assert (tried.engine, used.engine) == (None, "torus-2QoS")


def test_subnet_up() -> None:
    line = parse("Nov 21 15:51:31 337433 [F3C5D6C0] 0x80 -> SUBNET UP")
    assert line is not None
    assert line.is_subnet_up


def test_what_is_no_line_of_the_log_is_none() -> None:
    assert parse("Using default GUID 0x100001\n") is None
    assert parse("") is None
