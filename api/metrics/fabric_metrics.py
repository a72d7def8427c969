# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Metrics of fabrics and of the notifier. Labels are states, and names that admins chose, of fabrics and addresses: never a host,
a device, a job or a person."""

from collections.abc import Iterable
from statistics import fmean

from prometheus_client.core import GaugeMetricFamily, Metric
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from api.background.fabric_readings import MOST_FABRICS, Reading
from api.database.models.delivery import Delivery
from api.database.models.fabric_watch import FabricWatch
from api.states.deliveries import OPEN, STEPS

_MARKS = ("missing", "new", "not_ready", "not_cabled_as_imported")
"""Those of `api.watch.marks.counts` that are no states of a device in `ibcc_fabric_devices`."""


def fabric_metrics(readings: Iterable[Reading]) -> Iterable[Metric]:
    reachable = GaugeMetricFamily("ibcc_fabric_reachable", "Whether the fabric responded at the last reading.", labels=["fabric"])
    read_at = GaugeMetricFamily(
        "ibcc_fabric_reading_timestamp_seconds", "Time of the last reading, in seconds since 1970.", labels=["fabric"]
    )
    devices = GaugeMetricFamily("ibcc_fabric_devices", "Devices by state.", labels=["fabric", "state"])
    experiment = GaugeMetricFamily("ibcc_fabric_experiment", "Whether a trial run holds the fabric.", labels=["fabric"])
    end = GaugeMetricFamily(
        "ibcc_fabric_experiment_end_timestamp_seconds", "End of the trial run, in seconds since 1970.", labels=["fabric"]
    )
    congestion = GaugeMetricFamily(
        "ibcc_fabric_congestion_ratio",
        "Share of the readings with congestion, 0 to 1, of the worst device and of all on average; absent where none is read.",
        labels=["fabric", "of"],
    )
    for reading in readings:
        reachable.add_metric([reading.fabric], reading.state is not None)
        read_at.add_metric([reading.fabric], reading.at_s)
        if reading.state is None:
            continue
        for state, number in sorted(reading.state.devices.items()):
            if state != "total":
                devices.add_metric([reading.fabric, state], number)
        trial = reading.state.experiment
        experiment.add_metric([reading.fabric], trial is not None)
        if trial is not None and trial.ends_at_s is not None:
            end.add_metric([reading.fabric], trial.ends_at_s)
        if reading.congestion:
            congestion.add_metric([reading.fabric, "worst"], max(reading.congestion))
            congestion.add_metric([reading.fabric, "mean"], fmean(reading.congestion))
    return reachable, read_at, devices, experiment, end, congestion


def watch_metrics(session: Session) -> Iterable[Metric]:
    """Returns gauges of the fabrics that the service watches, as their watchers saw them last."""
    audited = GaugeMetricFamily(
        "ibcc_fabric_audit_timestamp_seconds", "Time of the last whole audit, in seconds since 1970.", labels=["fabric"]
    )
    marked = GaugeMetricFamily("ibcc_fabric_marked_devices", "Devices that are marked, by mark.", labels=["fabric", "mark"])
    down = GaugeMetricFamily("ibcc_fabric_links_down", "Links that are down.", labels=["fabric"])
    query = select(FabricWatch.fabric, FabricWatch.audited_at, FabricWatch.counts).order_by(FabricWatch.fabric)
    for fabric, audited_at, counts in session.execute(query.limit(MOST_FABRICS)):
        if audited_at is not None:
            audited.add_metric([fabric], audited_at.timestamp())
        if counts:
            for mark in _MARKS:
                marked.add_metric([fabric, mark], counts.get(mark, 0))
            down.add_metric([fabric], counts.get("links_down", 0))
    return audited, marked, down


def notifier_metrics(session: Session) -> Iterable[Metric]:
    """Returns gauges of the messages that are kept."""
    deliveries = GaugeMetricFamily("ibcc_notify_deliveries", "Messages by state.", labels=["address", "state"])
    sent_at = GaugeMetricFamily(
        "ibcc_notify_sent_timestamp_seconds", "Time of the last message that was sent, in seconds since 1970.", labels=["address"]
    )
    open_since = GaugeMetricFamily(
        "ibcc_notify_open_since_timestamp_seconds",
        "Time since which the oldest message waits that was tried in vain, in seconds since 1970.",
        labels=["address"],
    )
    tried = case((Delivery.state.in_(OPEN) & (Delivery.attempts > 0), Delivery.began_at))
    query = select(Delivery.address, Delivery.state, func.count(), func.max(Delivery.ended_at), func.min(tried))
    oldest: dict[str, float] = {}
    counts: dict[str, dict[str, int]] = {}
    for address, state, count, ended_at, began_at in session.execute(query.group_by(Delivery.address, Delivery.state)):
        counts.setdefault(address, {})[state] = count
        if state == "sent":
            sent_at.add_metric([address], ended_at.timestamp())
        if began_at is not None:
            oldest[address] = min(began_at.timestamp(), oldest.get(address, float("inf")))
    for address, states in sorted(counts.items()):
        for state in STEPS:
            deliveries.add_metric([address, state], states.get(state, 0))
    for address, since in sorted(oldest.items()):
        open_since.add_metric([address], since)
    return deliveries, sent_at, open_since
