# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The example profiles of tests and fuzzers, many in a file: a line `==== NAME` stands before each.

`python -m tests.ccpolicy.corpus FOLDER` writes each as a file into FOLDER, as a fuzzer wants them.
"""

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"


def examples(kind: str) -> dict[str, str]:
    """Returns the texts of `corpus/KIND.txt` by their names, such as `base.yaml`."""
    text = (FOLDER / f"{kind}.txt").read_bytes().decode()
    parts = re.split(r"^==== (\S+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("good", "bad"):
        for name, text in examples(kind).items():
            (folder / f"{kind}-{name}").write_bytes(text.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
