# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which tests have a second try, that it is by itself, and what the list keeps of it."""

from pathlib import Path

import pytest

from build_tools.second_tries import HEAD, LIST, faults

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]

CHANCE = """
import os, pytest
from pathlib import Path

def once(name):
    # Fails at the first try, as something that depends on luck does.
    mark = Path(name)
    if mark.exists(): return
    mark.touch()
    assert 1 == 2, f"{name} failed\\tfirst"

timing = pytest.mark.timing("it depends on luck")
"""

PASSES_THEN = "@timing\ndef test_chance(): once('chance')\n"
ALWAYS_FAILS = "@timing\ndef test_always(): assert 0\n"

ALONE: tuple[str, ...] = ()
WORKERS = ("--numprocesses=2", "--dist=loadfile")


@pytest.fixture
def inner(pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of tests with our plugin and markers."""
    pytester.makeconftest(
        "pytest_plugins = ['tests.second_try']\n"
        "def pytest_addoption(parser):\n    for name in ('quick', 'run-thorough', 'run-slow'):\n"
        "        parser.addoption('--' + name, action='store_true')\n"
    )
    pytester.makeini(
        "[pytest]\naddopts = --strict-markers -p no:cacheprovider -p xdist\nmarkers =\n  browser\n  timing(reason)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # to import them takes longer than all else here
    return pytester


def run(inner: pytest.Pytester, *options: str, **files: str) -> pytest.RunResult:
    inner.makepyfile(**{name: CHANCE + text for name, text in files.items()})
    return inner.runpytest_subprocess("--second-try", *options)


def listed(inner: pytest.Pytester) -> list[list[str]]:
    file = inner.path / LIST
    return [line.split("\t") for line in file.read_text().removeprefix(HEAD).splitlines()] if file.exists() else []


@pytest.mark.parametrize("options", [ALONE, WORKERS])
def test_what_passes_at_its_second_try_is_listed(inner: pytest.Pytester, options: tuple[str, ...]) -> None:
    page = (
        "@pytest.fixture\ndef browser(): return 1\n"
        "@pytest.mark.parametrize('x', ['a::b c'])\ndef test_page(browser, x): once('page')\n"
    )
    result = run(inner, *options, test_a=PASSES_THEN + "def test_other(): pass\n", test_b=page)
    assert result.ret == 0
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines_random(
        [
            "test_a.py::test_chance failed and is marked timing, so it is repeated by itself.",
            "test_b.py::test_page[[]a::b c] failed and is marked browser, so it is repeated by itself.",
            f"*{LIST} has changed and is to be committed*",
        ]
    )
    rows = sorted(listed(inner))
    assert [row[0] for row in rows] == ["test_a.py::test_chance", "test_b.py::test_page[a::b c]"]
    assert rows[0][2:] == ["-", "AssertionError: chance failed first"]
    assert list(faults(inner.path)) == []


@pytest.mark.parametrize(
    ("options", "text", "reason"),
    [
        (
            ALONE,
            PASSES_THEN + "def test_unmarked(): assert 0\n",
            "*test_unmarked failed and is marked neither browser nor timing.",
        ),
        (
            WORKERS,
            "@timing\n@pytest.mark.parametrize('x', range(3))\ndef test_it(x): once(str(x))\n",
            "3 tests failed; at most 2 in a run may pass at their second try.",
        ),
        (WORKERS, PASSES_THEN + "@timing\ndef test_crash(): os._exit(3)\n", "*test_crash failed and is marked neither*"),
    ],
    ids=["unmarked", "three", "crash"],
)
def test_nothing_is_repeated(inner: pytest.Pytester, options: tuple[str, ...], text: str, reason: str) -> None:
    result = run(inner, *options, test_a=text)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"Nothing is repeated: {reason}"])
    result.stdout.no_fnmatch_line("*is repeated by itself*")
    assert listed(inner) == []


@pytest.mark.parametrize("options", [ALONE, WORKERS])
def test_one_that_fails_again_fails_the_run(inner: pytest.Pytester, options: tuple[str, ...]) -> None:
    result = run(inner, *options, test_a=PASSES_THEN + ALWAYS_FAILS)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*test_chance passed at its second try.", "*test_always did not pass at its second try either:"])
    assert listed(inner) == []


def test_to_be_skipped_at_the_second_try_is_not_to_pass(inner: pytest.Pytester) -> None:
    text = "@timing\ndef test_it():\n    if Path('it').exists(): pytest.skip('no')\n    once('it')\n"
    assert run(inner, test_a=text).ret == 1
    assert listed(inner) == []


@pytest.mark.parametrize("options", [ALONE, WORKERS])
def test_the_second_try_is_alone(inner: pytest.Pytester, options: tuple[str, ...]) -> None:
    """It begins when all others have ended, in another process, and none runs beside it."""
    text = """
    NAME = Path(__file__).stem

    def say(what):
        with open("said", "a") as file: file.write(f"{what} {os.getpid()}\\n")

    @timing
    def test_first():
        say("begin"); __import__("time").sleep(0.3); say("end")
        once(NAME)
    """
    text = "\n".join(line[4:] for line in text.splitlines())
    other = text.replace("        once(NAME)\n", "").replace("once(NAME)", "") + "\ndef test_second(): say('last')\n"
    assert run(inner, *options, test_a=text, test_b=text, test_c=other).ret == 0
    said = [line.split() for line in (inner.path / "said").read_text().splitlines()]
    main, again = said[:-4], said[-4:]
    assert [what for what, _ in again] == ["begin", "end", "begin", "end"]
    assert again[0][1] == again[1][1] != again[2][1] == again[3][1]
    assert not {process for _, process in again} & {process for _, process in main}
    assert "last" in [what for what, _ in main]


@pytest.mark.parametrize("options", [("--quick",), ("--maxfail=1",)])
def test_quick_and_interrupted_runs_repeat_nothing(inner: pytest.Pytester, options: tuple[str, ...]) -> None:
    result = run(inner, *options, test_a=PASSES_THEN)
    assert result.ret == 1
    result.stdout.no_fnmatch_line("*second try*")
    assert listed(inner) == []


def test_what_cannot_be_collected_is_no_chance(inner: pytest.Pytester) -> None:
    result = run(inner, "--continue-on-collection-errors", test_a=PASSES_THEN, test_b="import absent_module\n")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["Nothing is repeated: not all tests could be collected."])


def test_without_the_option_nothing_is_repeated(inner: pytest.Pytester) -> None:
    inner.makepyfile(test_a=CHANCE + PASSES_THEN)
    assert inner.runpytest_subprocess().ret == 1
    assert listed(inner) == []


@pytest.mark.parametrize("marker", ["timing", "timing(' ')"])
def test_timing_needs_a_reason(inner: pytest.Pytester, marker: str) -> None:
    result = run(inner, "--collect-only", test_a=f"@pytest.mark.{marker}\ndef test_it(): pass\n")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_a.py::test_it is marked timing without a reason*"])
