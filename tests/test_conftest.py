# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What conftest.py promises: no test is skipped in silence in continuous integration, and random tests are repeatable."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]

USES_SHARED = """
def test_reads_it(shared):
    assert shared.is_dir()
"""


@pytest.fixture
def inner(pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of tests with our conftest.py, out of reach of this run's environment."""
    pytester.makeconftest((root / "tests/conftest.py").read_text())
    monkeypatch.setenv("PYTHONPATH", str(root))  # where conftest.py finds tests.postgresql
    monkeypatch.setenv("IBCC_SHARED", str(pytester.path / "absent"))
    monkeypatch.delenv("CI", raising=False)
    return pytester


def test_missing_shared_data_skips_with_a_reason(inner: pytest.Pytester) -> None:
    inner.makepyfile(USES_SHARED)
    result = inner.runpytest_subprocess("-rs", "-p", "no:cacheprovider")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*absent*IBCC_SHARED*"])


def test_missing_shared_data_fails_in_ci(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    inner.makepyfile(USES_SHARED)
    inner.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(errors=1)


def test_shared_data_is_found(inner: pytest.Pytester) -> None:
    (inner.path / "absent").mkdir()
    inner.makepyfile(USES_SHARED)
    inner.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("options", "passed"), [([], ()), (["--run-thorough"], ("thorough",)), (["--run-slow"], ("thorough", "slow"))]
)
def test_thorough_and_slow_tests_need_an_option(inner: pytest.Pytester, options: list[str], passed: tuple[str, ...]) -> None:
    inner.makepyfile("import pytest\n@pytest.mark.thorough\ndef test_thorough(): pass\n@pytest.mark.slow\ndef test_slow(): pass")
    result = inner.runpytest_subprocess("-v", "-p", "no:cacheprovider", *options)
    result.assert_outcomes(passed=len(passed), skipped=2 - len(passed))
    result.stdout.fnmatch_lines_random([f"*test_{name} PASSED*" for name in passed])


@pytest.mark.parametrize(("options", "repeatable"), [([], True), (["--hypothesis-profile=free"], False)])
def test_random_tests_draw_the_same_examples_unless_free(inner: pytest.Pytester, options: list[str], repeatable: bool) -> None:
    inner.makepyfile(f"from hypothesis import settings\ndef test_it(): assert settings().derandomize is {repeatable}")
    inner.runpytest_subprocess("-p", "no:cacheprovider", *options).assert_outcomes(passed=1)
