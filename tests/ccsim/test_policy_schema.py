# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON Schema and the reader take the same documents, but for the rules that a schema cannot say."""

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ccsim.policy import Profile, ProfileError, schema
from tests.ccpolicy.corpus import examples
from tests.ccsim import nvidia_documents
from tests.ccsim import policy_documents as documents
from tuner.document_base.yaml_core import parse_document
from tuner.errors import BadInputError

GOOD = examples("good")
BAD = examples("bad")
VALIDATOR = Draft202012Validator(schema())

# The schema's own $comment lists them.
CANNOT_SAY = [
    "needs ",  # entries against ccti_limit
    "the ccti_limit",  # ccti_min against it
    "is below first",
    "an entry can hold at most 16383",
    "must be at most",  # profile1_min against profile1_max
    "must not be above the most",  # rpg_min_rate against rpg_max_rate
    "which nvidia.",  # a VL or an SL in two elements
    "has too; an SL has one algorithm",
    "has too; a VL has one set of thresholds",
    "again; give all its SLs in one element",
    "in steps of",
    "to change",  # an override of a part that the profile lacks
]


def test_the_schema_is_a_schema_and_the_published_one(root: Path) -> None:
    Draft202012Validator.check_schema(schema())
    published = (root / "ccpolicy" / "schema" / "profile.schema.json").read_bytes()
    assert (root / "simulator" / "python" / "ccsim" / "profile.schema.json").read_bytes() == published


def test_the_schema_takes_the_packaged_profiles(root: Path) -> None:
    for path in (root / "configs" / "profiles").glob("*.yaml"):
        VALIDATOR.validate(parse_document(path.read_text(), source=path.name).value)


@pytest.mark.parametrize("name", GOOD)
def test_both_take_the_good_corpus(name: str) -> None:
    text = GOOD[name]
    document: Any = parse_document(text, source=name).value
    VALIDATOR.validate(document)
    # The two YAML readers understand the same, too.
    assert Profile.from_dict(document) == Profile.from_text(text)


@pytest.mark.parametrize("name", BAD)
def test_both_refuse_the_bad_corpus(name: str) -> None:
    text = BAD[name]
    with pytest.raises(ProfileError):
        Profile.from_text(text)
    try:
        document = parse_document(text, source=name).value
    except BadInputError:
        return  # no document at all: nothing for a schema to look at
    assert VALIDATOR.is_valid(document) == ("\n# schema: cannot say\n" in text)


def _places(value: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(p for key, item in items for p in _places(item, (*place, key)))]


def _put(document: Any, place: tuple[str | int, ...], value: Any) -> Any:
    changed = copy.deepcopy(document)
    target = changed
    for key in place[:-1]:
        target = target[key]
    if not place:
        return value
    target[place[-1]] = value
    return changed


scalars = st.one_of(
    st.integers(-2, 20),
    st.sampled_from([255, 256, 254, 16319, 16320, 16383, 16384, 65535, 65536, 2**64 - 1, 2**64, 1e6, 1e7, 2048, 4096]),
    st.floats(allow_nan=False),
    st.booleans(),
    st.none(),
    st.sampled_from(
        ["", "none", "all", "ca_ports", "switch_ports", "qp", "sl", "final", "power", "geometric", "0x1", "0x0", "leaf", "ca"]
    ),
    st.sampled_from(["percent", "bytes", "ppcc", "dcqcn", "null", "RTT"]),
    st.text(max_size=3),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["shift", "multiplier", "kind", "first", "last", "exponent", "entries", "curve", "limit_mode", "threshold", "x"]
            )
            | st.sampled_from(["switch", "adapter", "type", "unit", "algorithm", "enable", "0", "44"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@pytest.mark.long
@given(documents.profiles(max_overrides=2) | nvidia_documents.profiles(), st.data())
def test_both_agree_on_documents_with_one_thing_changed(document: dict[str, Any], data: st.DataObject) -> None:
    place: tuple[str | int, ...] = data.draw(st.sampled_from(_places(document)))
    leave_out: bool = data.draw(st.booleans())
    if leave_out and place and isinstance(place[-1], str):
        changed = copy.deepcopy(document)
        target: Any = changed
        for key in place[:-1]:
            target = target[key]
        del target[place[-1]]
    else:
        changed = _put(document, place, data.draw(values))
    refusal = _refusal(changed)
    if VALIDATOR.is_valid(changed):
        assert refusal is None or any(reason in refusal for reason in CANNOT_SAY), refusal
    else:
        assert refusal is not None, list(VALIDATOR.iter_errors(changed))


def _refusal(document: Any) -> str | None:
    try:
        Profile.from_dict(document)
    except ProfileError as error:
        return error.sentence
    return None
