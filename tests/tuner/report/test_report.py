# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report: one page without outside references that shows the numbers of report.json."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.campaign.analytic import AnalyticBackend, campaign_text, write_campaign
from tuner.campaign.prepare import prepare
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.store import CampaignStore
from tuner.documents.campaign import load_campaign
from tuner.documents.profile import load_profile
from tuner.goals.recommendation import PINNED, Candidate
from tuner.report.document import report_document
from tuner.report.html import columns, figures, report_html
from tuner.report.profiles import file_names
from tuner.report.text import metric, value
from tuner.report.write import write_report

pytestmark = pytest.mark.long

VOID = {"meta", "link", "br", "img", "hr", "input", "wbr"}


class Page(HTMLParser):
    """Checks that elements close in order, and collects what there is."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.feed(html)
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, text or "") for name, text in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, text or "") for name, text in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.text += data


def ran(folder: Path, **changes: Any) -> CampaignResult:
    setup = prepare(*load_campaign(write_campaign(folder, campaign_text(**changes))))
    with CampaignStore.open(folder / "c.sqlite3", "small", identity=setup.identity(), objectives=setup.objectives) as store:
        return run_campaign(setup, store, AnalyticBackend)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    result = ran(tmp_path_factory.mktemp("report"), trials=14)
    document = report_document(result, commands=["ibcc tune small --fresh"])
    whole: dict[str, Any] = json.loads(json.dumps(document, allow_nan=False))
    return whole


@pytest.fixture(scope="module")
def drawn(report: dict[str, Any]) -> dict[str, Any]:
    """The report's figures: to draw them takes most of the time that a page does."""
    return figures(report)


