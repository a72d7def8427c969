# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/service.md lists the settings and metrics that there are, with their defaults; docs/service-fabrics.md what may be done
with a campaign in each state."""

import re
import typing
from pathlib import Path

from pydantic_core import PydanticUndefined

from api.database.engine import Database
from api.events.hub import Hub
from api.metrics import Metrics
from api.settings import Settings
from api.states.campaigns import CAMPAIGNS, CampaignState

TEXT = (Path(__file__).resolve().parents[2] / "docs/service.md").read_text()


def test_settings() -> None:
    table = re.split(r"\| setting \| default \| +\|", TEXT)[1].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", table, re.MULTILINE))
    assert rows.keys() == Settings.model_fields.keys()
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, bool | int | float | str) and field.default != "":
            shown = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
            assert rows[name] == f"`{shown}`", name
        else:
            assert field.default in (None, "", PydanticUndefined), name


def test_metrics(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'ibcc.db'}")
    metrics = Metrics(database, Hub(database, 60))
    names = {family.name for family in metrics.registry.collect() if family.name.startswith("ibcc_")}
    listed = {name.removesuffix("_total") for name in re.findall(r"^\| `(ibcc_\w+)[{`]", TEXT, re.MULTILINE)}
    assert names == listed
    database.close()


def test_actions_of_campaigns() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/service-fabrics.md").read_text()
    table = text.partition("| action | in states | leads to |")[2].partition("\n\n")[0]
    listed = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", table, re.MULTILINE)
    assert [action for action, _ in listed] == list(CAMPAIGNS.rules)
    for action, states in listed:
        wanted = set(typing.get_args(CampaignState)) if states == "any" else set(states.split(", "))
        assert set(CAMPAIGNS.rules[action].states) == wanted, action
