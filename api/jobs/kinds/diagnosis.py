# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the verdict "host or fabric?" of a fabric: by a workload on the simulated or emulated fabric, or by watching the ports
of switches to hosts."""

import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy.orm import Session

from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.queue.context import JobContext, Stopped
from api.queue.kind import KINDS
from api.services.campaigns.files import fabric_file, workload_file, write_files
from api.services.checks.files import sockets_of
from api.services.fabric_access import connected, kind_of, spec_of
from api.services.fabric_diagnosis import DIAGNOSIS_JOB, diagnosis_result
from api.services.fabric_versions import get_version, version_document
from api.services.fabrics import get_fabric
from api.services.inventories import find_inventory, inventory_of, require_allowed
from api.services.workloads import get_workload
from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.diagnosis.evidence import Evidence, InsideSeen
from tuner.diagnosis.live import Watched, watch
from tuner.diagnosis.of_agents import insides
from tuner.diagnosis.of_hosts import evidence_of_hosts
from tuner.diagnosis.of_run import evidence_of_run
from tuner.diagnosis.verdict import diagnose
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.inventory import Inventory
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.emulator.client import ControlClient
from tuner.errors import InterruptedRunError, UnreachableError
from tuner.fabric.built_fabric import build
from tuner.hosts.launchers.base import open_launcher
from tuner.measuring.options import BackendOptions
from tuner.opensm.device_states import DRIFTED
from tuner.opensm.preload import client_environment
from tuner.placement.grounds import Grounds


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """As they were when the job began. `files`: of the workload, which is `reference` among them; None: none is to run."""

    fabric: Fabric
    usual: FabricDocument | None
    files: Mapping[str, str]
    reference: str | None
    inventory: Inventory | None


class DiagnosisJob:
    """Doing it twice does no harm. It is urgent, since somebody waits for it."""

    resumable: bool = True
    urgent: bool = True
    place: Literal["any", "server"] = "any"

    def __init__(self) -> None:
        self._alone = threading.Lock()  # a workload keeps a processor busy

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        facts = _facts(context, arguments)
        drifted, held = _devices(context, facts.fabric)
        try:
            if facts.reference is None:
                return diagnosis_result(diagnose(_live(context, facts, arguments["seconds"], drifted)), "live")
            while not self._alone.acquire(timeout=0):
                if context.wait(0.2):
                    raise Stopped
            try:
                evidence = _of_workload(context, facts, arguments, drifted, held)
            finally:
                self._alone.release()
        except InterruptedRunError as error:
            raise Stopped from error
        return diagnosis_result(diagnose(evidence), facts.fabric.kind)

    def given_up(self, session: Session, job: Job) -> None:
        """The job itself says what is wrong."""


def _facts(context: JobContext, arguments: Mapping[str, Any]) -> _Facts:
    files: dict[str, str] = {}
    with context.database.reading() as session:
        fabric = get_fabric(session, arguments["fabric"])
        version, workload = arguments["usual_version"], arguments["workload"]
        usual = None if version is None else version_document(get_version(session, fabric.name, version))
        reference = None
        if workload is not None:
            reference = workload_file(get_workload(session, workload), fabric_file(fabric, files), files)
        row = find_inventory(session, fabric.name)
        inventory = None if row is None else inventory_of(row)
    if inventory is not None:
        require_allowed(inventory, context.settings)
    return _Facts(fabric=fabric, usual=usual, files=files, reference=reference, inventory=inventory)


def _devices(context: JobContext, fabric: Fabric) -> tuple[dict[str, str], Profile]:
    """Returns the devices that do not hold what they should, each with the reason, and the base profile."""
    with connected(context.database, fabric) as driver:
        drifted = {
            device.name: "; ".join(device.remarks) or f"it is {device.state}"
            for device in driver.devices()
            if device.present and device.state in DRIFTED
        }
        base = driver.state().base
    return drifted, load_profile("off", {}) if base is None else Profile.from_text(base.document)


def _of_workload(
    context: JobContext, facts: _Facts, arguments: Mapping[str, Any], drifted: Mapping[str, str], held: Profile
) -> Evidence:
    """The backend restores what it found, whatever happens. On an emulated fabric, devices keep what they hold."""
    assert facts.reference is not None
    name, settings = kind_of(facts.fabric).backend(spec_of(facts.fabric))
    with tempfile.TemporaryDirectory(prefix="ibcc-diagnosis-") as folder:
        write_files(facts.files, Path(folder))
        reference = str(Path(folder) / facts.reference) if facts.reference in facts.files else facts.reference
        placed = Grounds().load([reference])[0].workload
        run: Workload = placed.scaled(arguments["time_scale"])
        document = load_fabric(run.fabric)
        options = BackendOptions(
            fabric=document.name if name == "emulated" else run.fabric,
            settings=settings,
            owner="ibcc fabric diagnose, through the ibcc service",
        )
        backend = create_backend(name, options)
        try:
            backend.open()
            if name != "emulated":
                backend.apply(held)
            measurement = backend.measure(
                run,
                seed=arguments["seed"],
                should_stop=context.should_stop,
                on_progress=_Teller(context, f"running workload {arguments['workload']}"),
            )
        finally:
            backend.restore()
            backend.close()
        built = build(document)
        return evidence_of_run(built, run.expanded(built.hosts), measurement, usual=facts.usual, drifted=drifted)


def _live(context: JobContext, facts: _Facts, seconds: int, drifted: Mapping[str, str]) -> Evidence:
    sockets = sockets_of(facts.fabric)
    environment = dict(os.environ)
    if (control := sockets.get("emulator")) is not None:
        with ControlClient(path=Path(control)) as client:
            environment = client_environment(client.server["name"])

    def pause(length_s: float) -> None:
        if context.wait(length_s):
            raise Stopped

    told = _Teller(context, "watching the switches' ports to hosts")
    watched = watch(Path(sockets["plugin"]), seconds, environment=environment, pause=pause, on_progress=told)
    if not watched.ports:
        raise UnreachableError(f"fabric '{facts.fabric.name}' has no active link between a switch and a host to be watched")
    return evidence_of_hosts(watched.ports, _inside(context, facts, watched), watched.links, drifted)


def _inside(context: JobContext, facts: _Facts, watched: Watched) -> Mapping[str, InsideSeen]:
    """Asks the agents of hosts that withhold credits, where the fabric has an inventory."""
    if facts.inventory is None:
        return {}
    slow = [host for host in facts.inventory.by_node.values() if host.host in watched.withholding]
    if not slow:
        return {}
    launcher = open_launcher(facts.inventory.launcher, facts.inventory.agent.command)
    return insides(launcher, slow, 1.0, should_stop=context.should_stop)[0]


class _Teller:
    """Tells the job's progress, in hundredths."""

    def __init__(self, context: JobContext, text: str) -> None:
        self._context, self._text, self._told = context, text, -1

    def __call__(self, fraction: float) -> None:
        percent = round(100 * min(1.0, max(0.0, fraction)))
        if percent >= self._told + 2:
            self._told = percent
            self._context.progress(percent, 100, self._text)


KINDS.add(DIAGNOSIS_JOB, DiagnosisJob())
