# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""python -m build_tools.lanes choose|settle|explain: what build_tools/test.sh asks before and after the tests run.

    choose   says which lanes run and why, and writes for test.sh into build/lanes: python.txt (test files), native.txt (programs)
             and ui.txt; what does not run has no file
    settle   says what to do about lanes that failed, and keeps what was learnt
    explain  the lanes that a change of these files touches

Exit codes: 0; 1 a lane failed; 2 what was asked for cannot be done, and a sentence says why.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from build_tools.lanes import choice, records, trees
from build_tools.lanes.errors import LanesError
from build_tools.lanes.names import NATIVE, UI, lane_of, program_of, repeat_command

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/lanes"
PYTHON_RESULTS = ROOT / "build/steps/python.json"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m build_tools.lanes", description="Tells which tests a change can break.")
    commands = parser.add_subparsers(dest="command", required=True)
    asked = commands.add_parser("choose", help="which lanes run")
    asked.add_argument("--lanes", default="", help="all, or names of lanes; by default those that the changes touch")
    asked.add_argument(
        "--since", default="", help="the commit to compare with; by default the last for which all lanes passed here"
    )
    settled = commands.add_parser("settle", help="what came of them")
    settled.add_argument("--preset", required=True, help="with which the tests in C and C++ were built")
    settled.add_argument("--quick", action="store_true", help="not all tests of the lanes ran")
    settled.add_argument("--failed", action="append", default=[], choices=["python", "native", "ui"], help="a step that failed")
    explained = commands.add_parser("explain", help="the lanes that a change of files touches")
    explained.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    try:
        if options.command == "choose":
            return _choose(options.lanes.split(), options.since)
        if options.command == "settle":
            return _settle(options.preset, options.failed, quick=options.quick)
        return _explain(options.files)
    except LanesError as error:
        print(f"lanes: {error}", file=sys.stderr)
        return 2


def _choose(names: Sequence[str], since: str) -> int:
    made = choice.named(ROOT, names) if names else choice.since(ROOT, since or None)
    choice.keep(ROOT, made, trees.now(ROOT))
    records.new_folder(ROOT)
    PYTHON_RESULTS.unlink(missing_ok=True)
    native = [program_of(lane) for lane in made.lanes if lane in NATIVE]
    _write("python.txt", "".join(f"{test}\n" for test in made.tests))
    _write("native.txt", "".join(f"{program}\n" for program in native))
    _write("ui.txt", "all\n" if UI in made.lanes else "")
    print("\n".join(made.reasons))
    if made.left_out:
        whole = choice.everything(ROOT)
        runs = [f"{lane} ({len(tests)} of {len(whole[lane])} files)" if tests else lane for lane, tests in made.lanes.items()]
        print(f"Lanes that run: {', '.join(runs) or 'none'}.")
        print(f"Left out: {', '.join(made.left_out)}. `make test LANES=all` runs them too.")
    return 0


def _write(name: str, text: str) -> None:
    if text:
        (FOLDER / name).write_text(text, encoding="utf-8")
    else:
        (FOLDER / name).unlink(missing_ok=True)


def _settle(preset: str, steps: Sequence[str], *, quick: bool) -> int:
    made, before = choice.kept(ROOT)
    failed: list[str] = []
    ran_whole = False
    if made.tests:
        results: dict[str, Any] = json.loads(PYTHON_RESULTS.read_text("utf-8")) if PYTHON_RESULTS.exists() else {}
        ran_whole = not quick and bool(results.get("whole"))
        if "python" in steps:
            failed += sorted({lane_of(test) for test in results.get("failed", ())}) or ["tests in Python"]
        records.keep(ROOT, made.tests if ran_whole else ())
    if "native" in steps:
        failed += _failed_native(preset, [lane for lane in made.lanes if lane in NATIVE])
    if "ui" in steps:
        failed.append(UI)
    if failed:
        print("Lanes that failed, and what repeats each alone:")
        for lane in failed:
            print(f"  {lane}: {repeat_command(lane) if lane in made.lanes else 'see above'}")
        return 1
    if quick or not made.is_next or (made.tests and not ran_whole):
        return 0
    if before is not None and before == trees.now(ROOT):
        trees.keep_passed(ROOT, before)
        print(f"All lanes pass for {before}: the next `make test` compares with it.")
    return 0


def _failed_native(preset: str, lanes: Sequence[str]) -> Sequence[str]:
    """All where what ctest wrote does not tell: they could not be built."""
    file = ROOT / "build" / preset / "Testing/Temporary/LastTestsFailed.log"
    names = re.findall(r"^\d+:(\w+?)(?:_\d+)?$", file.read_text("utf-8"), re.MULTILINE) if file.exists() else []
    return [lane for lane in lanes if lane.removeprefix("native/") in names] or lanes


def _explain(files: Sequence[str]) -> int:
    opened = records.known(ROOT)
    if not opened:
        raise LanesError("no run has recorded here what tests open; `make test` does")
    found = choice.dependencies(ROOT, opened)
    for file in files:
        if not (ROOT / file).exists():
            raise LanesError(f"there is no file '{file}' in {ROOT}; a path relative to that would be right")
        made = choice.chosen(ROOT, found, {file: "M"}, file, is_next=False)
        print("\n".join(made.reasons))
        print(f"  {', '.join(made.lanes) or 'no lane'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
