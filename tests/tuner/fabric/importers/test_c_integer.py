# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re

import pytest

from tuner.fabric.importers.c_integer import C_INTEGER, c_integer


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("10", 10), ("010", 8), ("0x10", 16), ("0XfF", 255), ("0xffffffffffffffff", 2**64 - 1)]
)
def test_the_base_is_in_the_prefix(text: str, value: int) -> None:
    assert re.fullmatch(C_INTEGER, text)
    assert c_integer(text) == value


@pytest.mark.parametrize(
    ("text", "sentence"), [("08", "'08' is not a number; one that begins with 0 is octal"), (str(2**64), "out of range")]
)
def test_what_is_no_such_number_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        c_integer(text)
