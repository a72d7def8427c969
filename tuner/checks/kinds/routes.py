# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `routes`: forwarding tables and SL-to-VL tables, and what follows from them."""

import time
from collections.abc import Iterator
from pathlib import Path

from tuner.checks import kind
from tuner.checks.kind import KINDS, Kind
from tuner.checks.observation import MetricKind, Observation, count
from tuner.checks.routes.changes import without_planned
from tuner.checks.routes.findings import Compared, Night, findings
from tuner.checks.routes.record import forwarding_of, record_of
from tuner.documents.check_kinds import Routes
from tuner.errors import UnreachableError
from tuner.fabric.forwarding import Forwarding, of_document
from tuner.fabric.importers.base import import_fabric
from tuner.opensm.plugin_client import PluginClient, default_socket
from tuner.opensm.subnet_forwarding import of_subnet

_CHANGED, _UNREACHABLE, _LOOPS = (count(name, "less") for name in ("changed_entries", "unreachable_pairs", "credit_loops"))
_IMBALANCE = count("imbalance", "less")
_METRICS = (_CHANGED, _UNREACHABLE, _LOOPS, _IMBALANCE)


def plan(options: Routes, night: kind.Night) -> str:
    if options.source == "files":
        return f"read forwarding tables from {options.tables}, and links from {options.topology}"
    return (
        f"have the OpenSM plugin at {default_socket(options.socket)} tell OpenSM's links, forwarding tables and SL-to-VL tables"
    )


def observe(options: Routes, night: kind.Night) -> Observation:
    """Sends no MAD."""
    before = None if night.good is None else forwarding_of(night.good.record)
    now = _of_files(options) if options.source == "files" else _of_plugin(options, before)
    if isinstance(now, str):
        return Observation(not_run=now)
    if not now.switches or not now.is_host.any():
        return Observation(not_run="OpenSM knows no switch with a host, so there are no routes")
    night.on_progress(0.3)
    tonight = Night(now)
    good = None
    if night.good is not None and before is not None:
        good = Compared(night.good.night, Night(before), without_planned(before, now, night.expected))
    found = findings(tonight, good, options.unbalanced)
    return Observation(
        metrics=tuple(_metrics(tonight, good)), findings=tuple(found), facts=tuple(_facts(tonight, good)), record=record_of(now)
    )


def _metrics(tonight: Night, good: Compared | None) -> Iterator[tuple[MetricKind, float | None]]:
    yield _CHANGED, None if good is None else float(good.changes.count)
    yield _UNREACHABLE, float(tonight.routes.unreachable)
    yield _LOOPS, None if tonight.loop is None else float(bool(tonight.loop))
    yield _IMBALANCE, max((group.share for group in tonight.routes.groups), default=1.0)


def _facts(tonight: Night, good: Compared | None) -> Iterator[str]:
    f = tonight.forwarding
    engine = "" if f.engine is None else f", routing engine {f.engine}"
    yield f"{len(f.switches)} switches and {int(f.is_host.sum())} host ports{engine}"
    yield "no good night to compare with yet" if good is None else f"compared with the night of {good.date}"
    if tonight.loop is None:
        yield f"credit loops were not looked for, as {f.engine} chooses the SL of each path, which its tables do not tell"


def _of_plugin(options: Routes, before: Forwarding | None) -> Forwarding | str:
    """Or why it could not be run. `before`: in an earlier night."""
    with PluginClient(default_socket(options.socket), silence_s=options.patience_s) as client:
        subnet = client.subnet(patience_s=options.patience_s)
    if not subnet.complete:
        return (
            "OpenSM's last sweep ended with errors, so its tables may not be those of the switches; see OpenSM's log, and run "
            "the check after a sweep without errors"
        )
    names = {} if before is None else before.names
    return of_subnet(subnet, {f"0x{guid:016x}": name for guid, name in names.items()})


def _of_files(options: Routes) -> Forwarding:
    """Raises BadInputError for a file that is not what it should be or does not fit the other, and UnreachableError for one that
    is missing or too old."""
    topology, tables = Path(options.topology or ""), Path(options.tables or "")
    for path in (topology, tables):
        _require_fresh(path, options.max_age_h)
    return of_document(import_fabric(topology, routes=tables).fabric)


def _require_fresh(path: Path, max_age_h: float) -> None:
    try:
        age_h = (time.time() - path.stat().st_mtime) / 3600
    except OSError as error:
        raise UnreachableError(f"{path} cannot be read: {error.strerror}; write it before the check runs") from error
    if age_h > max_age_h:
        raise UnreachableError(f"{path} is {age_h:.0f} h old, and max_age_h is {max_age_h:g}; write it before the check runs")


KINDS.add("routes", Kind(options=Routes, metrics=_METRICS, plan=plan, observe=observe, is_structure=True))
