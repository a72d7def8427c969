# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Watches a campaign of a service until it has ended, and fetches its report."""

import json
import os
import shlex
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from api.client import Client, FailedError, ServiceEvent
from api.documents.campaigns import CampaignDocument
from api.states.campaigns import AT_WORK, WAITING, CampaignAction
from tuner.campaign.progress import Phase
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.main import SERVER_VARIABLE
from tuner.cli.tune_progress import Best, Display, Standing, displayed
from tuner.cli.tune_result import result_table
from tuner.errors import BadInputError, IbccError, InterruptedRunError, NoFeasibleProfileError
from tuner.report.write import earlier_profiles, write_artifacts


def command(*words: str) -> str:
    """The command line that makes this service do that."""
    return shlex.join(["ibcc", "--server", os.environ[SERVER_VARIABLE], *words])


def follow(
    service: Client, campaign: CampaignDocument, *, start: bool = False, stop_on_interrupt: bool = False
) -> CampaignDocument:
    """The campaign when it has finished. `start`: starts it, once its events are received. Raises FailedError if the campaign
    failed, and InterruptedRunError if somebody stopped or paused it, or interrupts this command."""
    if campaign.state == "draft" and not start:
        raise BadInputError(f"campaign '{campaign.name}' is a draft; start it first{_hint(campaign, 'start')}")
    try:
        with _interruptible(), displayed() as display:
            ended = _followed(service, campaign.id, display, start=start)
    except KeyboardInterrupt:
        raise _interrupted(service, campaign, stop_on_interrupt) from None
    if ended.state == "finished":
        return ended
    if ended.state == "failed":
        code = None if ended.job is None else service.job(ended.job).exit_code
        raise FailedError(f"campaign '{ended.name}' failed: {ended.problem}", code)
    raise InterruptedRunError(
        f"the campaign is {ended.state}; {ended.trials_done} of {ended.trials_total} trials are kept{_hint(ended, 'resume')}"
    )


def _hint(campaign: CampaignDocument, action: CampaignAction) -> str:
    """The command for an action, if this person may take it now."""
    return f"; {action} with: {command('campaign', action, campaign.id)}" if action in campaign.actions else ""


def write_result(
    service: Client, campaign: CampaignDocument, folder: Path | None, output: Output, output_file: Path | None
) -> None:
    """The report into a folder, and the result as `ibcc tune` prints it. Raises NoFeasibleProfileError."""
    text = service.report(campaign.id)
    report: dict[str, Any] = json.loads(text)
    recommended = report["recommended"]
    common.note(f"the search ended: {campaign.ended}")
    if folder is not None:
        profile = None if recommended is None else recommended["profile_yaml"]
        artifacts: dict[str, str | None] = dict.fromkeys(earlier_profiles(folder))
        artifacts |= {"report.json": text, "report.html": service.report_html(campaign.id), "profile.yaml": profile}
        artifacts |= {one["file"]: one["profile_yaml"] for one in report.get("profiles", ())}
        write_artifacts(artifacts, folder)
    if output is Output.JSON:
        common.write_json(report, output_file)
    else:
        common.write_rich(result_table(report), output_file)
    again = command("campaign", "watch", campaign.id, "--report", "DIR")
    common.note(f"the report is {folder / 'report.html'}" if folder else f"fetch the report with: {again}")
    if recommended is None:
        raise NoFeasibleProfileError(" ".join(report["headline"]["sentences"]))


def _followed(service: Client, campaign_id: str, display: Display, *, start: bool) -> CampaignDocument:
    shown = _Shown(display)
    for event in service.events(f"campaign:{campaign_id}", "jobs"):
        if event.kind == "open":
            if start:
                start = False
                service.start_campaign(campaign_id)
        elif not shown.handle(event):
            continue
        now = service.campaign(campaign_id)
        if now.state not in AT_WORK:
            return now
        shown.show(now)
    raise AssertionError("the stream of events has no end")


class _Shown:
    """Shows the events of a campaign, and decides after which the campaign must be fetched again."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._phase = self._job = ""
        self._began_s = time.monotonic()
        self._waits: str | None = None

    def show(self, campaign: CampaignDocument) -> None:
        """Shows the campaign as the service returns it."""
        self._job = campaign.job or ""
        self._began_s = time.monotonic() - campaign.elapsed_s
        why = f"is waiting: {campaign.problem}" if campaign.problem else "is waiting for a free worker"
        waits = why if campaign.state in WAITING else None
        if waits is not None and waits != self._waits:
            common.note(f"campaign '{campaign.name}' ({campaign.id}) {waits}")
        self._waits = waits
        best = campaign.best
        self._enter(campaign.phase, _standing(campaign.trials_done, campaign.trials_total, campaign.elapsed_s, None, best))

    def handle(self, event: ServiceEvent) -> bool:
        """Shows an event. Returns whether the campaign must be fetched again."""
        data = event.data
        if event.kind == "job":
            return bool(data["id"] == self._job and data["ended_at"] is not None)
        elapsed_s = time.monotonic() - self._began_s
        if event.kind == "trial":
            elapsed_s = data.get("elapsed_s", elapsed_s)
            standing = _standing(data["trials_done"], data["trials_total"], elapsed_s, data["remaining_s"], data["best"])
            self._enter("search", standing)
            self._display.trial(standing)
            return False
        self._enter(data["phase"], _standing(data["trials_done"], data["trials_total"], elapsed_s, None, None))
        if event.kind == "progress":
            runs = data["progress"]
            self._display.measured(data["measured"], runs["done"], runs["total"], runs["remaining_s"])
        return bool(data["state"] != "running")

    def _enter(self, phase: str, standing: Standing) -> None:
        if phase and phase != self._phase:
            self._phase = phase
            known: dict[str, Phase] = {"references": "references", "search": "search", "confirmation": "confirmation"}
            self._display.phase(known[phase], standing)


def _standing(finished: int, total: int, elapsed_s: float, remaining_s: float | None, best: dict[str, Any] | None) -> Standing:
    found = None if best is None else Best(best["number"], best["victim_throughput_gbps"], best["treatment_variation_gbps2"])
    return Standing(finished=finished, total=total, elapsed_s=elapsed_s, remaining_s=remaining_s, find_best=lambda: found)


def _interrupted(service: Client, campaign: CampaignDocument, stop: bool) -> InterruptedRunError:
    watch = command("campaign", "watch", campaign.id)
    if not stop:
        return InterruptedRunError(
            f"interrupted; campaign '{campaign.name}' keeps running in the service. Watch it with: {watch}; "
            f"stop it with: {command('campaign', 'stop', campaign.id)}"
        )
    try:
        service.stop_campaign(campaign.id)
    except IbccError as error:
        return InterruptedRunError(
            f"interrupted; campaign '{campaign.name}' could not be stopped ({error}). Watch it with: {watch}"
        )
    return InterruptedRunError(
        f"interrupted; campaign '{campaign.name}' was stopped, and finished trials are kept. "
        f"Resume it with: {command('campaign', 'resume', campaign.id)}"
    )


@contextmanager
def _interruptible() -> Iterator[None]:
    """Makes SIGTERM do what Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
