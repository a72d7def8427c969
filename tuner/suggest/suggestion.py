# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile for a fabric without any trial, with the reasons for its values and what is not known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ccsim
from ccsim.policy import TIMER_UNIT_NS, Profile
from tuner.documents.device_model import device_model
from tuner.documents.known_dialects import ASKED
from tuner.documents.workload import Workload
from tuner.errors import BadInputError, NoCongestionError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest import dcqcn as dcqcn_rule
from tuner.suggest import rule
from tuner.suggest.dcqcn import DcqcnValues
from tuner.suggest.devices import DeviceModel, says_how_adapters_notify
from tuner.suggest.expected import Expected, expected
from tuner.suggest.kinds import Kinds
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path
from tuner.suggest.queue import Queue
from tuner.suggest.receivers import notifying, paths, require_alike_subnets

MOST_NAME = 200


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A profile that is made for one number of contributors to one receiver at a time."""

    fabric: str
    """Its name."""
    profile: Profile
    values: rule.Values
    expected: Expected
    notifiers: tuple[Notifier, ...]
    """The adapters that the profile is made for: it is to serve each of them."""
    queue: Queue
    reasons: tuple[str, ...]
    unknowns: tuple[str, ...]
    """A sentence for each thing that decides and is not known, with how to find it out."""
    kinds: Kinds
    """Kinds of congestion control that the profile has values for."""
    devices_are_said: bool
    """A setting or the fabric says how adapters notify contributors."""
    dcqcn: DcqcnValues | None = None
    """Values for NVIDIA's devices; None without any."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The profile as a mapping, in the profile's own form."""
        return self.profile.to_dict()

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The document with annex A10's sections even where no device takes them: a campaign may search these on devices that
        have both kinds."""
        return Profile.from_dict({**self.document, **_annex_a10(self.values)}).to_dict()

    @property
    def path(self) -> Path:
        return self.expected.path

    @property
    def contributors(self) -> tuple[int, int]:
        """Fan-in, from least to most, that is expected at one receiver at a time."""
        return self.expected.contributors

    @property
    def made_for(self) -> int:
        """Contributors that the values are worked out for."""
        return self.expected.made_for

    def require_congestion(self) -> None:
        """Raises NoCongestionError if the workload that was to say the fan-in congests nothing."""
        if self.expected.uncongested is not None:
            raise NoCongestionError(
                f"workload '{self.expected.uncongested}' congests nothing: no receiver and no link is asked for more than it "
                "takes, but by chance for moments, so that no profile helps it; take a workload with a hotspot, or give the "
                "number of contributors that one host has at a time"
            )

    @property
    def receive_gbps(self) -> float:
        """Payload that the receiver takes."""
        return self.path.receive_gbps

    @property
    def gap_ns(self) -> float:
        """Time between two packets of a contributor at its fair share."""
        return self.path.gap_ns(self.made_for)

    @property
    def delay_at_limit(self) -> float:
        """The table's last delay, in packet times."""
        return float(self.values.full_scale_packet_times * (rule.CCTI_LIMIT / rule.AT_INDEX) ** rule.EXPONENT)

    def with_values(self, values: rule.Values) -> "Suggestion":
        """Returns a suggestion for the same with other values, with the reasons for these."""
        return _suggestion(
            self.fabric,
            self.expected,
            values,
            self.notifiers,
            self.queue,
            self.kinds,
            self.dcqcn,
            said=self.devices_are_said,
        )

    def values_with(self, *, threshold: int, increase: int, mark_every: Iterable[int] | None) -> rule.Values:
        """Returns the rule's values where some are not free: `mark_every` lists what Marking_Rate + 1 may be, None: anything."""
        return _values(
            self.expected,
            self.notifiers,
            self.queue,
            self.kinds,
            self.dcqcn,
            threshold=threshold,
            increase=increase,
            mark_every=mark_every,
        )


