# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric downgrade-check` where no plugin runs."""

from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command


@pytest.mark.parametrize(("version", "code", "why"), [("latest", 2, "IBCC0872: 'latest' is no release"), ("0.1", 3, "IBCC0801")])
def test_a_word_that_is_no_release_is_said_without_a_plugin(
    command: Command, tmp_path: Path, version: str, code: int, why: str
) -> None:
    told = command("fabric", "downgrade-check", version, "--socket", tmp_path / "none.sock")
    assert (told.code, why in told.err) == (code, True), told.err
