# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Metrics for Prometheus. Labels are few and bounded: operations are those of the OpenAPI document, and names are those of
fabrics and of the notifier's addresses, which admins choose.

The counters of a fabric's ports are not repeated here: infiniband_exporter has them.
"""

from collections.abc import Callable, Iterable
from importlib import metadata

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from api.background.fabric_readings import FabricReadings
from api.database.engine import Database
from api.database.models.job import Job
from api.events.hub import Hub
from api.metrics.fabric_metrics import fabric_metrics, notifier_metrics, watch_metrics

# A series for when each series began doubles their number, and nobody reads them.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """Metrics of one application: tests make many in a process."""

    def __init__(self, database: Database, hub: Hub) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "ibcc_http_requests", "Requests answered.", ["method", "operation", "status"], registry=self.registry
        )
        self.request_seconds = Histogram(
            "ibcc_http_request_seconds",
            "Time to the answer's first byte.",
            ["method", "operation"],
            registry=self.registry,
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
        )
        self.readings = FabricReadings(database)
        self.registry.register(_State(database, hub, self.readings))
        ProcessCollector(registry=self.registry)


class _State(Collector):
    """Metrics that are computed at each request for them."""

    def __init__(self, database: Database, hub: Hub, readings: FabricReadings) -> None:
        self._database, self._hub, self._readings = database, hub, readings

    def describe(self) -> Iterable[Metric]:
        return []

    def collect(self) -> Iterable[Metric]:
        info = GaugeMetricFamily("ibcc_build_info", "The service's version.", labels=["version"])
        info.add_metric([metadata.version("ibcc")], 1)
        yield info
        yield GaugeMetricFamily("ibcc_event_listeners", "Event streams that are open.", value=self._hub.listeners)
        up, more = 1, list[Metric]()
        jobs = GaugeMetricFamily("ibcc_jobs", "Jobs by kind and state.", labels=["kind", "state"])
        try:
            with self._database.reading() as session:
                for kind, state, count in session.execute(
                    select(Job.kind, Job.state, func.count()).group_by(Job.kind, Job.state)
                ):
                    jobs.add_metric([kind, state], count)
                more += [*watch_metrics(session), *notifier_metrics(session)]
            more += fabric_metrics(self._readings.latest())
        except SQLAlchemyError:
            up = 0
        yield jobs
        yield from more
        yield GaugeMetricFamily("ibcc_database_up", "Whether the database answers.", value=up)


def exposition(metrics: Metrics, may_use: Callable[[str], bool]) -> tuple[bytes, str]:
    """Text and its media type. `may_use`: of which fabrics, by name, the caller may know."""
    return generate_latest(_Chosen(metrics.registry, may_use)), CONTENT_TYPE_LATEST


class _Chosen:
    """A registry without the samples of some fabrics."""

    def __init__(self, registry: CollectorRegistry, may_use: Callable[[str], bool]) -> None:
        self._registry, self._may_use = registry, may_use

    def collect(self) -> Iterable[Metric]:
        for metric in self._registry.collect():
            metric.samples = [one for one in metric.samples if "fabric" not in one.labels or self._may_use(one.labels["fabric"])]
            yield metric
