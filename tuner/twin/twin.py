# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All steps from a fabric that was read to a report. A step that cannot be done leaves a sentence, and the others are done."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tuner.documents.device_model import device_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.workload import Workload
from tuner.emulator.line_trial import UNTRIED, LineTrial, try_advised
from tuner.errors import BadInputError, UnreachableError
from tuner.fabric.built_fabric import BuiltFabric, build, connected
from tuner.fabric.importers.base import Imported
from tuner.fabric.opensm_line import OpensmLine, opensm_line
from tuner.fabric.preview import preview
from tuner.fabric.rerouting import rerouted_as_advised
from tuner.fabric.routing_advice import Advice, suited_shape
from tuner.fabric.shapes.switch_graph import several
from tuner.fabric.subnets import described, largest, of_subnet, subnets
from tuner.measuring.measurement import Measurement
from tuner.suggest.dcqcn_outlook import SETTLES_MS
from tuner.suggest.forecast import forecast
from tuner.suggest.notifier import Notifier
from tuner.suggest.outlook import outlook
from tuner.suggest.robust import robust
from tuner.suggest.several import are_unknown, unsaid_devices
from tuner.suggest.suggestion import Suggestion, suggest
from tuner.twin.effect import HURT, Outcome, outcome, simulated
from tuner.twin.page import Drawn, twin_page
from tuner.twin.progress import OnProgress, Progress
from tuner.twin.traffic import Placed, hotspots

SCHEMA = 1
MOST_SUBNETS = 8
"""Subnets on which OpenSM is tried, the largest first."""
CURED = 0.9
"""Share that victims get with a suggestion that cures, of what they ask for, and that contributors keep."""
_SETTLED = 1.5
_LONGEST_SETTLING = 20.0
"""Longest time for settling, as a multiple of the time without a suggestion."""


@dataclass(frozen=True, kw_only=True)
class Twin:
    """`document`: the report as plain values, docs/use/twin.md has the keys; `page`: as HTML; `fabric`: as it was simulated;
    `lines`: advised lines of OpenSM by folder for their files; `negative`: whether OpenSM or the suggestion failed what was asked
    of them."""

    document: dict[str, Any]
    page: str
    fabric: FabricDocument
    workload: Workload | None
    profile_yaml: str | None
    lines: dict[str, OpensmLine]
    negative: bool


def make_twin(
    imported: Imported,
    *,
    source: str,
    subnet: int | None = None,
    seed: int = 1,
    read: Mapping[str, Any] | None = None,
    tell: OnProgress = lambda told: None,
) -> Twin:
    """Makes the twin of a fabric. `source`: name of the file; `subnet`: the one to simulate, by default the largest; `read`:
    `format`, `notes` and `remarks` of an import, in the form of its preview, where the fabric was read before; `tell` may raise,
    which ends the work and leaves nothing behind.

    Raises BadInputError for a fabric that nothing can be said of, and for a subnet that there is not.
    """
    return _Making(imported, source, subnet, seed, read or {}, tell).made()


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """The advised line of OpenSM on one subnet. `subnet`: its number, None if there is one alone; `line`: as people type it;
    `trial`: what came out, None if nobody could try it, and `untried` says why."""

    subnet: int | None
    line: str
    trial: LineTrial | None
    untried: str | None

    @property
    def sentence(self) -> str:
        if self.trial is None:
            return f"{self.untried}"
        return "; ".join(self.trial.sentences())

    def to_json(self) -> dict[str, Any]:
        trial = None if self.trial is None else self.trial.to_json()
        return {"subnet": self.subnet, "text": self.line, "trial": trial, "untried": self.untried}


@dataclass(kw_only=True)
class _Simulated:
    """What was placed, suggested and run, as far as that was possible; `sentence` says what was not."""

    placed: Placed | None = None
    workload: Workload | None = None
    suggestion: Suggestion | None = None
    off: Measurement | None = None
    on: Measurement | None = None
    sentence: str | None = None


