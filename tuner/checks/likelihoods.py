# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The table of likely causes. A cause is a row: its name, its place, how it is told apart and the next step. It is told apart by
how often it shows a symptom at its place, and how often the symptom is there without it. docs/operate/check-causes.md has it, and
a test compares the two.

The numbers are estimates. Only their orders of magnitude matter: symptoms depend on each other, so causes are shown in order and
without probabilities.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["port", "node", "fabric"]


@dataclass(frozen=True)
class SymptomRow:
    """`otherwise`: probability that it is at a place where the cause in question is not, in a night with an alarm. `kinds`: those
    that look for it; empty for any kind with such a metric. `meaning`: for people. `compared`: it needs a good night."""

    otherwise: float
    kinds: tuple[str, ...]
    meaning: str
    compared: bool = False


@dataclass(frozen=True)
class CauseRow:
    """`prior`: how often it happens, against the others. `shows`: probability of each symptom at its place; other symptoms say
    nothing about it. `level`: what a place of it is. `opened_by`: symptoms of which a place must have one to be a candidate.
    `sentence`: with `{place}`. `next_step`: a command, where no symptom has one: with `{check}`, `{fabric}`, `{inventory}`, and
    `{simulate}`, the command that repeats the measurement."""

    prior: float
    shows: Mapping[str, float]
    level: Level
    opened_by: tuple[str, ...]
    sentence: str
    next_step: str


_TABLES, _LINKS, _ROUTES, _FLOWS, _HOSTS = ("tables",), ("links",), ("routes",), ("fairness",), ("hosts",)

SYMPTOMS: Mapping[str, SymptomRow] = {
    "device-drifted": SymptomRow(0.01, _TABLES, "a device held other values than it should"),
    "device-clamped": SymptomRow(0.01, _TABLES, "a device took other values than it was sent"),
    "device-refused": SymptomRow(0.01, _TABLES, "a device refused a value"),
    "device-withheld": SymptomRow(0.01, _TABLES, "a device was not sent all that it should hold"),
    "device-foreign": SymptomRow(0.01, _TABLES, "a device obeys NVIDIA's attributes that somebody else has switched on"),
    "device-timing-out": SymptomRow(0.01, _TABLES, "a device is not responding"),
    "device-unknown": SymptomRow(0.01, _TABLES, "it is unknown what a device holds"),
    "device-gone": SymptomRow(0.01, _TABLES, "a device of the last good night is not there", compared=True),
    "hosts-gone": SymptomRow(0.005, _LINKS, "several hosts of a switch are gone", compared=True),
    "device-not-ready": SymptomRow(0.01, _TABLES, "OpenSM has not brought a port up"),
    "revision-changed": SymptomRow(0.02, _TABLES, "the plugin wants another revision than in the last good night", compared=True),
    "node-replaced": SymptomRow(
        0.002, (*_TABLES, *_LINKS), "another device has the name or the cables of one that is gone", compared=True
    ),
    "cables-swapped": SymptomRow(0.002, _LINKS, "cables have exchanged their ports", compared=True),
    "cable-moved": SymptomRow(0.005, _LINKS, "a cable is plugged elsewhere", compared=True),
    "link-gone": SymptomRow(0.005, _LINKS, "a link of the last good night is gone"),
    "link-slow": SymptomRow(0.005, _LINKS, "a link is slower than both ends can"),
    "link-narrow": SymptomRow(0.005, _LINKS, "a link is narrower than both ends can"),
    "link-errors": SymptomRow(0.02, _LINKS, "a port counts errors"),
    "link-flapping": SymptomRow(0.01, _LINKS, "a link went down and came up"),
    "xmit-wait": SymptomRow(0.05, _LINKS, "a port waits for credits out of proportion"),
    "counters-unread": SymptomRow(0.01, _LINKS, "a port's counters could not be read"),
    "route-changed": SymptomRow(0.01, _ROUTES, "forwarding tables are not those of the last good night"),
    "route-missing": SymptomRow(0.005, _ROUTES, "a destination has no route"),
    "sl2vl-changed": SymptomRow(0.005, _ROUTES, "an SL-to-VL table is not that of the last good night"),
    "credit-loop": SymptomRow(0.005, _ROUTES, "routes can deadlock"),
    "link-unbalanced": SymptomRow(0.02, _ROUTES, "a link has more routes than its siblings"),
    "host-fault": SymptomRow(0.02, _HOSTS, "a host has a fault"),
    "host-path-slow": SymptomRow(0.01, _HOSTS, "a path inside a host is slow in loop-back tests"),
    "host-link-failed": SymptomRow(0.005, _HOSTS, "loop-back tests name a link inside a host that looks failed, or badly set"),
    "host-link-misconfigured": SymptomRow(0.005, _HOSTS, "the latency of a GPU's link shows that ACS is on, or ATS off"),
    "host-link-overloaded": SymptomRow(0.01, _HOSTS, "a link inside a busy host is slow, and others use it"),
    "host-link-flapping": SymptomRow(0.002, _HOSTS, "a link inside a host is slow in some of the last nights"),
    "host-stalled": SymptomRow(0.02, _FLOWS, "a host's adapter waits for PCIe credits more than before", compared=True),
    "host-withholds": SymptomRow(
        0.03,
        (*_FLOWS, *_LINKS),
        "the switch's port to a host waits more than before, and the host receives less than its link",
        compared=True,
    ),
    "sender-slower": SymptomRow(
        0.05, _FLOWS, "what a host sends is slower than before, beside others to the same receivers", compared=True
    ),
    "sender-faster": SymptomRow(
        0.05, _FLOWS, "what a host sends is faster than before, beside others to the same receivers", compared=True
    ),
    "receiver-slower": SymptomRow(0.03, _FLOWS, "all that a host receives is slower than before", compared=True),
    "link-flows-slower": SymptomRow(
        0.03, _FLOWS, "what crosses a link between switches is slower than before, and little else", compared=True
    ),
    "not-throttled": SymptomRow(
        0.02, _FLOWS, "a host is notified as before or more, and yet sends more; or the canary finds so", compared=True
    ),
    "traffic-foreign": SymptomRow(0.02, _FLOWS, "a host sends or receives what is none of the workload's", compared=True),
    "marks-fewer": SymptomRow(
        0.05, _FLOWS, "a switch marks fewer packets than before, for the time that its ports wait", compared=True
    ),
    "marks-more": SymptomRow(
        0.1, _FLOWS, "a switch marks more packets than before, for the time that its ports wait", compared=True
    ),
    "victims-worse": SymptomRow(0.4, (), "victim throughput is worse"),
    "contributors-worse": SymptomRow(0.2, (), "contributor or total throughput is worse"),
    "unfair": SymptomRow(0.4, (), "treatment variation, spread or Jain's index is worse"),
    "settling-slower": SymptomRow(0.3, (), "settle time is worse"),
    "latency-worse": SymptomRow(0.3, (), "tail latency is worse"),
    "impact-worse": SymptomRow(0.4, (), "an impact factor of congestion is worse"),
    "workload-changed": SymptomRow(0.01, _FLOWS, "the workload is not that of the last good night", compared=True),
    "profile-changed": SymptomRow(0.01, _FLOWS, "the profile is not that of the last good night", compared=True),
    "version-changed": SymptomRow(0.02, _FLOWS, "ibcc is not that of the last good night", compared=True),
    "other-fault": SymptomRow(0.01, (), "any other finding"),
}

