# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that somebody else has set by NVIDIA's attributes becomes a profile, which then sets nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tests.opensm_plugin.test_first_contact import SITE, set_by_opensm
from tests.opensm_plugin.test_nvidia import WRITE, both_kinds, comparable, is_off, mixed, tamper
from tests.tuner.cli.conftest import Command, command
from tuner.documents.profile import load_profile

__all__ = ["command", "mixed"]


def set_by_others(mixed: PluginBed) -> None:
    """Another plugin, of which the next one knows nothing, has set the fabric; and a host holds values of its own."""
    with mixed.opensm(both_kinds(), options=WRITE, state="others") as process:
        process.await_done()
    mixed.profile.unlink()
    tamper(mixed, "H1")


@contextmanager
def met(mixed: PluginBed, monkeypatch: pytest.MonkeyPatch) -> Iterator[PluginProcess]:
    with mixed.opensm(options=WRITE) as process:
        process.await_done("probe")
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        yield process
        assert process.errors == []


def test_what_was_found_becomes_a_profile_that_sets_nothing(
    mixed: PluginBed, monkeypatch: pytest.MonkeyPatch, command: Command, tmp_path: Path
) -> None:
    set_by_others(mixed)
    before = mixed.held()
    with met(mixed, monkeypatch):
        sets = mixed.count_mads("set")
        made = command("profile", "adopt", "--name", "site", "-o", tmp_path / "site.yaml")
        assert made.code == 0, made.err
        assert "no profile says" not in made.err
        assert sets() == 0
        document = load_profile(tmp_path / "site.yaml").to_dict()
        assert document["nvidia"]["adapter"]["rp"]["rpg_ai_rate"] == 7
        assert [one["nvidia"]["adapter"] for one in document["overrides"] if "ppcc" not in str(one)] == [
            {"rp": {"rpg_ai_rate": 99}}
        ]
        assert command("profile", "apply", tmp_path / "site.yaml", "--ttl", "60").code == 0
        assert command("profile", "rollback").code == 0
        assert sets() == 0, "nor does a trial run, or its end"
        assert command("profile", "apply", tmp_path / "site.yaml").code == 0
        assert sets() == 0
        assert comparable(mixed, mixed.held()) == comparable(mixed, before)
        assert command("profile", "verify").code == 0
        assert sets() == 0
        # They are ibcc's own from then on.
        assert command("profile", "apply", "off").code == 0
        assert is_off(mixed)


def test_what_no_profile_can_say_is_listed_with_attribute_held_and_said(
    mixed: PluginBed, monkeypatch: pytest.MonkeyPatch, command: Command, tmp_path: Path
) -> None:
    """Devices with both kinds are on by both: OpenSM's own manager has set annex A10's too."""
    set_by_others(mixed)
    set_by_opensm(mixed, SITE)
    with met(mixed, monkeypatch):
        made = command("profile", "adopt", "-o", tmp_path / "site.yaml")
        assert made.code == 1
        assert "no profile says all that S2 (0x" in made.err
        assert "Threshold of SwitchCongestionSetting is 15, and the profile says 0" in made.err
        assert "no profile says all that H1" not in made.err
        assert "2 devices would be sent" in made.err
