# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Texts whose keys get their new names."""

import pytest

from tuner.document_base.rewriting import upgraded
from tuner.document_base.yaml_core import parse_document
from tuner.errors import BadInputError, OldKeyWarning

OLD = """\
# harm: in a comment
ibcc_inventory: 1   # stays
name: "harm"
'harm':  {counters: [], "canaries": [{name: fresh_s, fresh_s: 30}]}   # stays
hosts: [ {nodes: harm} ]
"""


def test_only_the_keys_change() -> None:
    new, changes = upgraded(OLD, source="a")
    assert new == OLD.replace("'harm':", "'abort_if':").replace('"canaries"', '"jobs"').replace("fresh_s: 30", "max_age_s: 30")
    assert len(changes) == 3
    assert upgraded(new, source="a") == (new, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"ibcc_inventory": 1,\r\n "harm": {}}\r\n', '{"ibcc_inventory": 1,\r\n "abort_if": {}}\r\n'),
        ("\ufeffibcc_inventory: 1\nharm: {}\n", "\ufeffibcc_inventory: 1\nabort_if: {}\n"),
        (
            "ibcc_inventory: 1\n# größe 🎈\nname: '\u2028'\nharm: {}",
            "ibcc_inventory: 1\n# größe 🎈\nname: '\u2028'\nabort_if: {}",
        ),
        ("ibcc_inventory: 1\n? harm\n: {}\n", "ibcc_inventory: 1\n? abort_if\n: {}\n"),
        ("ibcc_campaign: 1\nvariants: {a: {model.hca.x: 1}}\n", "ibcc_campaign: 1\nvariants: {a: {model.ca.x: 1}}\n"),
        ("ibcc_workload: 1\nharm: {}\n", "ibcc_workload: 1\nharm: {}\n"),
    ],
)
def test_whatever_the_text_is_like(old: str, new: str) -> None:
    assert upgraded(old, source="a")[0] == new


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ibcc_inventory: 1\nharm: {}\nabort_if: {}\n", "^a:2: 'harm' is the old name of 'abort_if', and both are given"),
        ("ibcc_inventory: 1\nharm: {}\n---\nharm: {}\n", "second document"),
        ('ibcc_inventory: 1\n"h\\u0061rm": {canaries: []}\n', "^a: cannot be rewritten, .* by hand: line 2$"),
    ],
)
def test_what_cannot_be_rewritten(text: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        upgraded(text, source="a")


def test_lines_of_a_document_are_found_by_the_new_keys() -> None:
    with pytest.warns(OldKeyWarning, match=r"^a: 'harm' is now 'abort_if', 'abort_if.canaries' is now 'abort_if.jobs', "):
        document = parse_document(OLD, source="a")
    assert document.line_of(("abort_if", "jobs", 0, "max_age_s")) == 4
    with pytest.warns(OldKeyWarning):
        assert parse_document('ibcc_inventory: 1\n"h\\u0061rm": {}\n', source="a").value == {"ibcc_inventory": 1, "abort_if": {}}
