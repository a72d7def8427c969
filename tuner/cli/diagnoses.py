# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What `ibcc fabric diagnose` judges: a workload that is simulated, a night, or hosts whose ports are watched."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuner.backends.registry import create_backend
from tuner.check_report.document import run_of_night
from tuner.checks.decided_night import last_as_decided
from tuner.cli import common
from tuner.cli.check_options import history_of, loaded
from tuner.cli.dates import parsed_date
from tuner.cli.one_measurement import measured
from tuner.cli.stop_signals import stop_requested
from tuner.diagnosis.of_agents import insides
from tuner.diagnosis.of_hosts import evidence_of_hosts
from tuner.diagnosis.of_night import diagnosis_of_night
from tuner.diagnosis.of_paths import read_host_links
from tuner.diagnosis.of_run import InsideRead, differing_tables, evidence_of_run
from tuner.diagnosis.verdict import Diagnosis, diagnose
from tuner.documents.fabric import load_fabric
from tuner.documents.inventory import load_inventory
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.one_subnet import chosen_fabric
from tuner.host_triggers.watched_ports import Topology, watched_ports
from tuner.hosts.launchers.base import open_launcher
from tuner.measuring.options import BackendOptions
from tuner.opensm.preload import client_environment
from tuner.placement.grounds import Grounds


def of_night(check: str, night: str | None, history: Path | None) -> Diagnosis:
    """Takes the likeliest causes of a night of a check; the last one without a date."""
    kept = history_of(loaded(check, None, history), history)
    return diagnosis_of_night(run_of_night(last_as_decided(kept.runs(), kept.decisions()), parsed_date("--date", night)))


def of_hosts(
    reference: str, seconds: int, topology: Topology, emulated: str | None, *, paths: Path | None, ask_agents: bool
) -> Diagnosis:
    """Watches the switches' ports to the hosts of an inventory, and asks the agents of hosts that withhold credits. `paths`: what
    `ibcc hosts ping` has found inside them."""
    host_links = () if paths is None else read_host_links(paths)
    inventory = load_inventory(reference)
    hosts = tuple(inventory.by_node.values())
    environment = dict(os.environ) if emulated is None else client_environment(emulated)
    with common.progress_bar("watching ports") as on_progress:
        ports = watched_ports(
            inventory, hosts, topology=topology, socket=None, environment=environment, seconds=seconds, on_progress=on_progress
        )
    slow = [host for host in hosts if host.host in ports and ports[host.host].withholding is not None]
    if not slow or not ask_agents:
        return diagnose(evidence_of_hosts(ports, host_links=host_links))
    with stop_requested() as should_stop:
        known, silent = insides(open_launcher(inventory.launcher, inventory.agent.command), slow, 1.0, should_stop=should_stop)
    for name, why in silent.items():
        common.note(f"host {name}: {why}")
    return diagnose(evidence_of_hosts(ports, known, host_links=host_links))


def of_run(
    reference: str,
    fabric: str | None,
    *,
    usual: str | None,
    profile: str,
    wanted: str | None,
    inside: InsideRead,
    seed: int,
    time_scale: float,
    changes: Mapping[str, Any],
) -> Diagnosis:
    """Simulates the workload, and judges by what was counted."""
    fabric = chosen_fabric(fabric, None)
    read = load_workload(reference)
    if fabric is not None or not (read.flows or read.patterns):
        read = Grounds(fabric).load([reference])[0].workload
    run = read.scaled(time_scale)
    held = load_profile(profile, common.settings_under(dict(changes), "profile"))
    options = BackendOptions(
        fabric=fabric,
        settings={key: value for key, value in changes.items() if not key.startswith("profile.")},
        profiles=(held,),
        owner="ibcc fabric diagnose",
        on_warning=common.notes_once(),
    )
    built = build(load_fabric(fabric or run.fabric))
    drifted = None if wanted is None else _drifted(built, profile, wanted, changes)
    measurement = measured(run, held, create_backend("simulated", options), seed=seed, doing="Simulating")
    evidence = evidence_of_run(
        built,
        run.expanded(built.hosts),
        measurement,
        usual=None if usual is None else load_fabric(usual),
        drifted=drifted,
        inside=inside,
    )
    return diagnose(evidence)


def _drifted(built: BuiltFabric, profile: str, wanted: str, changes: Mapping[str, Any]) -> dict[str, str]:
    held = load_profile(profile, common.settings_under(dict(changes), "profile"))
    return differing_tables(held.resolve(built.fabric), load_profile(wanted, {}).resolve(built.fabric), built)
