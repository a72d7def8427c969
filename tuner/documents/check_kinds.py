# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`kinds:` of a check: a model for each kind. How each observes a fabric is in tuner/checks/kinds."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, Within, misplaced
from tuner.documents.inventory import NodeSetText

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

    @property
    def needs_hosts(self) -> bool:
        """True for an entry that uses hosts of the section `hosts`."""
        return False


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
    backend: Literal["simulated", "emulated", "cluster"] = "simulated"
    """`simulated` measures `profile`; `emulated` and `cluster` measure the profile in force, on an emulated fabric that runs and
    on the hosts of the check's section `hosts`."""
    profile: Annotated[str, Field(min_length=1)] | None = None
    """Profile to simulate, by path or name."""
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Name of the emulated fabric, or path of its control socket."""
    plugin: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket in the emulated fabric; null: $IBCC_SOCKET, or /run/ibcc/opensm.sock."""
    time_scale: Annotated[float, Within(0, 100, above=True)] = 1.0
    """Factor for the times of the workload."""

    @property
    def needs_hosts(self) -> bool:
        return self.backend == "cluster"

    @model_validator(mode="after")
    def _the_backend_has_what_it_needs(self) -> "Fairness":
        if self.backend == "simulated" and self.profile is None:
            raise misplaced("profile is missing; backend 'simulated' needs the profile to simulate", "backend")
        if self.backend != "emulated":
            for key, value in (("socket", self.socket), ("plugin", self.plugin)):
                if value is not None:
                    raise misplaced(f"{key} is '{value}'; only backend 'emulated' has a {key}", key)
        if self.backend != "simulated" and self.profile is not None:
            raise misplaced(
                f"profile is '{self.profile}'; backend '{self.backend}' measures the profile in force, so it must be left out",
                "profile",
            )
        if self.backend == "emulated" and self.socket is None:
            raise misplaced("socket is missing; backend 'emulated' needs the name of a fabric that runs", "backend")
        return self


class CongestionImpact(KindOptions):
    """Runs GPCNeT's canaries alone and beside its congestors, or reads what GPCNeT itself has printed."""

    kind: Literal["congestion_impact"] = "congestion_impact"
    backend: Literal["simulated", "emulated", "cluster", "gpcnet"] = "simulated"
    """`simulated` measures `profile`; `emulated` and `cluster` measure the profile in force, on an emulated fabric that runs and
    on the hosts of the check's section `hosts`; `gpcnet` reads `output`."""
    profile: Annotated[str, Field(min_length=1)] | None = None
    """Profile to simulate, by path or name."""
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Name of the emulated fabric, or path of its control socket."""
    plugin: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket in the emulated fabric; null: $IBCC_SOCKET, or /run/ibcc/opensm.sock."""
    output: Annotated[str, Field(min_length=1)] | None = None
    """File that the site's job writes with GPCNeT's network_load_test, version 1.x."""
    max_age_h: Annotated[float, Within(0, 24 * 366, above=True)] = 24.0
    """Age in hours beyond which `output` is not of this night."""
    rings: Annotated[int, Within(1, 30)] = 10
    """Random rings that a canary tries one after the other; GPCNeT takes 30. On hosts there are at most 4."""
    host_us: Annotated[float, Within(0, 1000)] = 2.0
    """Time in µs that a simulated host takes from a message to the next."""
    seed: Annotated[int, Within(0, 2**63 - 1)] = 1
    """Number that decides which hosts are canaries and which congestors, the same every night, so that nights are comparable."""

    @property
    def needs_hosts(self) -> bool:
        return self.backend == "cluster"

    @model_validator(mode="after")
    def _the_backend_has_what_it_needs(self) -> "CongestionImpact":
        own = {"simulated": ("profile",), "emulated": ("socket", "plugin"), "gpcnet": ("output",)}
        for backend, keys in own.items():
            for key in keys:
                value = getattr(self, key)
                if backend != self.backend and value is not None:
                    raise misplaced(f"{key} is '{value}'; only backend '{backend}' has it", key)
        needed = own.get(self.backend, ())[:1]
        if needed and getattr(self, needed[0]) is None:
            raise misplaced(f"{needed[0]} is missing; backend '{self.backend}' needs it", "backend")
        return self


class Hosts(KindOptions):
    """Has the hosts' agents check them, and maybe finds out which adapters throttle."""

    kind: Literal["hosts"] = "hosts"
    inventory: Annotated[str, Field(min_length=1)] | None = None
    """Inventory, by path or name; null: the hosts that the check takes tonight, by its section `hosts`."""
    nodes: NodeSetText | None = None
    """Nodes of the inventory, such as `node[01-16]`; null: all."""
    patience_s: Annotated[float, Within(1, 3600)] = 60.0
    """Seconds that each step of the check gets."""
    canary: bool = False
    """True to find out which adapters throttle too, by traffic among the hosts under the canary's profile, for seconds, within
    the inventory's maintenance windows. It needs the plugin."""

    @property
    def needs_hosts(self) -> bool:
        return self.inventory is None


AnyKind: TypeAlias = Annotated[Fairness | Tables | CongestionImpact | Hosts, Field(discriminator="kind")]
