# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of the work tree as git has them: what passed, and what has changed since."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from build_tools.lanes.errors import LanesError


@dataclass(frozen=True)
class State:
    """A state of all files that git does not ignore, committed or not."""

    tree: str
    """git's name of it."""
    commit: str
    """The commit that was checked out."""
    changed: bool
    """Whether files differed from that commit."""

    def __str__(self) -> str:
        return f"{self.commit[:8]}{' with changes that were not committed' if self.changed else ''}"


def now(root: Path) -> State | None:
    """The present state, which git keeps for some weeks; None where git is missing or refuses the folder, or that is no clone."""
    if shutil.which("git") is None or not (root / ".git").exists():
        return None
    try:
        return _state(root)
    except LanesError:
        return None


def _state(root: Path) -> State:
    commit = _git(root, "rev-parse", "HEAD")
    index = Path(_git(root, "rev-parse", "--git-path", "index"))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "index")
        shutil.copy2(root / index, copy)
        variables = {**os.environ, "GIT_INDEX_FILE": str(copy)}
        _git(root, "add", "--all", ".", environment=variables)
        tree = _git(root, "write-tree", environment=variables)
    return State(tree, commit, tree != _git(root, "rev-parse", f"{commit}^{{tree}}"))


def of_commit(root: Path, name: str) -> State:
    """The state that a commit has. Raises LanesError for a name that git does not know."""
    try:
        commit = _git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except LanesError as error:
        raise LanesError(f"SINCE is '{name}', which git does not know; a commit, such as HEAD~1, would be right") from error
    return State(_git(root, "rev-parse", f"{commit}^{{tree}}"), commit, False)


def differences(root: Path, before: State, after: State) -> Mapping[str, str]:
    """What has changed: "A" (added), "M" (modified) or "D" (deleted) by file. A file that moved is deleted and added. Raises
    LanesError where git has not kept a state."""
    words = _git(root, "diff-tree", "-r", "-z", "--no-renames", "--name-status", before.tree, after.tree).split("\0")
    return {name: kind[:1].replace("T", "M") for kind, name in zip(words[::2], words[1::2], strict=False)}


def passed(root: Path) -> State | None:
    """The last state for which all lanes passed here."""
    try:
        return State(**json.loads(_file(root).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def keep_passed(root: Path, state: State) -> None:
    _file(root).parent.mkdir(parents=True, exist_ok=True)
    _file(root).write_text(json.dumps(asdict(state)), encoding="utf-8")


def _file(root: Path) -> Path:
    return root / "build/lanes/passed.json"


def _git(root: Path, *words: str, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(["git", *words], cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LanesError(f"git {words[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip("\n")
