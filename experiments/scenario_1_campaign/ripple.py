# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how contributors' CCTIs move, and how much of the treatment variation that explains.

A BECN raises a CCTI by a step, each tick of the CCTI_Timer takes one back. A flow whose CCTI is one step above the others'
sends slower by the part `step`. If it gets a BECN for each of its marked packets, it gets fewer of them by that part: in each
period of the timer it falls behind the others' BECNs by `step`, and is with them again after period / step. Where CNPs are
spaced it takes longer: a flow waits for the spacing to be over, whatever its rate, and only then for its next marked packet.
BECNs come at times that are partly random, so CCTIs wander apart while they are pulled together; of this, a sample of 10 ms keeps
what is slower than itself.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

import ccsim
from ccsim.policy import TIMER_UNIT_NS
from experiments.scenario_1_campaign.bed import EXPERT, workload
from tuner.documents.device_model import device_model, nested
from tuner.documents.fabric import load_fabric
from tuner.documents.parameter import Scalar
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import build
from tuner.goals.sample_window import window_samples
from tuner.goals.series import Series
from tuner.simulation.flows import simulated_flows

INTERVAL_S = 5e-5
WANDER_SAMPLES = 50
ROOT = ("S2", 2)
"""The port to H5, where the contributors meet."""
BITS_PER_PACKET = 8 * 2048


@dataclass(frozen=True, kw_only=True)
class Ripple:
    """Figures of one run, over its window; means over the contributors."""

    ccti: Series
    """Shape (contributors, samples of 50 µs)."""
    mean_ccti: float
    swing: float
    """Standard deviation over time of the contributors' mean CCTI, in steps: of what all of them do together."""
    apart: float
    """Root mean square of the difference of two flows' CCTIs, in steps."""
    wander: float
    """Root mean square of how much that difference changes within 2.5 ms, about a swing of gran-2010's."""
    step: float
    """Fraction by which a flow's rate falls with one step of CCTI, at the mean."""
    period_us: float
    """Period of the CCTI_Timer."""
    relaxation_ms: float
    """Time after which the correlation of the difference of two flows' CCTIs has fallen to 1/e."""
    becn_interval_us: float
    """Mean time between two BECNs of a flow."""
    congested: float
    """Part of the packets that pass the root while it is in the congestion state."""
    variation_gbps2: float
    """Treatment variation of the run."""
    variation_from_ccti_gbps2: float
    """The same from the rates that the CCTIs allow: what it would be if nothing else moved."""

    @property
    def shortest_relaxation_ms(self) -> float:
        """Period by step, see above; infinite where a step makes no difference."""
        return self.period_us / self.step / 1e3 if self.step > 0 else math.inf


def ripple(
    settings: Mapping[str, Scalar], *, seed: int, model: Mapping[str, Any] | None = None, time_scale: float = 1.0
) -> Ripple:
    """Simulates the steady workload under the expert's profile with other values. `model`: changes to the devices."""
    document = workload().scaled(time_scale)
    built = build(load_fabric(document.fabric))
    profile = load_profile(EXPERT, dict(settings))
    result = ccsim.Simulation(
        built.fabric,
        simulated_flows(built, document),
        tables=profile.resolve(built.fabric),
        model=device_model(built.document.model, nested(model or {}), mtu_bytes=built.document.mtu_bytes),
        seed=seed,
        duration_s=document.duration_s,
        sample_interval_s=INTERVAL_S,
        trace_ccti=True,
    ).run()
    rows = [i for i, flow in enumerate(document.flows) if flow.role == "contributor"]
    samples = window_samples(document.window(), INTERVAL_S, result.received_bytes.shape[1])
    assert result.ccti is not None
    ccti = result.ccti[rows, samples].astype(np.float64)
    allowed = _rates_gbps(profile.encode())
    fields = profile.to_dict()
    mean = float(ccti.mean())
    differences = np.array([ccti[a] - ccti[b] for a, b in combinations(range(len(rows)), 2)])
    starts = [document.flows[i].start_s for i in rows]
    active_s = sum(document.duration_s - start for start in starts)
    name_of = [built.fabric.node_name(node) for node in range(built.fabric.num_nodes)]
    root = next(
        k
        for k, (node, port) in enumerate(zip(result.ports["node"], result.ports["port"], strict=True))
        if (name_of[int(node)], int(port)) == ROOT
    )
    marked, sent = (int(result.ports[column][root]) for column in ("fecn_marked", "xmit_packets"))
    return Ripple(
        ccti=ccti,
        mean_ccti=mean,
        swing=float(ccti.mean(axis=0).std()),
        apart=_rms(differences),
        wander=_rms(differences[:, WANDER_SAMPLES:] - differences[:, :-WANDER_SAMPLES]),
        step=_step(allowed, mean),
        period_us=fields["ca"]["ccti_timer"] * TIMER_UNIT_NS / 1000,
        relaxation_ms=relaxation_s(ccti) * 1e3,
        becn_interval_us=active_s / int(result.flows["becn_received"][rows].sum()) * 1e6,
        congested=marked * (fields["switch"]["marking_rate"] + 1) / sent,
        variation_gbps2=treatment_variation(
            result.received_bytes[rows, samples] * 8 / INTERVAL_S / 1e9, document.sample_interval_s
        ),
        variation_from_ccti_gbps2=treatment_variation(
            np.interp(ccti, np.arange(len(allowed)), allowed), document.sample_interval_s
        ),
    )


def treatment_variation(gbps: Series, interval_s: float) -> float:
    """Returns the treatment variation of rates of shape (contributors, samples of 50 µs), as it is at a coarser sample interval,
    in Gb²/s²."""
    each = round(interval_s / INTERVAL_S)
    whole = gbps.shape[1] // each
    coarse = gbps[:, : whole * each].reshape(len(gbps), whole, each).mean(axis=2)
    return float((coarse.max(axis=0) - coarse.min(axis=0)).var())


def relaxation_s(ccti: Series) -> float:
    """After what time the autocorrelation of the differences of any two rows has fallen to 1/e; rows are samples of 50 µs.

    The whole length if it never does, as for differences that do not change at all.
    """
    n_flows, n_samples = ccti.shape
    correlation = np.zeros(n_samples)
    for a, b in combinations(range(n_flows), 2):
        difference = ccti[a] - ccti[b]
        power = np.abs(np.fft.rfft(difference - difference.mean(), 2 * n_samples)) ** 2
        correlation += np.fft.irfft(power)[:n_samples]
    below = np.flatnonzero(correlation < correlation[0] / np.e)
    return float(below[0] if len(below) else n_samples) * INTERVAL_S


def _rates_gbps(encoding: "ccsim.policy.Encoding") -> Series:
    """Returns the payload rate that a flow may send at, by CCTI."""
    assert encoding.packet_time_ns is not None
    delays = np.array([entry.ird_ns or 0.0 for entry in encoding.entries])
    rates: Series = BITS_PER_PACKET / (encoding.packet_time_ns + delays)
    return rates


def _rms(values: Series) -> float:
    return float(np.sqrt((values**2).mean()))


def _step(allowed: Series, ccti: float) -> float:
    """Returns the step of `Ripple`, taken over ten steps around since single entries are rounded."""
    around = np.clip(np.array([ccti - 5, ccti + 5]), 0, len(allowed) - 1)
    high, low = np.interp(around, np.arange(len(allowed)), allowed)
    return float(np.log(high / low) / (around[1] - around[0]))


def mean(ripples: Sequence[Ripple], figure: str) -> float:
    """Returns the mean of a figure over several runs."""
    return fmean(getattr(one, figure) for one in ripples)
