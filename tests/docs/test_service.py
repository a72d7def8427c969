# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/operate/service.md lists the settings that there are, with their defaults, docs/operate/notifications.md those of
addresses, and docs/operate/monitoring.md the metrics; docs/use/service-fabrics.md what may be done with a campaign in each
state."""

import re
import tomllib
import typing
from pathlib import Path

from pydantic_core import PydanticUndefined

from api.configuration.notification_addresses import AddressOptions, Mail, Reaching, Syslog, Webhook
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.upgrade import upgrade
from api.events.hub import Hub
from api.metrics.service_metrics import Metrics
from api.states.campaigns import CAMPAIGNS, CampaignState

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "operate/service.md").read_text()


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


def test_addresses() -> None:
    text = (DOCS / "operate/notifications.md").read_text()
    listed: dict[str, set[str]] = {}
    for kind, table in re.findall(r"^\| key of ([^|]*?) \|[^\n]*\n\|[^\n]*\n((?:\|[^\n]*\n)*)", text, re.MULTILINE):
        listed[kind.strip("`")] = {
            key for row in re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)
        }
    every, network = listed.pop("every address"), listed.pop("all that use the network")
    assert every == set(AddressOptions.model_fields)
    assert network == set(Reaching.model_fields) - every
    for model in (Webhook, Mail, Syslog):
        assert listed.pop(typing.get_args(model.model_fields["kind"].annotation)[0]) == set(model.model_fields) - every - network
    assert listed == {}
    example = tomllib.loads(text.partition("```toml")[2].partition("```")[0])
    assert Settings.model_validate({"notify": example["notify"]}).notify.keys() == {"netops", "oncall", "siem"}


def test_metrics(tmp_path: Path) -> None:
    text = (DOCS / "operate/monitoring.md").read_text()
    database = Database(f"sqlite:///{tmp_path / 'ibcc.db'}")
    upgrade(database.engine)
    metrics = Metrics(database, Hub(database, 60))
    names = {family.name for family in metrics.registry.collect() if family.name.startswith("ibcc_")}
    listed = {name.removesuffix("_total") for name in re.findall(r"^\| `(ibcc_\w+)[{`]", text, re.MULTILINE)}
    assert names == listed
    metrics.readings.close()
    database.close()


def test_actions_of_campaigns() -> None:
    text = (DOCS / "use/service-fabrics.md").read_text()
    table = text.partition("| action | in states | leads to |")[2].partition("\n\n")[0]
    listed = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", table, re.MULTILINE)
    assert [action for action, _ in listed] == list(CAMPAIGNS.rules)
    for action, states in listed:
        wanted = set(typing.get_args(CampaignState)) if states == "any" else set(states.split(", "))
        assert set(CAMPAIGNS.rules[action].states) == wanted, action
