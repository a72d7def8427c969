# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.documents import catalogue
from tuner.documents.profile import load_profile, profile_revision
from tuner.errors import BadInputError


def test_packaged_profiles_are_found_by_name() -> None:
    assert load_profile("gran-2010").name == "gran-2010"
    assert not load_profile("off").enable


def test_settings_change_single_values() -> None:
    profile = load_profile("gran-2010", {"ca.ccti_timer": 200})
    assert profile.to_dict()["ca"]["ccti_timer"] == 200
    assert profile.diff(load_profile("gran-2010")) == [("ca.ccti_timer", 200, 150)]


def test_the_revision_tells_contents_apart() -> None:
    revisions = {profile_revision(load_profile("gran-2010", {"ca.ccti_timer": timer})) for timer in (150, 200)}
    assert len(revisions) == 2
    assert profile_revision(load_profile("gran-2010")) in revisions


def test_mistakes_are_bad_input_with_file_and_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    good = catalogue.find("profile", "gran-2010").read_text()
    bad.write_text(good.replace("threshold: 15", "threshold: 16"))
    line = next(i for i, text in enumerate(good.splitlines(), start=1) if "threshold: 15" in text)
    with pytest.raises(BadInputError) as error:
        load_profile(bad)
    assert (error.value.source, error.value.line) == (str(bad), line)
    assert "16" in error.value.sentence
    with pytest.raises(BadInputError, match="ccti_timer"):
        load_profile("gran-2010", {"ca.ccti_timer": 70000})
    with pytest.raises(BadInputError, match="unknown profile 'gran-2011'; did you mean"):
        load_profile("gran-2011")
