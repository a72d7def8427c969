# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The fuzzers in Python hold for their examples, with Atheris or without, and their inputs are made as they should be."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzzing import ROOT, load, mutated

FUZZERS = sorted((ROOT / "tests").rglob("fuzz_*.py"))


def examples(fuzzer: Path) -> list[Path]:
    return sorted((fuzzer.parent / "corpus" / fuzzer.stem.removeprefix("fuzz_")).iterdir())


@pytest.mark.parametrize("path", FUZZERS, ids=lambda path: path.stem)
def test_what_is_claimed_holds_for_the_examples_and_near_them(path: Path) -> None:
    fuzzer = load(path)
    assert len(examples(path)) >= 2
    rng = random.Random(1)
    for example in examples(path):
        data = example.read_bytes()
        fuzzer.one_input(data)
        for seed in range(100):
            fuzzer.one_input(mutated(data, 4096, seed, lambda text, size: flipped(text, rng)))


def flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


@given(data=st.binary(max_size=200), size=st.integers(1, 300), seed=st.integers(0, 2**32))
def test_a_mutation_keeps_to_its_size_and_is_the_same_for_a_seed(data: bytes, size: int, seed: int) -> None:
    first = mutated(data, size, seed, lambda text, most: (text + b"x")[:most])
    assert len(first) <= size
    assert first == mutated(data, size, seed, lambda text, most: (text + b"x")[:most])


def test_mutations_rearrange_lines_and_words() -> None:
    text = b"one 1\ntwo 2\nthree 3\n"
    results = {mutated(text, 100, seed, lambda text, _: text) for seed in range(300)}
    assert b"two 2\none 1\nthree 3\n" in results
    assert b"one 1\nthree 3\n" in results
    assert any(word in result for result in results for word in (b"one 2", b"one 3", b"two 1", b"two 3", b"three 1", b"three 2"))


def test_an_exception_of_a_fuzzer_fails_and_leaves_its_input(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="Atheris is not installed; make fuzz does that where it can be")
    fuzzer = tmp_path / "fuzz_planted.py"
    fuzzer.write_text(
        """
INSTRUMENT = ["colorsys"]

def one_input(data: bytes) -> None:
    if b"two" in data:
        raise RuntimeError("planted")
"""
    )
    examples = tmp_path / "corpus"
    examples.mkdir()
    (examples / "one.txt").write_bytes(b"one two\nthree\n")
    command: list[str | Path] = [
        sys.executable,
        ROOT / "tests/fuzzing.py",
        fuzzer,
        "-runs=100",
        f"-artifact_prefix={tmp_path}/",
        examples,
    ]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode != 0
    assert "RuntimeError: planted" in finished.stdout + finished.stderr
    (crash,) = tmp_path.glob("crash-*")
    with pytest.raises(RuntimeError, match="planted"):
        load(fuzzer).one_input(crash.read_bytes())
