# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fixed points of DCQCN for N flows on one link, and the fluid model of the paper in time.

The fluid model (Zhu et al., SIGCOMM 2015, section 5; its fixed point: Zhu et al., CoNEXT 2016, theorem 1) has, for each flow,

    dR_T/dt = -(R_T - R_C) a/tau + R_AI R_C (c + e)
    dR_C/dt = -R_C alpha a / (2 tau) + (R_T - R_C)/2 R_C (b + d)
    dalpha/dt = g/tau' ((1 - (1-p)^(tau' R_C)) - alpha)

with a = 1 - (1-p)^(tau R_C), b = p/((1-p)^-B - 1), d = p/((1-p)^(-T R_C) - 1), c = (1-p)^(F B) b, e = (1-p)^(F T R_C) d;
rates are in packets. Where all stand still, a^2 alpha / ((b + d)(c + e)) = tau^2 R_AI R_C. Additive increase begins with the
F-th expiry here, as in the paper's pseudocode (max(T, BC) < F is fast recovery), so the exponents have F - 1.

It takes marks as independent of what the flow has just done. But for tau after a CNP there is no other, so a cut hardly ever
comes in the first stage after a cut, where R_T and R_C are far apart. `renewal_share` counts that: the time between two cuts is
tau plus an exponential time of rate p R. Over such a cycle R_T gains E R_AI, E the mean number of additive increases, and loses
the distance that R_C still has from it at the next cut: alpha R_C / 2 halved at each expiry, and each R_AI likewise.
"""

import math
from collections.abc import Callable, Iterator, Sequence

from experiments.dcqcn.settings import LINE_GBPS, WIRE_BYTES, Settings

PACKET_BITS = 8 * WIRE_BYTES


def queue_bytes(settings: Settings, p: float) -> float:
    """The queue at which the share p is marked. REQUIRES: p is at most Pmax."""
    return settings.kmin_bytes + p / settings.pmax * (settings.kmax_bytes - settings.kmin_bytes)


def fluid_share(settings: Settings, flows: int) -> float:
    """The share of packets that is marked at the fixed point of the fluid model. REQUIRES: machine `paper`."""
    rate, step = _rates(settings, flows)
    tau, alpha_s = settings.cnp_us * 1e-6, settings.alpha_us * 1e-6

    def excess(p: float) -> float:
        a, alpha = _any(p, tau * rate), _any(p, alpha_s * rate)
        increases, additive = _increases(settings, p, rate)
        return a * a * alpha / (increases * additive) - tau * tau * step * rate

    return _root(excess)


def renewal_share(settings: Settings, flows: int) -> float:
    """The same with CNPs that are tau apart at least. The byte counter is left out. REQUIRES: machine `paper`, increase_us and
    alpha_us of cnp_us at least."""
    rate, step = _rates(settings, flows)

    def excess(p: float) -> float:
        cuts = p * rate  # a second, once tau is over
        none = math.exp(-cuts * settings.increase_us * 1e-6)
        spaced = math.exp(cuts * settings.cnp_us * 1e-6)
        f = settings.threshold
        decays = spaced / math.expm1(cuts * settings.alpha_us * 1e-6)  # of alpha, for each rise
        alpha = 1 / (1 + decays)
        additive = spaced * none**f / (1 - none)
        half = (none / 2) / (1 - none / 2)
        left = 1 - spaced * none + spaced * (1 - none) * half  # mean of 2^-expiries
        left_additive = 1 - spaced * none**f + spaced * (1 - none) * none ** (f - 1) * half
        return alpha * rate / 2 * left + step * (1 - left_additive) - step * additive

    return _root(excess)


def joining(settings: Settings, *, settled: int, seconds: float, dt_s: float = 1e-6) -> Iterator[tuple[float, Sequence[float]]]:
    """Times and rates in Gb/s of `settled` flows at the fixed point and one that joins at the link's rate, with alpha 1 at its
    first CNP, by the fluid model."""
    p = fluid_share(settings, settled)
    fair = LINE_GBPS / settled
    rates, targets = [fair] * settled + [LINE_GBPS], [fair] * settled + [LINE_GBPS]
    alphas = [_any(p, settings.alpha_us * 1e-6 * _packets(fair))] * settled + [1.0]
    queue = queue_bytes(settings, p)
    tau, alpha_s = settings.cnp_us * 1e-6, settings.alpha_us * 1e-6
    step = settings.ai_gbps
    for i in range(round(seconds / dt_s)):
        yield i * dt_s, tuple(rates)
        p = 0.0
        if queue > settings.kmin_bytes:
            p = (queue - settings.kmin_bytes) / (settings.kmax_bytes - settings.kmin_bytes) * settings.pmax
        if queue > settings.kmax_bytes:
            p = 1.0
        queue = max(0.0, queue + (sum(rates) - LINE_GBPS) * 1e9 / 8 * dt_s)
        for f, rate in enumerate(rates):
            packets = _packets(rate)
            a = _any(p, tau * packets)
            increases, additive = _increases(settings, p, packets)
            gap = targets[f] - rate
            targets[f] = min(LINE_GBPS, targets[f] + dt_s * (-gap * a / tau + step * packets * additive))
            rates[f] = min(LINE_GBPS, rate + dt_s * (-rate * alphas[f] * a / (2 * tau) + gap / 2 * packets * increases))
            alphas[f] += dt_s * settings.g / alpha_s * (_any(p, alpha_s * packets) - alphas[f])


def _packets(gbps: float) -> float:
    return gbps * 1e9 / PACKET_BITS


def _rates(settings: Settings, flows: int) -> tuple[float, float]:
    """The fair share and R_AI, in packets a second."""
    return _packets(LINE_GBPS / flows), _packets(settings.ai_gbps)


def _any(p: float, packets: float) -> float:
    """The probability that one of so many packets is marked."""
    return 1.0 if p >= 1 else -math.expm1(packets * math.log1p(-p))


def _expiries(p: float, packets: float) -> float:
    """The increases for each packet that a counter of so many packets brings about, which marks set back."""
    if p <= 0:
        return 1 / packets
    return 0.0 if p >= 1 else p / math.expm1(min(700.0, -packets * math.log1p(-p)))


def _increases(settings: Settings, p: float, rate: float) -> tuple[float, float]:
    """For each packet: all increases, and the additive ones."""
    counters = [settings.increase_us * 1e-6 * rate]
    if settings.byte_counter:
        counters.append(settings.byte_counter / WIRE_BYTES)
    counts = [_expiries(p, packets) for packets in counters]
    late = [1 - _any(p, (settings.threshold - 1) * packets) for packets in counters]
    return sum(counts), sum(count * share for count, share in zip(counts, late, strict=True))


def _root(excess: Callable[[float], float]) -> float:
    """Where a function that rises with p is 0."""
    low, high = 1e-9, 0.9
    for _ in range(100):
        middle = math.sqrt(low * high)
        if excess(middle) > 0:
            high = middle
        else:
            low = middle
    return low