class _Making:
    def __init__(
        self,
        imported: Imported,
        source: str,
        subnet: int | None,
        seed: int,
        read: Mapping[str, Any],
        tell: OnProgress,
    ) -> None:
        self._imported, self._source, self._seed, self._read = imported, source, seed, read
        found = subnets(imported.fabric)
        if not found:
            raise BadInputError(f"fabric '{imported.fabric.name}' has no host with a link to a switch, so it has no twin")
        number = largest(found).number if subnet is None else subnet
        self._of_several = described(found) if len(found) > 1 else None
        self._number = number if len(found) > 1 else None
        self._fabric = of_subnet(imported.fabric, number)
        others = sorted((one for one in found if one.number != number), key=lambda one: (-one.ports, one.number))
        self._others = [one.number for one in others] if subnet is None else []
        self._progress = Progress(len(self._fabric.hosts), tell)
        self._lines: dict[str, OpensmLine] = {}

    def made(self) -> Twin:
        progress = self._progress
        progress.begin("comparing routings")
        routed, advice = rerouted_as_advised(self._fabric)
        progress.begin("trying the line on OpenSM")
        trials = list(self._trials(advice))
        fabric, routes = _routes(self._fabric, routed, advice, trials[0].trial)
        built, cannot = _built(fabric)
        found = self._simulated(built, cannot)
        workload = found.workload
        progress.begin("drawing the report")
        before = None if found.off is None or workload is None else outcome(built, workload, found.off)
        after = None if found.on is None or workload is None else outcome(built, workload, found.on)
        document = self._document(built, advice, trials, routes)
        document |= {
            "congestion": _congestion_json(found, before),
            "suggestion": _suggestion_json(found, before, after),
        }
        carried = document["import"]["capacity"]
        # The preview is of the fabric that was simulated, which may have other routes than OpenSM's.
        tried = trials[0].trial
        low = carried["warning"] if carried is not None and tried is not None and fabric is tried.fabric else None
        verdicts = [*_verdicts(trials, low), *_cured(before, after, found.sentence)]
        document |= {
            "verdicts": [{"good": good, "text": text} for good, text in verdicts],
            "negative": any(good is False for good, _ in verdicts),
        }
        page = twin_page(
            document,
            Drawn(built=built, advice=advice, off=found.off, on=found.on, workload=workload),
            on_progress=progress.within,
        )
        return Twin(
            document=document,
            page=page,
            fabric=fabric,
            workload=workload,
            profile_yaml=None if document["suggestion"] is None else document["suggestion"]["profile_yaml"],
            lines=self._lines,
            negative=bool(document["negative"]),
        )

    def _trials(self, advice: Advice) -> Iterator[_Tried]:
        """OpenSM on the subnet that is simulated, and on the other ones."""
        yield self._tried(self._number, "opensm", self._fabric, advice)
        others = self._others[: MOST_SUBNETS - 1]
        for i, number in enumerate(others):
            self._progress.within((i + 1) / (len(others) + 1))
            yield self._tried(number, f"opensm-subnet-{number}", of_subnet(self._imported.fabric, number), None)

    def _tried(self, number: int | None, folder: str, fabric: FabricDocument, advice: Advice | None) -> _Tried:
        trial, untried = None, None
        try:
            line, trial = try_advised(fabric)
        except UnreachableError as error:
            line = opensm_line(fabric, suited_shape(fabric) if advice is None else advice.shape)
            untried = f"{UNTRIED}: {error}"
        self._lines[folder] = line
        return _Tried(subnet=number, line=line.text(Path(folder)), trial=trial, untried=untried)

    def _simulated(self, built: BuiltFabric, cannot: str | None) -> _Simulated:
        progress, found = self._progress, _Simulated()
        if cannot is not None:
            found.sentence = f"Nothing was simulated: {cannot}."
            return found
        progress.begin("placing hotspots")
        try:
            found.placed = placed = hotspots(built, lambda: progress.within(0.5))
        except BadInputError as error:
            found.sentence = f"Nothing congests for others here: {error.sentence}."
            return found
        progress.begin("suggesting a profile")
        none = None
        try:
            kinds = unsaid_devices(built, {})
            made = suggest(built, workload=placed.timed(), variants=kinds)
            found.suggestion = robust(made) if are_unknown(made, kinds) else made
        except BadInputError as error:
            none = f"No profile can be suggested: {error.sentence}."
        settles_s = 0.0 if found.suggestion is None else _settles_s(found.suggestion, built, placed)
        found.workload = workload = placed.timed(settles_s)
        progress.begin("simulating without congestion control")
        try:
            found.off = simulated(built, workload, None, seed=self._seed, on_progress=progress.within)
        except BadInputError as error:
            found.sentence = f"Nothing was simulated: {error.sentence}."
            return found
        if not outcome(built, workload, found.off).hurt:
            placed_ones = several(len(placed.hotspots), "hotspot", "hotspots")
            found.sentence = (
                f"Nothing congests: under {placed_ones} every victim gets {HURT:.0%} or more of what it asks for, so there is "
                "nothing that a profile could cure."
            )
            return found
        if found.suggestion is None:
            found.sentence = none
            return found
        progress.begin("simulating with the suggestion")
        try:
            found.on = simulated(built, workload, found.suggestion.profile, seed=self._seed, on_progress=progress.within)
        except BadInputError as error:
            found.sentence = f"The suggestion was not simulated: {error.sentence}."
        return found

    def _document(self, built: BuiltFabric, advice: Advice, trials: list[_Tried], routes: str) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "source": self._source,
            "seed": self._seed,
            "fabric": built.document.name,
            "import": preview(self._imported, built, advice) | {"advice": None, "differences": None} | dict(self._read),
            "subnets": {"text": self._of_several, "subnet": self._number},
            "advice": advice.to_json(),
            "opensm": [tried.to_json() for tried in trials],
            "routes": routes,
        }