def suggest(
    built: BuiltFabric,
    *,
    workload: Workload | None = None,
    contributors: int | tuple[int, int] | None = None,
    model: Mapping[str, Any] | None = None,
    variants: Sequence[Mapping[str, Any] | DeviceModel] = (),
) -> Suggestion:
    """Returns a profile for a fabric by the rule of balance and room.

    `workload`: read for its fan-in, unless `contributors` says it: N, or the least and the most at one receiver. Without either
    it is unknown. `model`: settings of the devices, such as `{"ca.cnp_spacing_ns": 1600}`, over those of the fabric's document.
    `variants`: further devices that the profile is to serve as well, by settings over `model`. A DeviceModel among them replaces
    what nobody has said of the devices.

    Raises BadInputError if no subnet of the fabric has three hosts, if several have hosts of different kinds, if no sender learns
    of congestion, or if workload, contributors or settings do not fit it.
    """
    document = built.document
    hosts = paths(built)
    kinds = Kinds.of(document)
    if not notifying(document, hosts):
        raise BadInputError(
            f"fabric '{document.name}' has no host at which a profile works: a switch that marks and an adapter that answers "
            f"marks are needed, and the congestion control of one of these is none, PPCC or not known everywhere; {ASKED}"
        )
    require_alike_subnets(document, hosts)
    made = expected(built, workload, contributors)

    def devices(*settings: Mapping[str, Any]) -> ccsim.Model:
        return device_model(document.model, *settings, mtu_bytes=document.mtu_bytes)

    given = devices(model or {})
    said = says_how_adapters_notify(model or {}, document.model)
    others = [one.settings(made.path) if isinstance(one, DeviceModel) else one for one in variants]
    only_kinds = bool(variants) and not said and all(isinstance(one, DeviceModel) for one in variants)
    all_devices = [*([] if only_kinds else [given]), *(devices(model or {}, other) for other in others)]
    notifiers = tuple(dict.fromkeys(Notifier.of(one) for one in all_devices))
    queue = Queue.of(given)
    found = _dcqcn(built, made, given, queue) if kinds.dcqcn or kinds.nvidia_marks else None
    return _suggestion(
        document.name, made, _values(made, notifiers, queue, kinds, found), notifiers, queue, kinds, found, said=said
    )


def _suggestion(
    fabric: str,
    made: Expected,
    values: rule.Values,
    notifiers: tuple[Notifier, ...],
    queue: Queue,
    kinds: Kinds,
    found: DcqcnValues | None,
    *,
    said: bool,
) -> Suggestion:
    reasons, unknowns = list(made.reasons), list(made.unknowns)
    reasons += _reasons(made, values, notifiers, queue, kinds)
    unknowns += _unknown_devices(made, values, notifiers, queue, kinds, said=said)
    if found is not None and kinds.nvidia_marks:
        reasons += dcqcn_rule.switch_reasons(found, made.path)
        unknowns += dcqcn_rule.unknowns(queue)
    if found is not None and kinds.dcqcn:
        reasons += dcqcn_rule.adapter_reasons(found, made.path, made.made_for)
    return Suggestion(
        fabric=fabric,
        profile=_profile(fabric, made, kinds, values, found),
        values=values,
        expected=made,
        notifiers=notifiers,
        queue=queue,
        reasons=tuple(reasons),
        unknowns=(*unknowns, *kinds.left_out),
        kinds=kinds,
        devices_are_said=said,
        dcqcn=found,
    )


def _dcqcn(built: BuiltFabric, made: Expected, model: ccsim.Model, queue: Queue) -> DcqcnValues:
    return dcqcn_rule.choose(made.path, made.made_for, queue, dcqcn_rule.round_trip_us(built, made.path, model))


def _values(
    made: Expected,
    notifiers: Sequence[Notifier],
    queue: Queue,
    kinds: Kinds,
    found: DcqcnValues | None,
    *,
    threshold: int | None = None,
    increase: int = rule.INCREASE,
    mark_every: Iterable[int] | None = None,
) -> rule.Values:
    """Returns the rule's values. Where adapters that run DCQCN live on the marks of annex A10's switches, these must mark often
    enough for them; without adapters of annex A10, as seldom as that allows, and else as the rule for those adapters has it."""
    if found is not None and kinds.dcqcn and kinds.a10_marks:
        most = found.most_mark_every(made.path.gap_ns(made.made_for))
        allowed = list(range(1, most + 1)) if mark_every is None else list(mark_every)
        mark_every = [every for every in allowed if every <= most] or [min(allowed)]
        if not kinds.a10:
            mark_every = [max(mark_every)]
    return rule.choose(
        made.path,
        made.made_for,
        notifiers,
        queue,
        balance=made.balance,
        threshold=threshold,
        increase=increase,
        mark_every=mark_every,
    )


def _profile(fabric: str, made: Expected, kinds: Kinds, values: rule.Values, found: DcqcnValues | None) -> Profile:
    """Annex A10's sections go together: where switches alone have its attributes, nobody takes the other two."""
    nvidia = None if found is None else found.section(switches=kinds.nvidia_marks, adapters=kinds.dcqcn)
    return Profile.from_dict(
        {
            "ibcc_profile": 1 if nvidia is None else 2,
            "name": f"{fabric[:MOST_NAME]}, {made.made_for} contributors",
            "link": {"rate_gbps": made.path.rate_gbps, "mtu_bytes": made.path.mtu_bytes},
            **(_annex_a10(values) if kinds.a10 or kinds.a10_marks else {}),
            **({} if nvidia is None else {"nvidia": nvidia}),
        }
    )


