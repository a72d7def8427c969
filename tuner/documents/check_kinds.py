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


class Links(KindOptions):
    """Reads the counters of all links, and compares links and counters with those of earlier nights."""

    kind: Literal["links"] = "links"
    topology: Literal["plugin", "discover"] = "plugin"
    """Source of the links: `plugin` takes them from OpenSM's subnet database through the OpenSM plugin, without a MAD; `discover`
    runs `ibnetdiscover`, whose MADs are not within `mads_per_s`, and reads the PortInfo of all ports."""
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket; null: $IBCC_SOCKET, or /run/ibcc/opensm.sock."""
    silence_s: Annotated[float, Within(0, 3600, above=True)] = 300.0
    """Seconds without a sign of life after which the plugin counts as not responding."""
    emulated: Annotated[str, Field(min_length=1)] | None = None
    """Name of an emulated fabric to read; null: the fabric of this machine's InfiniBand."""
    device: Annotated[str, Field(min_length=1)] | None = None
    """InfiniBand device to send from, such as mlx5_0; null: the first with an active port."""
    device_port: Annotated[int, Within(0, 254)] = 0
    """Port of the device; 0: the first that is active."""
    mads_per_s: Annotated[int, Within(1, 500)] = 500
    """Maximum number of MADs in a second, retries among them."""
    bit_error_ratio: Annotated[float, Within(0, 1, above=True)] = 1e-12
    """Symbol errors for each bit of a link, above which it has a finding. IBA allows 1e-12."""
    errors_a_day: Annotated[int, Within(0)] = 10
    """Errors of a port within a day, of one counter (LinkErrorRecoveryCounter, PortRcvErrors, LocalLinkIntegrityErrors,
    ExcessiveBufferOverrunErrors), above which its link has a finding."""
    discards_a_day: Annotated[int, Within(0)] = 100
    """The same of PortXmitDiscards, PortRcvRemotePhysicalErrors and constraint errors."""
    downs_a_day: Annotated[int, Within(1)] = 3
    """Times within a day that a link goes down from which the check fails; fewer are a warning."""
    wait_share: Annotated[float, Within(0, 1, above=True)] = 0.05
    """Share of the time from which a port's PortXmitWait can be out of proportion."""
    wait_factor: Annotated[float, Within(1)] = 5.0
    """Factor by which this share must exceed that of its siblings, and that of the last good night, to be out of proportion."""
    clear_saturated: bool = False
    """True to set counters to 0 that stand at their largest value. Others who read these counters see that too."""

    @model_validator(mode="after")
    def _the_plugin_has_a_socket(self) -> "Links":
        if self.topology == "discover" and self.socket is not None:
            raise misplaced(f"socket is '{self.socket}'; only topology 'plugin' has a socket", "socket")
        return self


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


AnyKind: TypeAlias = Annotated[Fairness | Links | Tables, Field(discriminator="kind")]