def _routes(given: FabricDocument, routed: FabricDocument, advice: Advice, trial: LineTrial | None) -> tuple[FabricDocument, str]:
    """The fabric by the routes that are simulated, and whose they are."""
    if given.lfts or given.forwarding:
        return given, "by the forwarding tables that the file has"
    if trial is not None and trial.good and trial.credit_loop is None:
        return trial.fabric, f"by the tables of the OpenSM that was tried, engine {trial.engine}"
    return routed, f"by ibcc's routing {advice.chosen}"


def _built(fabric: FabricDocument) -> tuple[BuiltFabric, str | None]:
    """The fabric with its routes, or without any and the sentence why nothing can be simulated."""
    try:
        built = build(fabric)
    except BadInputError as error:
        return connected(fabric), error.sentence
    if loop := built.credit_loop(device_model(fabric.model, mtu_bytes=fabric.mtu_bytes).num_vls):
        return built, f"the routes have a credit loop, so they can deadlock ({loop})"
    return built, None


def _settles_s(suggestion: Suggestion, built: BuiltFabric, placed: Placed) -> float:
    """Time that contributors get to settle under the suggestion, with devices as the simulator's defaults are."""
    ms = SETTLES_MS if suggestion.kinds.dcqcn else 0.0
    if suggestion.kinds.a10:
        document = built.document
        notifier = Notifier.of(device_model(document.model, mtu_bytes=document.mtu_bytes))
        told = forecast(suggestion, suggestion.made_for, notifier)
        ms = max(ms, told.settles_ms + told.recovers_ms)
    return min(_SETTLED * ms * 1e-3, _LONGEST_SETTLING * placed.timed().warmup_s)


def _congestion_json(found: _Simulated, before: Outcome | None) -> dict[str, Any]:
    placed, workload = found.placed, found.workload
    return {
        "sentence": found.sentence,
        "hotspots": [] if placed is None else [asdict(one) for one in placed.hotspots],
        "busy_hosts": 0 if placed is None else placed.busy,
        "hosts": 0 if placed is None else placed.hosts,
        "duration_s": None if workload is None else workload.duration_s,
        "without": None if before is None else before.to_json(),
        "congests": before is not None and before.hurt > 0,
    }


def _suggestion_json(found: _Simulated, before: Outcome | None, after: Outcome | None) -> dict[str, Any] | None:
    suggestion = found.suggestion
    if suggestion is None or (before is not None and not before.hurt):
        return None
    return {
        "profile": suggestion.document,
        "profile_yaml": suggestion.profile.to_yaml(),
        "made_for": suggestion.made_for,
        "receiver_gbps": suggestion.receive_gbps,
        "holds": outlook(suggestion).holds if suggestion.kinds.a10 else None,
        "reasons": list(suggestion.reasons),
        "unknowns": list(suggestion.unknowns),
        "with": None if after is None else after.to_json(),
        "kept": None if after is None or before is None else round(after.contributors / before.contributors, 4),
        "devices": "as the simulator's defaults",
    }


def _verdicts(trials: list[_Tried], low: str | None) -> Iterator[tuple[bool | None, str]]:
    """`low`: why the routes of the first trial carry little; None if they do not, or that is not known."""
    for i, tried in enumerate(trials):
        where = "" if tried.subnet is None else f"subnet {tried.subnet}: "
        text = f"{where}{tried.sentence}"
        text = f"{text[0].upper()}{text[1:]}."
        if i == 0 and tried.trial is not None and tried.trial.good and low is not None:
            yield None, f"{text} But {low}."
        else:
            yield None if tried.trial is None else tried.trial.good, text


def _cured(before: Outcome | None, after: Outcome | None, sentence: str | None) -> Iterator[tuple[bool | None, str]]:
    if sentence is not None:
        yield None, sentence
    if before is None or not before.hurt:
        return
    yield (
        None,
        f"Without congestion control, victims get {before.victims:.0%} of what they ask for; {before.hurt} of {before.n_victims} "
        f"get less than {HURT:.0%}, the worst {before.worst_victim:.0%}.",
    )
    if after is None:
        return
    kept = after.contributors / before.contributors if before.contributors else 0.0
    yield (
        after.victims >= CURED and kept >= CURED,
        f"With the suggested profile, victims get {after.victims:.0%}, the worst {after.worst_victim:.0%}, and contributors keep "
        f"{kept:.0%} of what they got without.",
    )
