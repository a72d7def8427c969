# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`kinds:` of a check: a model for each kind. How each observes a fabric is in tuner/checks/kinds."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, Within, misplaced

EntryName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,31}$")]


class KindOptions(DocumentModel):
    """The options that every kind has."""

    kind: str
    name: EntryName | None = None
    """Name of the entry, before the dot in its metrics' names; by default the kind's. A check with two entries of a kind names
    them."""

    @property
    def entry(self) -> str:
        return self.name or self.kind


class Tables(KindOptions):
    """Reads back what every device holds, through the OpenSM plugin."""

    kind: Literal["tables"] = "tables"
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket; null: $IBCC_SOCKET, or /run/ibcc/opensm.sock."""
    silence_s: Annotated[float, Within(0, 3600, above=True)] = 300.0
    """Seconds without a sign of life after which the plugin counts as not responding."""


class Fairness(KindOptions):
    """Runs a short workload, and computes the metrics of its flows."""

    kind: Literal["fairness"] = "fairness"
    workload: Annotated[str, Field(min_length=1)] = "scenario-1"
    """Workload, by path or name."""
    backend: Literal["simulated", "emulated"] = "simulated"
    """`simulated` measures `profile`; `emulated` measures the profile in force on a fabric that runs."""
    profile: Annotated[str, Field(min_length=1)] | None = None
    """Profile to simulate, by path or name."""
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Name of the emulated fabric, or path of its control socket."""
    plugin: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket in the emulated fabric; null: $IBCC_SOCKET, or /run/ibcc/opensm.sock."""
    time_scale: Annotated[float, Within(0, 100, above=True)] = 1.0
    """Factor for the times of the workload."""
    repeat: Literal[0, 2, 4] = 2
    """Further measurements of a night whose first one looks changed; the middle values count."""

    @model_validator(mode="after")
    def _the_backend_has_what_it_needs(self) -> "Fairness":
        if self.backend == "simulated":
            if self.profile is None:
                raise misplaced("profile is missing; backend 'simulated' needs the profile to simulate", "backend")
            for key, value in (("socket", self.socket), ("plugin", self.plugin)):
                if value is not None:
                    raise misplaced(f"{key} is '{value}'; only backend 'emulated' has a {key}", key)
            return self
        if self.profile is not None:
            raise misplaced(
                f"profile is '{self.profile}'; backend 'emulated' measures the profile in force, so it must be left out",
                "profile",
            )
        if self.socket is None:
            raise misplaced("socket is missing; backend 'emulated' needs the name of a fabric that runs", "backend")
        return self


AnyKind: TypeAlias = Annotated[Fairness | Tables, Field(discriminator="kind")]
