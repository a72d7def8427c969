# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts together how a suggested profile does, by fan-in and by device model, and where it stops to work."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tuner.document_base.words import listed
from tuner.documents.campaign_scenarios import VICTIMS_SHARE
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.dcqcn import RECOVERY_US
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.forecast import Forecast, Verdict, fan_ins, forecast, notifiers, works_up_to
from tuner.suggest.holding import Cell, holding
from tuner.suggest.notifier import Notifier
from tuner.suggest.suggestion import Suggestion

if TYPE_CHECKING:
    from tuner.suggest.incast import Incasts, Measured

GIVEN = "given"
"""Name of devices that settings say, and that are none of DEVICE_MODELS."""


@dataclass(frozen=True, kw_only=True)
class DeviceOutlook:
    """Outlook with devices of one kind."""

    device: str
    """Name in DEVICE_MODELS, or GIVEN."""
    meaning: str
    notifier: Notifier
    made_for: bool
    """The profile was made to serve them."""
    works_up_to: int | None
    """Contributors to one receiver; None: it does not cure even two."""
    forecasts: tuple[Forecast, ...]
    """Forecasts by the rule, in ascending order of contributors."""
    measured: "tuple[Measured | None, ...]" = ()
    """Incasts on the fabric with the same numbers of contributors; empty unless they were simulated, None where more contributors
    than are expected have no routes."""

    def to_json(self) -> dict[str, Any]:
        return {
            "device": self.device,
            "meaning": self.meaning,
            "made_for": self.made_for,
            "works_up_to": self.works_up_to,
            "forecasts": [one.to_json() for one in self.forecasts],
            "measured": [None if one is None else one.to_json() for one in self.measured],
        }


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """Outlooks in the order of DEVICE_MODELS, behind those for devices that are given and none of these."""

    suggestion: Suggestion
    devices: tuple[DeviceOutlook, ...]

    @property
    def holds(self) -> str:
        """A sentence on the devices that the profile is made for: with how many contributors it holds by forecast, and who loses
        otherwise, as campaigns with scenarios say it of what they measured."""
        cells = [
            Cell(model=device.device, devices=device.device, contributors=ahead.contributors, losers=ahead.losers)
            for device in self.devices
            if device.made_for
            for ahead in device.forecasts
        ]
        made = self.suggestion
        where = f", at receivers of {made.receive_gbps:.4g} Gb/s," if made.expected.several_rates else ""
        return f"It {'; '.join(holding(cells, how=f' by forecast{where}', lose='may lose'))}."

    @property
    def stops(self) -> list[str]:
        """Sentences on where the profile stops to work."""
        made = self.suggestion
        fails = [one for one in self.devices if one.works_up_to is None or one.works_up_to < made.made_for]
        works = [one.works_up_to for one in self.devices if one not in fails and one.works_up_to is not None]
        sentences, with_others = [], ""
        if fails:
            names = ", ".join(one.device for one in fails)
            sentences.append(
                f"By the rule, it is not sure to hold back {made.made_for} contributors "
                f"whose adapters are of these kinds: {names}."
            )
            with_others = " with the other kinds"
        if works and min(works) >= made.expected.most:
            sentences.append(
                f"By the rule, it holds back any number of contributors{with_others}, up to the {made.expected.most} that the "
                "fabric has hosts for."
            )
        elif works:
            sentences.append(
                f"By the rule, it holds back up to {min(works)} contributors to one receiver{with_others}; with many more, "
                "victims are held back as without congestion control."
            )
        sentences += self._refuted()
        recovers_ms = max(one.recovers_ms for device in self.devices for one in device.forecasts)
        sentences.append(
            f"When congestion begins or ends, contributors may send less than they could for up to {recovers_ms:.3g} ms: "
            "congestion that comes and goes faster costs more than the table says."
        )
        return sentences

    def _refuted(self) -> Iterator[str]:
        """Yields a sentence for each kind of devices whose simulated victims lose where the forecast says that they are cured."""
        for device in self.devices:
            lost = [
                measured
                for ahead, measured in zip(device.forecasts, device.measured, strict=False)
                if ahead.verdict is Verdict.CURES and measured is not None and (measured.victims or 1) < VICTIMS_SHARE
            ]
            if lost:
                worst = min(lost, key=lambda measured: measured.victims or 1)
                yield (
                    f"Against the forecast, simulated victims lose with {device.device} at "
                    f"{listed([str(measured.contributors) for measured in lost])} contributors: with {worst.contributors} they "
                    f"get {(worst.victims or 0) * 100:.1f} % of what they ask for."
                )

    def to_json(self) -> dict[str, Any]:
        """Plain values; the profile is its document."""
        made = self.suggestion
        return {
            "profile": made.document,
            "contributors": {"least": made.contributors[0], "most": made.contributors[1], "made_for": made.made_for},
            "receiver_gbps": made.receive_gbps,
            "reasons": list(made.reasons),
            "unknowns": list(made.unknowns),
            "holds": self.holds,
            "stops": self.stops,
            "devices": [one.to_json() for one in self.devices],
        }


