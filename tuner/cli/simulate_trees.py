# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc simulate --trees`: the page of congestion trees over time, of one run or of two side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.cli import common
from tuner.cli.one_measurement import measured
from tuner.documents.device_model import device_model, nested
from tuner.documents.fabric import FabricDocument
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.one_subnet import found_fabric
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.simulation.check_run import check_run

if TYPE_CHECKING:  # it imports NumPy, which takes time
    from tuner.measuring.port_series import PortSeries

BACKEND = "simulated"
"""The backend that records the queues of ports."""
SUFFIX = ".html"


@dataclass(frozen=True, kw_only=True)
class Beside:
    """The second run."""

    profile: Profile
    options: BackendOptions
    words: str
    """The changes of this run, in the words that the user gave."""


@dataclass(frozen=True, kw_only=True)
class Trees:
    """A page that is to be written after the first run."""

    file: Path
    document: FabricDocument
    workload: Workload
    seed: int
    settings: Mapping[str, Any]
    """Settings of the first run."""
    first_options: BackendOptions
    beside: Beside | None
    recorded: "list[PortSeries]" = field(default_factory=list)

    def write(self, measurement: Measurement) -> None:
        """Runs the second run, if there is one, and writes the page. Raises BadInputError if the file cannot be written."""
        from tuner.fabric.levels import levels_of_switches
        from tuner.report.plots.fabric_wiring import Wiring
        from tuner.report.trees.page import Run, trees_html  # slow to import

        runs = [Run(name=_name(measurement.profile, self.settings), series=self.recorded[-1])]
        if self.beside is not None:
            second = measured(
                self.workload,
                self.beside.profile,
                create_backend(BACKEND, self.beside.options),
                seed=self.seed,
                doing=f"Simulating, with {self.beside.words},",
            )
            runs.append(Run(name=_name(second.profile, self.beside.options.settings), series=self.recorded[-1]))
        page = trees_html(
            Wiring(self.document, levels_of_switches(self.document)),
            runs,
            title=f"{self.workload.name} on {self.document.name}",
            about=f"Simulated for {self.workload.duration_s:g} s, seed {self.seed}.",
        )
        common.write_text(page, self.file)


def requested(
    file: Path | None,
    beside: Sequence[str],
    workload: Workload,
    options: BackendOptions,
    *,
    profile: str,
    settings: Mapping[str, Any],
    backend: str,
    seed: int,
) -> Trees | None:
    """Returns the page that the options of the command ask for; None if they ask for none. Raises BadInputError, before
    anything slow begins, for options that do not go together, and for what the second run cannot take."""
    if file is None:
        if beside:
            raise BadInputError(f"--beside {beside[0]} is a run for the page of --trees FILE; there is no --trees")
        return None
    if file.suffix.lower() != SUFFIX:
        raise BadInputError(f"--trees {file}: the file's name ends in {SUFFIX}, as the page is HTML")
    if backend != BACKEND:
        raise BadInputError(f"--trees needs the queues of all ports, which backend '{BACKEND}' records; '{backend}' does not")
    document = found_fabric(options.fabric or workload.fabric)
    if not document.switches:
        raise BadInputError(f"fabric '{document.name}' has no switches, so there is nothing to draw")
    recorded: list[PortSeries] = []
    options = replace(options, on_port_series=recorded.append)
    return Trees(
        file=file,
        document=document,
        workload=workload,
        seed=seed,
        settings=settings,
        first_options=options,
        beside=_beside(beside, document, options, profile, settings) if beside else None,
        recorded=recorded,
    )


def _beside(
    texts: Sequence[str], document: FabricDocument, options: BackendOptions, profile: str, settings: Mapping[str, Any]
) -> Beside:
    changes: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if key == "profile" and equals:
            profile = value
            continue
        try:
            changes |= common.parse_settings([text])
        except BadInputError as error:
            raise BadInputError(error.sentence.replace("--set", "--beside")) from error
    for key in changes:
        if not key.startswith(("profile.", "model.")):
            raise BadInputError(f"--beside {key}: unknown setting; it is profile=NAME, or begins with profile. or model.")
    both = {**settings, **changes}
    of_profile = common.settings_under(both, "profile")
    others = {key: value for key, value in both.items() if not key.startswith("profile.")}
    model = device_model(document.model, nested(others).get("model", {}), mtu_bytes=document.mtu_bytes)
    chosen = load_profile(profile, of_profile)
    words = " ".join(texts)
    try:
        check_run(build(document), model, chosen)
    except BadInputError as error:
        raise BadInputError(f"--beside {words}: {error.sentence}") from error
    return Beside(profile=chosen, options=replace(options, settings=others), words=words)


def _name(profile: str, settings: Mapping[str, Any]) -> str:
    """What a run is: its profile, and the settings of its devices."""
    own = [f"{key}={value}" for key, value in settings.items() if key.startswith("model.")]
    return ", ".join([f"profile {profile}", *own])
