# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The campaigns that come with ibcc: goals, which fit themselves to a fabric, and the test beds of published results.

A goal leaves base, expert and space to the devices of the fabric. Test beds name them; they keep their names for stored campaigns
and experiments, and are no templates.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tuner.document_base.yaml_core import parse_document
from tuner.documents import catalogue

FIRST = "protect-a-victim"
"""The goal to begin with. Who chooses nothing gets that."""


@dataclass(frozen=True)
class ShippedCampaign:
    """`document`: the text, and `spec`, what it says."""

    name: str
    title: str
    description: str
    document: str
    spec: dict[str, Any]


def rank(name: str) -> str:
    """Returns the key by which goals are sorted: FIRST is first, and the others follow by name."""
    return "" if name == FIRST else name


@lru_cache(maxsize=1)
def shipped_campaigns() -> dict[str, ShippedCampaign]:
    """Returns all campaigns that come with ibcc, by name."""
    found = {}
    for name in sorted(catalogue.names("campaign"), key=rank):
        document = catalogue.find("campaign", name).read_text(encoding="utf-8")
        spec = parse_document(document, source=name).value
        assert isinstance(spec, dict)
        title = name.replace("-", " ").capitalize()
        description = str(spec.get("description", ""))
        found[name] = ShippedCampaign(name=name, title=title, description=description, document=document, spec=dict(spec))
    return found


def goals() -> dict[str, ShippedCampaign]:
    """Returns the goals by name, FIRST first: what is offered as a template."""
    return {name: one for name, one in shipped_campaigns().items() if "space" not in one.spec}
