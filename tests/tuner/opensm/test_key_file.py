# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The plugin's key file, read by programs that ask devices themselves."""

from pathlib import Path

import pytest

from tuner.errors import BadInputError
from tuner.opensm.key_file import read_keys


def written(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "keys"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_keys_come_the_likeliest_first_each_once(tmp_path: Path) -> None:
    text = "# ours\n---\nprevious: 0x1\ncurrent: 0xAb # now\nprotect: yes\nlease_period_s: 60\nnext:0x1\n\n"
    assert read_keys(written(tmp_path, text)) == [0xAB, 1]
    assert read_keys(written(tmp_path, "current: 0x0\nprevious: 0x5")) == [5]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("current: 123secret", "keys:1: current must be 0x and 1 to 16 hexadecimal digits"),
        ("current: 0x11112222333344445", "keys:1: current must be 0x"),
        ("current: 0x1\nsecret", "keys:2: this line must begin with one of current:, next:, previous:, protect:"),
        ("current: 0x1\nkey: secret", "keys:2: this line must begin with one of"),
        ("current: 0x1\ncurrent: 0x2", "keys:2: current is given twice"),
        ("next: 0x1", "the file lacks current"),
        ("#" * 5000, "more than 4096 bytes"),
    ],
)
def test_a_wrong_file_is_told_without_its_content(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BadInputError, match=told) as error:
        read_keys(written(tmp_path, text))
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(BadInputError, match="only its owner may read"):
        read_keys(written(tmp_path, "current: 0x1", mode))
    with pytest.raises(BadInputError, match="cannot be read: No such file"):
        read_keys(tmp_path / "none")
