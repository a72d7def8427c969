# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What browsers have to load, and that it is made for the service that is here."""

import gzip
from pathlib import Path

import pytest

from build_tools.openapi import openapi_text

MOST_BYTES = 1_000_000


def test_the_bundle_is_under_a_megabyte_compressed(built: Path) -> None:
    sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in built.rglob("*") if file.is_file()}
    assert sum(sizes.values()) < MOST_BYTES, sizes


@pytest.mark.parametrize("chunk", ["engine", "code_mirror"])
def test_charts_and_editors_are_loaded_when_they_are_needed(built: Path, chunk: str) -> None:
    page = (built / "index.html").read_text()
    (name,) = [file.name for file in (built / "assets").glob(f"{chunk}-*.js")]
    assert name not in page


def test_the_lock_file_names_no_registry(root: Path) -> None:
    assert "resolved" not in (root / "api/ui/package-lock.json").read_text()


def test_the_interface_is_built_for_the_services_openapi(built: Path, root: Path) -> None:
    """`make ui` checks the sources against types that are made from build/openapi.json: it is the service's that is here."""
    assert (root / "build/openapi.json").read_text(encoding="utf-8") == openapi_text(), "run: make ui"