def outlook(
    suggestion: Suggestion,
    *,
    built: BuiltFabric | None = None,
    numbers: Sequence[int] = (),
    model: Mapping[str, Any] | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> Outlook:
    """Returns how a suggestion does by the rule, for each of `numbers` of contributors, or some that suit it.

    With `built`, an incast of each is simulated on that fabric too, with the settings `model`, and over them those of each device
    model. Raises BadInputError if the fabric has no routes for an incast.
    """
    numbers = numbers or fan_ins(suggestion)
    incasts = None
    if built is not None:
        from tuner.suggest.incast import Incasts  # slow to import

        incasts = Incasts(built, suggestion)
    kinds = [
        *((GIVEN, "devices as they are given", one, {}) for one in given(suggestion)),
        *(
            (name, DEVICE_MODELS[name].meaning, notifier, DEVICE_MODELS[name].settings(suggestion.path))
            for name, notifier in notifiers(suggestion).items()
        ),
    ]
    found = []
    for place, (name, meaning, notifier, settings) in enumerate(kinds):

        def progress(done: float, before: float = float(place)) -> None:
            on_progress((before + done) / len(kinds))

        forecasts = tuple(forecast(suggestion, number, notifier) for number in numbers)
        all_settings = {**(model or {}), **settings}
        measured = () if incasts is None else _measured(incasts, forecasts, all_settings, suggestion, progress)
        found.append(
            DeviceOutlook(
                device=name,
                meaning=meaning,
                notifier=notifier,
                made_for=notifier in suggestion.notifiers,
                works_up_to=works_up_to(suggestion, notifier),
                forecasts=forecasts,
                measured=tuple(measured),
            )
        )
    return Outlook(suggestion=suggestion, devices=tuple(found))


def given(suggestion: Suggestion) -> list[Notifier]:
    """Returns the adapters that the profile is made for and that no device model has."""
    return [one for one in suggestion.notifiers if one not in notifiers(suggestion).values()]


def _measured(
    incasts: "Incasts",
    forecasts: Sequence[Forecast],
    settings: Mapping[str, Any],
    suggestion: Suggestion,
    on_progress: Callable[[float], None],
) -> Iterator["Measured | None"]:
    for i, ahead in enumerate(forecasts):

        def progress(done: float, before: float = float(i)) -> None:
            on_progress((before + done) / len(forecasts))

        try:
            yield incasts.measure(ahead.contributors, settings, settles_ms=_warm_up_ms(ahead, suggestion), on_progress=progress)
        except BadInputError:
            if ahead.contributors <= suggestion.made_for:
                raise
            yield None


def _warm_up_ms(one: Forecast, suggestion: Suggestion) -> float:
    """Returns the time to warm up. At first all buffers on the way are full, which drives CCTIs beyond the fair share: they have
    to recover from that, and so have rates of adapters that run DCQCN."""
    rates_ms = RECOVERY_US * 1e-3 if suggestion.kinds.dcqcn else 0.0
    return max(rates_ms, one.settles_ms + one.recovers_ms if one.verdict is Verdict.CURES else 0.0)