def _annex_a10(values: rule.Values) -> dict[str, Any]:
    return {
        "switch": {
            "threshold": values.threshold,
            "marking_rate": values.marking_rate,
            "packet_size": 8,
            "victim_mask": "ca_ports",
        },
        "ca": {"level": "qp", "ccti_timer": values.ccti_timer, "ccti_increase": values.ccti_increase, "ccti_min": 0},
        "cct": {
            "ccti_limit": rule.CCTI_LIMIT,
            "curve": {
                "kind": "power",
                "full_scale_packet_times": float(f"{values.full_scale_packet_times:.4g}"),
                "at_index": rule.AT_INDEX,
                "exponent": rule.EXPONENT,
            },
        },
    }


def _reasons(made: Expected, values: rule.Values, notifiers: Sequence[Notifier], queue: Queue, kinds: Kinds) -> list[str]:
    """Returns a sentence for each value of annex A10's that some device takes."""
    path, n = made.path, made.made_for
    gap_ns = path.gap_ns(n)
    slowest_ns = max(notifier.slowest_ns(gap_ns, values.mark_every) for notifier in notifiers)
    packets = queue.packets(values.threshold, path.packet_bytes)
    balance = values.holds_ns / slowest_ns
    stay = "CCTIs stay up at the fair share" if balance >= 1 else "CCTIs fall at the fair share, and the profile does nothing"
    found = []
    if kinds.a10_marks or kinds.a10:
        found.append(
            f"One of {n} contributors to a receiver of {path.receive_gbps:.4g} Gb/s sends a packet each {gap_ns / 1e3:.4g} us at "
            f"its fair share, with a pause of {_packet_times(path.pause_packet_times(n))}."
        )
    if kinds.a10_marks:
        found.append(
            f"Threshold {values.threshold} stands for {packets:.3g} packets of the port's buffer: {n} contributors queue some "
            f"{n**0.5:.2g} by chance alone."
        )
    if kinds.a10_marks and kinds.dcqcn:
        found.append(
            f"With Marking_Rate {values.marking_rate} a contributor that runs DCQCN is marked each "
            f"{values.mark_every * gap_ns / 1e3:.4g} us on average, more often than its rate rises."
        )
    if kinds.a10:
        found += [
            f"With Marking_Rate {values.marking_rate} a notification comes each {slowest_ns / 1e3:.4g} us at most, with the "
            "slowest of the adapters that the profile is made for.",
            f"CCTI_Timer {values.ccti_timer} ({values.ccti_timer * TIMER_UNIT_NS / 1e3:.4g} us) with CCTI_Increase "
            f"{values.ccti_increase} gives a balance of {balance:.2f}: {stay}.",
            f"The table delays packets by {_packet_times(values.full_scale_packet_times)} at index {rule.AT_INDEX}, "
            f"{values.full_scale_packet_times / max(1e-9, path.pause_packet_times(n)):.2g} times that pause.",
        ]
    if kinds.a10 and kinds.nvidia_marks:
        found.append(
            "Switches with NVIDIA's attributes have no Marking_Rate and mark up to each packet: behind these, adapters of annex "
            "A10 are notified at least as often."
        )
    return found


def _packet_times(number: float) -> str:
    return f"{number:.4g} packet time{'' if f'{number:.4g}' == '1' else 's'}"


def _unknown_devices(
    made: Expected, values: rule.Values, notifiers: Sequence[Notifier], queue: Queue, kinds: Kinds, *, said: bool
) -> list[str]:
    times = sorted(one.slowest_ns(made.path.gap_ns(made.made_for), values.mark_every) / 1e3 for one in notifiers)
    taken = f"{times[0]:.3g} us" if len(times) == 1 else f"{times[0]:.3g} to {times[-1]:.3g} us"
    adapters = (
        f"How often adapters notify a contributor is not published; once in {taken} is taken. A profile for what yours do "
        "settles sooner: say it by model.ca.cnp_spacing_ns and model.ca.becn_carrier, or find it out by a campaign on the hosts."
    )
    switches = (
        f"Which fill level a Threshold stands for is the switch designer's choice; {values.threshold} is taken to be "
        f"{(16 - values.threshold) / 16 * queue.reference_bytes:.0f} bytes. If contributors lose throughput, lower it by one."
    )
    return [*([adapters] if kinds.a10 and not said else []), *([switches] if kinds.a10_marks else [])]
