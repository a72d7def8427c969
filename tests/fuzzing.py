# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs one fuzzer that is written in Python: `python tests/fuzzing.py tests/PART/fuzz_NAME.py [libFuzzer's options] [folders]`.

A fuzzer is a file with `one_input(data: bytes)`, which fails by any exception, and `INSTRUMENT`, the names of the modules whose
branches guide the search. It does not need Atheris itself, so that pytest can give it its seeds and what was once found.

The readers take lines of words. Half of the inputs are therefore made by rearranging lines and words of an input, which keeps it
near to something valid; the other half by libFuzzer's own changes of bytes.
"""

import importlib.util
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
_WORD = re.compile(rb"[0-9A-Za-z]+|[^0-9A-Za-z]+")
_NUMBERS = [b"0", b"1", b"2", b"254", b"255", b"256", b"65535", b"49152", b"ffffffffffffffff", b"0x0", b"007"]


def load(path: Path) -> ModuleType:
    """The fuzzer of a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mutated(data: bytes, max_size: int, seed: int, change_bytes: Callable[[bytes, int], bytes]) -> bytes:
    """The next input to try; the same for the same seed."""
    rng = random.Random(seed)
    if rng.random() < 0.5 or not data:
        return change_bytes(data, max_size)
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(5):
            case 0:
                lines.insert(at, lines[other])
            case 1 if len(lines) > 1:
                del lines[at]
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                words, donors = _WORD.findall(lines[at]), _WORD.findall(lines[other])
                if words:
                    words[rng.randrange(len(words))] = rng.choice(donors if donors and rng.random() < 0.7 else _NUMBERS)
                    lines[at] = b"".join(words)
    return b"\n".join(lines)[:max_size]


def main(argv: list[str]) -> None:
    import atheris

    sys.path[0] = str(ROOT)  # instead of tests/, whose folders bear the names of packages
    path = Path(argv[1]).resolve()
    text = path.read_text(encoding="utf-8")
    names = re.search(r"^INSTRUMENT = \[(.*)\]$", text, re.MULTILINE)
    assert names is not None, f"{path} does not say what to instrument"
    with atheris.instrument_imports(include=re.findall('"(.*?)"', names[1])):
        fuzzer = load(path)

    def mutator(data: bytes, max_size: int, seed: int) -> bytes:
        return mutated(data, max_size, seed, atheris.Mutate)

    atheris.Setup([argv[0], *argv[2:]], fuzzer.one_input, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