_OF_DEVICES = tuple(name for name in SYMPTOMS if name.startswith("device-"))
_OF_METRICS = tuple(name for name, row in SYMPTOMS.items() if not row.kinds and name != "other-fault")

CAUSES: Mapping[str, CauseRow] = {
    "degraded-link": CauseRow(
        1.0,
        {
            "link-slow": 0.5,
            "link-narrow": 0.4,
            "link-errors": 0.3,
            "xmit-wait": 0.3,
            "link-flows-slower": 0.6,
            "sender-slower": 0.3,
            "receiver-slower": 0.3,
            "marks-more": 0.2,
            "victims-worse": 0.6,
            "contributors-worse": 0.4,
            "impact-worse": 0.5,
        },
        level="port",
        opened_by=("link-slow", "link-narrow", "link-errors", "link-flows-slower", "sender-slower", "receiver-slower"),
        sentence="a link is slower than it was, or loses packets: {place}",
        next_step="iblinkinfo --line",
    ),
    "lost-link": CauseRow(
        1.0,
        {
            "link-gone": 0.6,
            "hosts-gone": 0.2,
            "device-gone": 0.2,
            "link-flapping": 0.5,
            "link-errors": 0.3,
            "route-changed": 0.6,
            "link-flows-slower": 0.3,
            "link-unbalanced": 0.3,
            "victims-worse": 0.4,
            "contributors-worse": 0.3,
            "impact-worse": 0.4,
        },
        level="port",
        opened_by=("link-gone", "hosts-gone", "link-flapping"),
        sentence="a link is gone, or goes down and comes up: {place}",
        next_step="iblinkinfo --line",
    ),
    "swapped-cables": CauseRow(
        0.5,
        {"cables-swapped": 0.6, "cable-moved": 0.4, "route-changed": 0.6, "link-unbalanced": 0.2, "victims-worse": 0.2},
        level="node",
        opened_by=("cables-swapped", "cable-moved"),
        sentence="cables are plugged elsewhere: {place}",
        next_step="iblinkinfo --line",
    ),
    "replaced-node": CauseRow(
        0.5,
        {"node-replaced": 0.9, "device-gone": 0.5, "route-changed": 0.6, "victims-worse": 0.2},
        level="node",
        opened_by=("node-replaced",),
        sentence="a device was replaced: {place}",
        next_step="ibcc profile verify",
    ),
    "slow-receiver": CauseRow(
        1.0,
        {
            "host-withholds": 0.7,
            "host-stalled": 0.4,
            "host-path-slow": 0.3,
            "host-fault": 0.2,
            "receiver-slower": 0.6,
            "xmit-wait": 0.3,
            "unfair": 0.5,
            "contributors-worse": 0.4,
        },
        level="node",
        opened_by=("host-withholds", "host-stalled", "receiver-slower"),
        sentence="a host is slow to receive, and withholds credits: {place}",
        next_step="ibcc hosts triggers {inventory}",
    ),
    "slow-sender": CauseRow(
        1.0,
        {
            "sender-slower": 0.6,
            "host-path-slow": 0.3,
            "host-fault": 0.2,
            "unfair": 0.5,
            "contributors-worse": 0.4,
        },
        level="node",
        opened_by=("sender-slower",),
        sentence="a host is slow to send: {place}",
        next_step="ibcc hosts check {inventory}",
    ),
    "host-link-failed": CauseRow(
        1.0,
        {
            "host-link-failed": 0.9,
            "host-path-slow": 0.95,
            "host-withholds": 0.3,
            "host-stalled": 0.2,
            "receiver-slower": 0.3,
            "sender-slower": 0.3,
            "unfair": 0.3,
            "contributors-worse": 0.3,
        },
        level="node",
        opened_by=("host-link-failed",),
        sentence="a link inside a host has failed, or its adapter is badly set: {place}",
        next_step="ibcc hosts ping {inventory}",
    ),
    "host-link-misconfigured": CauseRow(
        1.0,
        {"host-link-misconfigured": 0.9, "host-path-slow": 0.95, "host-fault": 0.2, "host-stalled": 0.2, "unfair": 0.2},
        level="node",
        opened_by=("host-link-misconfigured",),
        sentence="a link inside a host is slow by its configuration: {place}",
        next_step="ibcc hosts ping {inventory}",
    ),
    "host-link-overloaded": CauseRow(
        1.0,
        {
            "host-link-overloaded": 0.9,
            "host-path-slow": 0.95,
            "host-withholds": 0.5,
            "host-stalled": 0.4,
            "receiver-slower": 0.4,
            "unfair": 0.3,
        },
        level="node",
        opened_by=("host-link-overloaded",),
        sentence="a link inside a busy host is overloaded, or has failed: {place}",
        next_step="ibcc hosts ping {inventory}",
    ),
    "host-link-flapping": CauseRow(
        1.0,
        {
            "host-link-flapping": 0.95,
            "host-path-slow": 0.4,
            "host-withholds": 0.2,
            "receiver-slower": 0.2,
            "sender-slower": 0.2,
            "unfair": 0.2,
        },
        level="node",
        opened_by=("host-link-flapping",),
        sentence="a link inside a host is slow in some nights and not in others: {place}",
        next_step="ibcc hosts ping {inventory}",
    ),
    "host-misconfigured": CauseRow(
        0.5,
        {
            "host-fault": 0.8,
            "host-path-slow": 0.6,
            "host-stalled": 0.3,
            "host-withholds": 0.3,
            "sender-slower": 0.3,
            "receiver-slower": 0.3,
            "unfair": 0.3,
            "contributors-worse": 0.3,
        },
        level="node",
        opened_by=("host-fault", "host-path-slow"),
        sentence="a host is not set up as it should be: {place}",
        next_step="ibcc hosts check {inventory}",
    ),
    "wrong-tables": CauseRow(
        1.0,
        {
            "device-drifted": 0.5,
            "device-clamped": 0.2,
            "device-refused": 0.2,
            "device-withheld": 0.2,
            "device-foreign": 0.2,
            "device-timing-out": 0.2,
            "device-unknown": 0.1,
            "device-not-ready": 0.1,
            "device-gone": 0.1,
            "marks-fewer": 0.3,
            "not-throttled": 0.3,
            "sender-faster": 0.3,
            "sender-slower": 0.2,
            "victims-worse": 0.5,
            "unfair": 0.5,
            "impact-worse": 0.6,
        },
        level="node",
        opened_by=_OF_DEVICES,
        sentence="a device does not hold, or did not hold, its tables: {place}",
        next_step="ibcc profile verify",
    ),
    "wrong-threshold": CauseRow(
        0.5,
        {
            "device-drifted": 0.9,
            "device-clamped": 0.1,
            "device-refused": 0.1,
            "marks-fewer": 0.7,
            "marks-more": 0.3,
            "link-flows-slower": 0.3,
            "victims-worse": 0.6,
            "contributors-worse": 0.3,
            "unfair": 0.6,
            "impact-worse": 0.6,
        },
        level="node",
        opened_by=("marks-fewer", "marks-more"),
        sentence="a switch marks too late or too early; its threshold, marking rate or mask is wrong: {place}",
        next_step="ibcc profile verify",
    ),
    "aggressive-tenant": CauseRow(
        1.0,
        {
            "traffic-foreign": 0.9,
            "sender-faster": 0.3,
            "sender-slower": 0.3,
            "receiver-slower": 0.5,
            "xmit-wait": 0.3,
            "not-throttled": 0.1,
            "victims-worse": 0.5,
            "contributors-worse": 0.5,
            "unfair": 0.4,
            "impact-worse": 0.3,
        },
        level="node",
        opened_by=("traffic-foreign", "sender-faster"),
        sentence="somebody sends more than before, such as a new job or tenant: {place}",
        next_step="ibcc fabric congestion",
    ),
    "not-throttling": CauseRow(
        0.5,
        {
            "not-throttled": 0.8,
            "sender-faster": 0.8,
            "host-fault": 0.3,
            "victims-worse": 0.7,
            "unfair": 0.8,
            "impact-worse": 0.6,
        },
        level="node",
        opened_by=("not-throttled",),
        sentence="an adapter does not throttle when it is notified: {place}",
        next_step="ibcc hosts canary {inventory}",
    ),
    "changed-routes": CauseRow(
        0.5,
        {
            "route-changed": 0.9,
            "route-missing": 0.1,
            "sl2vl-changed": 0.2,
            "credit-loop": 0.1,
            "link-unbalanced": 0.4,
            "link-flows-slower": 0.3,
            "victims-worse": 0.4,
            "contributors-worse": 0.3,
            "impact-worse": 0.4,
        },
        level="fabric",
        opened_by=("route-changed", "sl2vl-changed"),
        sentence="routes have changed",
        next_step="ibcc fabric show {fabric}",
    ),
    "wrong-routes": CauseRow(
        0.4,
        {
            "route-missing": 0.4,
            "credit-loop": 0.3,
            "link-unbalanced": 0.5,
            "link-flows-slower": 0.2,
            "victims-worse": 0.3,
            "contributors-worse": 0.3,
        },
        level="fabric",
        opened_by=("route-missing", "credit-loop", "link-unbalanced"),
        sentence="routes are missing, can deadlock, or share links badly",
        next_step="ibcc fabric routing {fabric}",
    ),
    "changed-profile": CauseRow(
        1.0,
        {
            "revision-changed": 0.9,
            "profile-changed": 0.9,
            "marks-fewer": 0.4,
            "marks-more": 0.4,
            "victims-worse": 0.5,
            "contributors-worse": 0.4,
            "unfair": 0.6,
            "settling-slower": 0.5,
            "impact-worse": 0.6,
        },
        level="fabric",
        opened_by=("revision-changed", "profile-changed"),
        sentence="another profile is in force than in the last good night",
        next_step="ibcc fabric log",
    ),
    "changed-measurement": CauseRow(
        0.3,
        {
            "workload-changed": 0.6,
            "version-changed": 0.4,
            "victims-worse": 0.4,
            "contributors-worse": 0.4,
            "unfair": 0.4,
            "settling-slower": 0.4,
            "latency-worse": 0.4,
            "impact-worse": 0.4,
        },
        level="fabric",
        opened_by=("workload-changed", "version-changed", *_OF_METRICS),
        sentence="the measurement itself has changed: the workload's document, or ibcc",
        next_step="{simulate}",
    ),
    "other-fault": CauseRow(
        0.3,
        {"other-fault": 0.9},
        level="node",
        opened_by=("other-fault",),
        sentence="a fault that no rule knows: {place}",
        next_step="ibcc check show {check}",
    ),
}
