# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Says what the recommendation is worth on other devices than the campaign's own."""

from collections.abc import Mapping, Sequence
from typing import Any

from tuner.document_base.words import listed
from tuner.report.text import words

Document = Mapping[str, Any]


def on_devices(report: Document) -> list[str]:
    """Returns the sentences of a report that recommends something; none without variants."""
    variants: Sequence[Document] = report.get("variants", ())
    if not variants:
        return []
    profiles: Sequence[Document] = report.get("profiles", ())
    lost = [variant for variant in variants if not variant["holds"]]
    sentence = _lost(report, lost) if lost else _robust(report, variants)
    return [one for one in (sentence, _profiles(report, profiles), _unserved(report, variants, profiles)) if one]


def _robust(report: Document, variants: Sequence[Document]) -> str:
    devices = listed([_name(variant) for variant in variants])
    expert, refused = report["expert"]["name"], _refused(report)
    if not report["recommended"].get("changes_from_expert", True):
        # The expert's own settings gain nothing that could be lost.
        return f"The settings are those of {expert}: {refused}" if refused else ""
    if refused:
        return f"It is not worse than {expert} for {devices} either; {refused}"
    return f"The gain does not depend on one model of the devices: it holds for {devices} too."


def _refused(report: Document) -> str:
    """Says why the rule's pick for the campaign's own devices is not recommended, as a clause; empty if it is."""
    pick = next((one for one in report["confirmed"] if one["trial"] == report.get("picked_by_rule")), None)
    if pick is None or pick.get("refused") is None:
        return ""
    named = next(variant for variant in report["variants"] if variant["name"] == pick["refused"]["variant"])
    return (
        f"trial {pick['trial']} is better for {_own(report)}, but for {_name(named)} it is worse than "
        f"{report['expert']['name']} ({_names(pick['refused']['lost'])})."
    )


def _lost(report: Document, lost: Sequence[Document]) -> str:
    devices = listed([f"{_name(variant)} ({_names(variant['lost'])})" for variant in lost])
    others = [_name(variant) for variant in report["variants"] if variant["holds"]]
    held = f"The gain holds for {listed(others)} too, but it" if others else "The gain depends on one model of the devices: it"
    advice = "" if report.get("profiles") else " Where devices behave so, search again with that setting."
    return f"{held} is lost for {devices}.{advice}"


def _profiles(report: Document, profiles: Sequence[Document]) -> str:
    if not any(one["variant"] is not None for one in profiles):
        return ""  # the recommendation serves all, and no model needs its own
    each = [f"{one['file']} ({one['origin']}) for {one['devices']}" for one in profiles]
    return (
        "One profile does not serve all devices better than "
        f"{report['expert']['name']}; if you know yours, take its own: {listed(each)}."
    )


def _unserved(report: Document, variants: Sequence[Document], profiles: Sequence[Document]) -> str:
    served = {one["variant"] for one in profiles}
    if len(served) < 2:
        return ""
    left = [_name(variant) for variant in variants if variant["name"] not in served]
    if not left:
        return ""
    return f"Nothing that was measured keeps the constraints for {listed(left)}: search again with that setting."


def _own(report: Document) -> str:
    """Returns the name of the campaign's own devices, which the report has where it has a profile for them."""
    named = (one["devices"] for one in report.get("profiles", ()) if one["variant"] is None)
    return next(named, "the campaign's own devices")


def _name(variant: Document) -> str:
    return str(variant["devices"])


def _names(lost: Sequence[str]) -> str:
    return ", ".join(words(name) for name in lost)
