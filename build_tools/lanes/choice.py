# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The lanes that one run of the tests has."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from build_tools.lanes import built, modules, records, trees
from build_tools.lanes.dependencies import Dependencies
from build_tools.lanes.errors import LanesError
from build_tools.lanes.names import ALL, NATIVE, UI, lane_of, python_lanes, python_tests


@dataclass(frozen=True)
class Choice:
    lanes: Mapping[str, Sequence[str]]
    """Test files by lane; none for a lane that is not in Python."""
    left_out: Sequence[str]
    """Names of lanes, and of lanes of which files are left out."""
    reasons: Sequence[str]
    """Sentences: what was compared, and what runs because of it."""
    is_next: bool
    """Whether all lanes are known to pass once these do: they are all, or those that the changes touch since all passed."""

    @property
    def tests(self) -> list[str]:
        return [test for tests in self.lanes.values() for test in tests]


def everything(root: Path) -> dict[str, Sequence[str]]:
    return {**python_lanes(python_tests(root)), **dict.fromkeys([*NATIVE, UI], ())}


def all_lanes(root: Path, reason: str) -> Choice:
    return Choice(everything(root), [], [reason], True)


def named(root: Path, names: Sequence[str]) -> Choice:
    """These lanes alone, whatever has changed. Raises LanesError for one that there is not."""
    if names == [ALL]:
        return all_lanes(root, "All lanes run.")
    known = everything(root)
    for name in names:
        if name not in known:
            raise LanesError(f"LANES has '{name}', which is no lane; {ALL} or some of {' '.join(known)} would be right")
    left_out = [lane for lane in known if lane not in names]
    return Choice(
        {name: known[name] for name in names}, left_out, [f"The lanes run that were asked for: {', '.join(names)}."], False
    )


def since(root: Path, name: str | None) -> Choice:
    """The lanes that the changes touch since a commit; by default since the last state for which all lanes passed here. All where
    that is not known."""
    present = trees.now(root)
    if present is None:
        return all_lanes(root, "All lanes run, as git cannot say here what has changed.")
    last = trees.passed(root)
    before = trees.of_commit(root, name) if name else last
    if before is None:
        return all_lanes(root, "All lanes run, as it is not known for which commit all of them passed here.")
    try:
        changes = trees.differences(root, before, present)
    except LanesError:
        return all_lanes(root, f"All lanes run, as git has not kept the state for which all of them passed here, {before}.")
    opened = records.known(root)
    if not opened:
        return all_lanes(root, "All lanes run, as no run has recorded here what tests open.")
    found = dependencies(root, opened)
    compared = f"Compared with {before}" + ("" if name else ", for which all lanes passed here")
    return chosen(root, found, changes, compared, is_next=name is None)


def dependencies(root: Path, opened: records.Opened) -> Dependencies:
    return Dependencies(python_tests(root), modules.graph(root, modules.default_cache(root)), opened, built.sources(root))


def chosen(root: Path, found: Dependencies, changes: Mapping[str, str], compared: str, *, is_next: bool) -> Choice:
    """The lanes that these changes touch."""
    known = everything(root)
    if not changes:
        return Choice({}, list(known), [f"{compared}: nothing differs, so no lane runs."], is_next)
    reasons = [f"{compared}: {len(changes)} {'files differ' if len(changes) > 1 else 'file differs'}."]
    touched: set[str] = set()
    for file, kind in sorted(changes.items()):
        by_file = found.broken_by(file, kind)
        if ALL in by_file:
            return all_lanes(root, f"{reasons[0]} All lanes run because of {file}.")
        touched |= by_file
        lanes = {lane_of(name) if name.endswith(".py") else name for name in by_file}
        reasons.append(f"  {file}: {len(lanes)} {'lane' if len(lanes) == 1 else 'lanes'}")
    by_lane = {lane: [test for test in tests if test in touched] for lane, tests in known.items()}
    runs = {lane: tests for lane, tests in by_lane.items() if tests or lane in touched}
    left_out = [lane for lane in known if lane not in runs]
    left_out += [f"{lane} in part" for lane in runs if len(runs[lane]) < len(known[lane])]
    return Choice(runs, left_out, reasons, is_next)


def keep(root: Path, choice: Choice, state: trees.State | None) -> None:
    _file(root).parent.mkdir(parents=True, exist_ok=True)
    _file(root).write_text(json.dumps({"choice": asdict(choice), "state": state and asdict(state)}, indent=1), encoding="utf-8")


def kept(root: Path) -> tuple[Choice, trees.State | None]:
    """What the run that has begun was to do. Raises LanesError where none has."""
    try:
        read = json.loads(_file(root).read_text("utf-8"))
    except OSError as error:
        raise LanesError("no lanes were chosen here; `make test` chooses them") from error
    return Choice(**read["choice"]), read["state"] and trees.State(**read["state"])


def _file(root: Path) -> Path:
    return root / "build/lanes/chosen.json"
