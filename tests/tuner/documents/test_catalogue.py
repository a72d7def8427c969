# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.documents import catalogue
from tuner.errors import BadInputError


def test_packaged_documents_are_found_by_name_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "two-switch" in catalogue.names("fabric")
    assert catalogue.find("workload", "scenario-1").read_text().count("ibcc_workload: 1") == 1


def test_paths_have_a_folder_or_a_suffix(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("x")
    assert catalogue.find("fabric", mine) == mine
    assert catalogue.find("fabric", str(mine)) == mine
    assert catalogue.is_path("mine.yaml")
    assert not catalogue.is_path("mine")


def test_what_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="unknown fabric 'two-swich'; did you mean 'two-switch'"):
        catalogue.find("fabric", "two-swich")
    with pytest.raises(BadInputError, match=r"workload 'none\.yaml' does not exist"):
        catalogue.find("workload", "none.yaml")
    with pytest.raises(BadInputError, match="is not a file"):
        catalogue.find("workload", tmp_path)


def test_a_file_that_exists_is_never_an_unknown_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.conf").write_text("routing_engine ftree\n")
    (tmp_path / "two-switch").write_text("x")
    assert catalogue.find("profile", "site.conf") == Path("site.conf")
    assert catalogue.find("fabric", "two-switch").suffix == ".yaml", "packaged documents come first"
    with pytest.raises(BadInputError, match="unknown profile 'absent.conf'"):
        catalogue.find("profile", "absent.conf")


def test_references_in_documents_are_relative_to_them(tmp_path: Path) -> None:
    assert catalogue.anchored("a/b.yaml", tmp_path) == str(tmp_path / "a/b.yaml")
    assert catalogue.anchored("two-switch", tmp_path) == "two-switch"