@pytest.fixture
def as_drawn(drawn: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages have those figures."""
    monkeypatch.setattr("tuner.report.html.figures", lambda report: drawn)


@pytest.fixture(scope="module")
def html(report: dict[str, Any], drawn: dict[str, Any]) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tuner.report.html.figures", lambda report: drawn)
        return report_html(report)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_the_page_refers_to_nothing_outside(html: str, page: Page) -> None:
    for tag, name, text in page.attributes:
        assert tag not in ("link", "img", "iframe"), tag
        assert name not in ("src", "srcset"), (tag, name, text)
        if name == "href":
            assert text.startswith("#"), text
    assert not re.search(r"https?://|@import|url\((?!#)", html)
    # The only script is the one that sorts tables.
    script = resources.files("tuner.report").joinpath("templates/sort.js").read_text(encoding="utf-8")
    assert re.findall(r"<script[^>]*>(.*?)</script>", html, flags=re.DOTALL) == [script]


def test_the_page_shows_the_numbers_of_the_document(report: dict[str, Any], page: Page) -> None:
    text = " ".join(page.text.split())
    for role in ("baseline", "expert", "recommended"):
        for objective in columns(report):
            assert metric(report[role]["metrics"][objective.metric], objective) in text
    for trial in report["trials"]:
        for setting in trial["params"].values():
            assert value(setting) in text
    for sentence in report["headline"]["sentences"]:
        assert sentence in text
    assert report["recommended"]["profile_yaml"].splitlines()[-1].strip() in text
    assert "ibcc tune small --fresh" in text
    assert report["versions"]["optuna"] in text
    assert str(report["conditions"]["confirmation"]["seeds"][0]) in text


def test_every_figure_is_there(drawn: dict[str, Any], page: Page) -> None:
    assert {name for name, figure in drawn.items() if not figure} <= {"confirmed", "prices"}
    assert [len(group["panels"]) for group in drawn["throughput"]] == [3]
    assert len(drawn["heat"]) == 3
    single = sum(isinstance(figure, str) for figure in drawn.values())
    assert sum(tag == "svg" for tag, name, _ in page.attributes if name == "viewbox") == 3 + 3 + single


def test_the_recommendation_follows_from_what_was_confirmed(report: dict[str, Any]) -> None:
    trials = [
        Candidate(
            number=trial["trial"],
            feasible=trial["feasible"],
            victim_throughput_gbps=trial["metrics"]["victim_throughput_gbps"],
            treatment_variation_gbps2=trial["metrics"]["treatment_variation_gbps2"],
            spread_gbps=trial["metrics"]["spread_gbps"],
        )
        for trial in report["confirmed"]
    ]
    chosen = PINNED.pick(trials)
    assert chosen is not None
    assert report["recommended"]["trial"] == chosen.number
    assert report["recommended"]["metrics"]["victim_throughput_gbps"] == chosen.victim_throughput_gbps


def test_the_front_and_the_hypervolume_follow_from_the_trials(report: dict[str, Any]) -> None:
    feasible = {trial["number"]: trial["values"] for trial in report["trials"] if trial["feasible"]}
    for number_, values in feasible.items():
        beaten = any(
            other["victim_throughput"] >= values["victim_throughput"]
            and other["treatment_variation"] <= values["treatment_variation"]
            and other != values
            for other in feasible.values()
        )
        assert (number_ in report["front"]) == (not beaten)
    volumes = report["hypervolume"]["values"]
    assert len(volumes) == len(report["trials"])
    assert all(later >= earlier * (1 - 1e-12) for earlier, later in pairwise(volumes))
    first = report["trials"][0]["values"]
    assert volumes[0] == pytest.approx(first["victim_throughput"] * (20 - first["treatment_variation"]))


def test_what_was_compared_is_what_was_confirmed(report: dict[str, Any]) -> None:
    for role in ("baseline", "expert", "recommended"):
        assert {run["seed"] for run in report[role]["runs"]} == {101, 102}
        assert {run["seed"] for run in report[role]["search"]["runs"]} == {1, 2}
        assert report[role]["feasible"] == (report[role]["violations"]["contributor_total"] <= 0)


@pytest.mark.usefixtures("as_drawn")
def test_the_folder_holds_three_files_and_the_profile_reads_back(report: dict[str, Any], tmp_path: Path) -> None:
    write_report(report, tmp_path / "new" / "out")
    assert sorted(path.name for path in (tmp_path / "new" / "out").iterdir()) == ["profile.yaml", "report.html", "report.json"]
    assert json.loads((tmp_path / "new" / "out" / "report.json").read_text()) == report
    assert load_profile(tmp_path / "new" / "out" / "profile.yaml").to_dict() == report["recommended"]["profile"]


def test_without_a_recommendation_no_old_profile_stays(report: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "profile.yaml").write_text(report["recommended"]["profile_yaml"])
    result = ran(tmp_path, extra="constraints: {contributor_total: {at_least: 1.5}}")
    nothing = report_document(result, commands=[])
    write_report(nothing, tmp_path)
    assert not (tmp_path / "profile.yaml").exists()
    page = Page((tmp_path / "report.html").read_text())
    assert "No profile can be recommended" in page.text
    assert "None of 6 trials keeps every constraint" in page.text
    assert json.loads((tmp_path / "report.json").read_text())["recommended"] is None


@pytest.mark.usefixtures("as_drawn")
def test_models_of_devices_that_need_their_own_profile_have_it(report: dict[str, Any], tmp_path: Path) -> None:
    figures = {key: report["expert"][key] for key in ("name", "metrics", "estimates")}
    file, text = "profile-BECNs-ACKs.yaml", "ibcc_profile: 1\n"
    one = {"variant": "BECNs/ACKs", "settings": {"model.ca.becn_carrier": "ack"}, "origin": "suggestion", "trial": None}
    profiles = [{**figures, **one, "file": file, "profile_yaml": text}]
    earlier = [{"file": "profile-own-devices.yaml"}, {"file": "../profile-x.yaml"}]
    (tmp_path / "report.json").write_text(json.dumps({"profiles": earlier}))
    (tmp_path / "profile-own-devices.yaml").write_text("of an earlier report")
    (tmp_path / "profile-mine.yaml").write_text("a person's")
    write_report(report | {"profiles": profiles}, tmp_path)
    assert sorted(path.name for path in tmp_path.glob("profile-*.yaml")) == [file, "profile-mine.yaml"]
    assert (tmp_path / file).read_text() == text
    page = Page((tmp_path / "report.html").read_text()).text
    assert "One profile for each model of the devices" in page
    assert file in page


@pytest.mark.parametrize(
    ("variants", "files"),
    [
        ([], ["profile-own-devices.yaml"]),
        (["acks"], ["profile-own-devices.yaml", "profile-acks.yaml"]),
        (["own-devices", "a b", "a/b"], [f"profile-{one}.yaml" for one in ("own-devices", "own-devices-2", "a-b", "a-b-2")]),
        (["../..", "…", "x" * 300], [f"profile-{one}.yaml" for one in ("own-devices", "variant", "variant-2", "x" * 100)]),
    ],
)
def test_any_name_of_a_variant_makes_a_file_of_its_own(variants: list[str], files: list[str]) -> None:
    assert list(file_names(variants).values()) == files


def test_names_from_documents_cannot_break_the_page(tmp_path: Path) -> None:
    result = ran(tmp_path, extra="description: '<script>alert(1)</script> & more'")
    html = report_html(report_document(result, commands=["ibcc tune '<b>'"]))
    assert html.count("<script>") == 1  # ours
    assert "<b>" not in html
    assert "<script>alert(1)</script> & more" in Page(html).text


def test_a_table_fitted_to_the_contributors_is_told(tmp_path: Path) -> None:
    (tmp_path / "weak.yaml").write_text(load_profile("gran-2010", {"cct.curve.full_scale_us": 1.0, "name": "weak"}).to_yaml())
    weak = ran(tmp_path, extra="base: ./weak.yaml", space="{ca.ccti_timer: {low: 100, high: 200}}")
    sentences = " ".join(report_document(weak, commands=[])["headline"]["sentences"])
    # 16.384 kbit per packet of 1.037 µs and 1.426 µs of delay at most: 6.65 Gb/s, once in 13 Gb/s.
    assert "holds a flow at 6.65 Gb/s, enough for 1 contributor at" in sentences
    assert "the search had 2, and it will fail with many more" in sentences


def test_a_routing_that_carries_little_is_a_warning_at_the_top(tmp_path: Path) -> None:
    result = ran(tmp_path)
    assert report_document(result, commands=[])["conditions"]["low_capacity"] == []
    told = "by routing minhop, fabric 'x' carries 19%"
    measured = tuple(replace(one, counters={**one.counters, "low_capacity": told}) for one in result.baseline.measurements)
    document = report_document(replace(result, baseline=replace(result.baseline, measurements=measured)), commands=[])
    assert document["conditions"]["low_capacity"] == [told]
    assert "⚠ Warning:</span> By routing minhop, fabric &#39;x&#39; carries 19%." in report_html(document)
