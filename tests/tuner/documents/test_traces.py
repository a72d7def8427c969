# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tuner.documents.traces import load_trace, parse_trace
from tuner.errors import BadInputError

HEAD = "time_s,src,dst,bytes,sl\n"


def read(text: str) -> list[tuple[str, str, int | None, int, list[tuple[float, int]]]]:
    return [(flow.src, flow.dst, flow.sl, flow.line, flow.messages) for flow in parse_trace(text.encode(), source="t.csv")]


def test_messages_are_gathered_by_source_destination_and_sl() -> None:
    text = HEAD + "0,A,B,10,\n1e-6,B,A,20,2\n 0.5 , A,B ,30, \n0.25,A,B,40,1\n"
    assert read(text) == [
        ("A", "B", None, 2, [(0.0, 10), (0.5, 30)]),
        ("B", "A", 2, 3, [(1e-6, 20)]),
        ("A", "B", 1, 5, [(0.25, 40)]),
    ]


def test_the_column_sl_may_be_left_out_whole_or_in_a_line() -> None:
    assert read("time_s,src,dst,bytes\n0,A,B,10\n") == read(HEAD + "0,A,B,10,\n") == read(HEAD + "0,A,B,10\n")


def test_comments_empty_lines_and_other_line_ends_are_nothing() -> None:
    assert read("\ufeff# x\n\n  # y\ntime_s, src ,dst,bytes\r\n0,A,B,10\r\n   \n# 1,A,B,3\n") == [
        ("A", "B", None, 5, [(0.0, 10)])
    ]


def test_names_with_commas_are_quoted() -> None:
    assert read(HEAD + '0,"rack 1, node 2",B,10,\n0,"rack 1, node 2", "B",10,3\n') == [
        ("rack 1, node 2", "B", None, 2, [(0.0, 10)]),
        ("rack 1, node 2", "B", 3, 3, [(0.0, 10)]),
    ]


def test_lines_may_be_in_any_order_and_messages_of_one_time_keep_theirs() -> None:
    assert read(HEAD + "2,A,B,1,\n1,A,B,2,\n1,A,B,1,\n")[0][4] == [(1.0, 2), (1.0, 1), (2.0, 1)]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("", 1, "holds no messages; a trace begins with the header time_s,src,dst,bytes"),
        ("# nothing\n\n", 3, "holds no messages"),
        ("0,A,B,10\n", 1, "'0,A,B,10' is not the header; it must be time_s,src,dst,bytes or time_s,src,dst,bytes,sl"),
        (HEAD + "0,A,B\n", 2, "has 3 fields; the header names 5"),
        ("time_s,src,dst,bytes\n0,A,B,1,2\n", 2, "has 5 fields; the header names 4"),
        (HEAD + "x,A,B,10,\n", 2, "time_s is 'x'; it must be a number of seconds from 0 to 9000"),
        (HEAD + "-1,A,B,10,\n", 2, "time_s is '-1'; it must be"),
        (HEAD + "nan,A,B,10,\n", 2, "time_s is 'nan'; it must be"),
        (HEAD + "1_0,A,B,10,\n", 2, "time_s is '1_0'; it must be"),
        (HEAD + "1e999,A,B,10,\n", 2, "time_s is '1e999'; it must be"),
        (HEAD + "0,A,B,0,\n", 2, "bytes is '0'; it must be a whole number from 1 to 2147483648"),
        (HEAD + "0,A,B,1.5,\n", 2, "bytes is '1.5'; it must be"),
        (HEAD + "0,A,B,1_0,\n", 2, "bytes is '1_0'; it must be"),
        (HEAD + "0,A,B,2147483649,\n", 2, "bytes is '2147483649'; it must be"),
        (HEAD + "0,A,B,10,16\n", 2, "sl is '16'; it must be from 0 to 15"),
        (HEAD + "0,A,B,10,²\n", 2, "sl is '²'; it must be"),
        (HEAD + "0,A,,10,\n", 2, "dst is empty; a host is expected"),
        (HEAD + "0, ,B,10,\n", 2, "src is empty; a host is expected"),
        (HEAD + '0,"A,B,10,\n', 2, "'0,\"A,B,10,' is not CSV: "),
        (HEAD + "0,A,B,10,\n0,A,B,x" + "9" * 100 + ",\n", 3, "bytes is 'x" + "9" * 59 + "…'; it must be"),
    ],
)
def test_mistakes_have_a_sentence_and_a_line(text: str, line: int, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        parse_trace(text.encode(), source="t.csv")
    assert error.value.sentence.startswith(sentence)
    assert (error.value.source, error.value.line) == ("t.csv", line)


def test_bytes_that_are_no_text_are_told_with_their_line() -> None:
    with pytest.raises(BadInputError, match="t.csv:2: holds the byte 0xff, which is not UTF-8"):
        parse_trace(HEAD.encode() + b"0,\xff,B,1,\n", source="t.csv")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(BadInputError, match="cannot read the trace no/such.csv: No such file"):
        load_trace(Path("no/such.csv"))


@given(st.text(alphabet='0123456789.,"#\n\r\t eE+-_ABtime_ssrcdstbytesl\x00\x1c²', max_size=80), st.booleans())
@example("0,A,B,1" + "\n", True)
@example('0,"A"x,B,1,', True)
def test_any_text_is_messages_or_one_sentence(text: str, headed: bool) -> None:
    try:
        flows = read(HEAD * headed + text)
    except BadInputError:
        return
    assert sum(len(messages) for *_, messages in flows) <= text.count("\n") + 1
    assert all(messages == sorted(messages, key=lambda message: message[0]) for *_, messages in flows)
