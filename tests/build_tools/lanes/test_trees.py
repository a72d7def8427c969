# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What has changed is found whether it is committed or not."""

from pathlib import Path

import pytest

from build_tools.lanes import trees
from build_tools.lanes.errors import LanesError
from tests.build_tools.lanes.conftest import git, write


def present(root: Path) -> trees.State:
    state = trees.now(root)
    assert state is not None
    return state


def test_all_differences_are_found(clone: Path) -> None:
    before = present(clone)
    assert not before.changed
    write(clone, {"tuner/errors.py": "changed", "tuner/new.py": "", "build/ignored": ""})
    (clone / "tuner/unused.py").unlink()
    git(clone, "mv", "docs/kinds.md", "docs/sorts.md")
    after = present(clone)
    assert after.changed
    assert trees.differences(clone, before, after) == {
        "tuner/errors.py": "M",
        "tuner/new.py": "A",
        "tuner/unused.py": "D",
        "docs/kinds.md": "D",
        "docs/sorts.md": "A",
    }


def test_asking_changes_nothing_in_the_clone(clone: Path) -> None:
    write(clone, {"tuner/errors.py": "changed", "tuner/new.py": ""})
    before = git(clone, "status", "--porcelain")
    present(clone)
    assert git(clone, "status", "--porcelain") == before


def test_committing_what_passed_is_no_difference(clone: Path) -> None:
    write(clone, {"tuner/errors.py": "changed"})
    trees.keep_passed(clone, present(clone))
    git(clone, "commit", "--quiet", "--all", "--message", "The second")
    passed = trees.passed(clone)
    assert passed is not None
    assert trees.differences(clone, passed, present(clone)) == {}


def test_an_unknown_commit_is_refused(clone: Path) -> None:
    with pytest.raises(
        LanesError, match="SINCE is 'nonsense', which git does not know; a commit, such as HEAD~1, would be right"
    ):
        trees.of_commit(clone, "nonsense")


def test_without_git_nothing_is_known(repository: Path) -> None:
    assert trees.now(repository) is None
    (repository / "build/lanes").mkdir(parents=True)
    (repository / "build/lanes/passed.json").write_text("{not JSON")
    assert trees.passed(repository) is None
