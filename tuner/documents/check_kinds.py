# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`kinds:` of a check: a model for each kind. How each observes a fabric is in tuner/checks/kinds."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, Within, misplaced
from tuner.documents.catalogue import Kind
from tuner.documents.inventory import NodeSetText

Place: TypeAlias = Literal["plugin", "emulator"]
"""A socket by which a fabric is reached: the plugin's, or the one that controls an emulated fabric."""

_EMULATED: Mapping[str, Place] = {"socket": "emulator", "plugin": "plugin"}
_HOSTS: Mapping[str, Place] = {"plugin": "plugin"}

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

    @property
    def repetitions(self) -> int:
        """Number of times that an entry which looks changed is observed again in the same night."""
        return 0

    beside: ClassVar[frozenset[str]] = frozenset()
    """Options that make no difference to whether nights are comparable."""

    documents: ClassVar[Mapping[str, Kind]] = {}
    """Options that name documents, by path or name; a path is relative to the check's file."""

    files: ClassVar[tuple[str, ...]] = ()
    """Options that name other files, relative to the check's file."""

    where_there_is_one: ClassVar[frozenset[str]] = frozenset()
    """Options of `places` that are left out on a fabric that has no such socket."""

    @classmethod
    def places(cls, given: Mapping[str, Any]) -> Mapping[str, Place] | None:
        """The options that say where the fabric is reached, for an entry with these options. The service fills them in, and lets
        nobody else do so. None: the service cannot run this kind."""
        return None


class Tables(KindOptions):
    """Reads back what every device holds, through the OpenSM plugin."""

    kind: Literal["tables"] = "tables"
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket; null: $IBCC_SOCKET, or /run/ibcc/opensm.sock."""
    silence_s: Annotated[float, Within(0, 3600, above=True)] = 300.0
    """Seconds without a sign of life after which the plugin counts as not responding."""

    @classmethod
    def places(cls, given: Mapping[str, Any]) -> Mapping[str, Place]:
        return {"socket": "plugin"}


class Links(KindOptions):
    """Reads the counters of all links, and compares links and counters with those of earlier nights."""

    kind: Literal["links"] = "links"
    topology: Literal["plugin", "discover"] = "plugin"
    """Source of the links: `plugin` takes them from OpenSM's subnet database through the OpenSM plugin, without a MAD; `discover`
    runs `ibnetdiscover`, whose MADs are not within `mads_per_s`, and reads the PortInfo of all ports."""
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket; null: $IBCC_SOCKET, or /run/ibcc/opensm.sock."""
    patience_s: Annotated[float, Within(0, 3600, above=True)] = 300.0
    """Seconds after which a plugin that is silent, or an OpenSM that sweeps, is not waited for."""
    emulated: Annotated[str, Field(min_length=1)] | None = None
    """Name of an emulated fabric to read, or path of its control socket; null: the fabric of this machine's InfiniBand."""
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
    ibdiagnet: Annotated[str, Field(min_length=1)] | None = None
    """Path of an `ibdiagnet2.db_csv` of at most a day ago, for error rates after FEC and temperatures of modules; null: none."""
    module_celsius: Annotated[int, Within(1, 150)] = 75
    """Temperature of a module above which its link has a finding."""

    beside: ClassVar[frozenset[str]] = frozenset({"ibdiagnet", "module_celsius"})
    files: ClassVar[tuple[str, ...]] = ("ibdiagnet",)
    where_there_is_one: ClassVar[frozenset[str]] = frozenset({"emulated"})

    @classmethod
    def places(cls, given: Mapping[str, Any]) -> Mapping[str, Place]:
        reached: dict[str, Place] = {"socket": "plugin", "emulated": "emulator"}
        return reached if given.get("topology", "plugin") == "plugin" else {"emulated": "emulator"}

    @model_validator(mode="after")
    def _the_plugin_has_a_socket(self) -> "Links":
        if self.topology == "discover" and self.socket is not None:
            raise misplaced(f"socket is '{self.socket}'; only topology 'plugin' has a socket", "socket")
        return self


class Measured(KindOptions):
    """The options of kinds that measure with a backend of a workload's."""

    backend: Literal["simulated", "emulated", "cluster"] = "simulated"
    """`simulated` measures `profile`; `emulated` and `cluster` measure the profile in force, on an emulated fabric that runs and
    on the hosts of the check's section `hosts`."""
    profile: Annotated[str, Field(min_length=1)] | None = None
    """Profile to simulate, by path or name."""
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Name of the emulated fabric, or path of its control socket; null: $IBSIM_SOCKNAME, as inside `ibcc emulate`."""
    plugin: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket: in the emulated fabric, where null is $IBCC_SOCKET, or /run/ibcc/opensm.sock; or of
    the hosts' fabric, where it tells which profile is in force, and null leaves that unknown."""

    @property
    def needs_hosts(self) -> bool:
        return self.backend == "cluster"

    documents: ClassVar[Mapping[str, Kind]] = {"profile": "profile"}

    @classmethod
    def places(cls, given: Mapping[str, Any]) -> Mapping[str, Place] | None:
        return {"emulated": _EMULATED, "cluster": _HOSTS}.get(str(given.get("backend")), {})

    @model_validator(mode="after")
    def _the_backend_has_what_it_needs(self) -> Self:
        if self.backend == "simulated" and self.profile is None:
            raise misplaced("profile is missing; backend 'simulated' needs the profile to simulate", "backend")
        for key, owners in (("socket", ("emulated",)), ("plugin", ("emulated", "cluster"))):
            value = getattr(self, key)
            if value is not None and self.backend not in owners:
                raise misplaced(f"{key} is '{value}'; only backend {' and '.join(map(repr, owners))} has a {key}", key)
        if self.backend != "simulated" and self.profile is not None:
            raise misplaced(
                f"profile is '{self.profile}'; backend '{self.backend}' measures the profile in force, so it must be left out",
                "profile",
            )
        return self


class Fairness(Measured):
    """Runs a short workload, and computes the metrics of its flows."""

    kind: Literal["fairness"] = "fairness"
    workload: Annotated[str, Field(min_length=1)] = "scenario-1"
    """Workload, by path or name."""
    time_scale: Annotated[float, Within(0, 100, above=True)] = 1.0
    """Factor for the times of the workload."""
    repeat: Literal[0, 2, 4] = 2
    """Further measurements of a night whose first one looks changed; the middle values count. Not on hosts."""
    counters: bool = False
    """On hosts, true to read what ports and switches count of congestion before and after, by MADs from this machine:
    PortRcvConCtrl, PortXmitConCtrl, and CongestionLog if the plugin does not read it. Needs `plugin`."""

    beside: ClassVar[frozenset[str]] = frozenset({"counters"})

    @property
    def repetitions(self) -> int:
        """What makes a night odd on hosts may last all night, so that another measurement proves nothing."""
        return 0 if self.backend == "cluster" else self.repeat

    documents: ClassVar[Mapping[str, Kind]] = {"workload": "workload", "profile": "profile"}

    @model_validator(mode="after")
    def _counters_have_a_plugin(self) -> Self:
        if self.counters and (self.backend != "cluster" or self.plugin is None):
            raise misplaced("counters is true; it needs backend 'cluster', and plugin, the plugin's socket", "counters")
        return self


class Sweep(Measured):
    """Has pairs of hosts send side by side, others each night, until every host and every link had its turn."""

    kind: Literal["sweep"] = "sweep"
    nights: Annotated[int, Within(1, 31)] = 7
    """Nights within which all hosts and links take turns. On hosts, the section `hosts` says how many take part each night."""
    seconds: Annotated[float, Within(1e-4, 600)] | None = None
    """Length of a measurement; null: 0.002, and 3 on hosts. What is slow is measured again, three times as long."""

    @property
    def for_s(self) -> float:
        return self.seconds or (3.0 if self.backend == "cluster" else 0.002)


class CongestionImpact(KindOptions):
    """Runs GPCNeT's canaries alone and beside its congestors, or reads what GPCNeT itself has printed."""

    kind: Literal["congestion_impact"] = "congestion_impact"
    backend: Literal["simulated", "emulated", "cluster", "gpcnet"] = "simulated"
    """`simulated` measures `profile`; `emulated` and `cluster` measure the profile in force, on an emulated fabric that runs and
    on the hosts of the check's section `hosts`; `gpcnet` reads `output`."""
    profile: Annotated[str, Field(min_length=1)] | None = None
    """Profile to simulate, by path or name."""
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Name of the emulated fabric, or path of its control socket; null: $IBSIM_SOCKNAME, as inside `ibcc emulate`."""
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

    documents: ClassVar[Mapping[str, Kind]] = {"profile": "profile"}
    files: ClassVar[tuple[str, ...]] = ("output",)

    @classmethod
    def places(cls, given: Mapping[str, Any]) -> Mapping[str, Place] | None:
        return {"emulated": _EMULATED, "cluster": _HOSTS, "gpcnet": None}.get(str(given.get("backend")), {})

    @property
    def needs_hosts(self) -> bool:
        return self.backend == "cluster"

    @model_validator(mode="after")
    def _the_backend_has_what_it_needs(self) -> "CongestionImpact":
        own = {"profile": ("simulated",), "socket": ("emulated",), "plugin": ("emulated", "cluster"), "output": ("gpcnet",)}
        for key, owners in own.items():
            value = getattr(self, key)
            if self.backend not in owners and value is not None:
                raise misplaced(f"{key} is '{value}'; only backend {' and '.join(map(repr, owners))} has it", key)
        needed = {"simulated": "profile", "gpcnet": "output"}.get(self.backend)
        if needed is not None and getattr(self, needed) is None:
            raise misplaced(f"{needed} is missing; backend '{self.backend}' needs it", "backend")
        return self


class Hosts(KindOptions):
    """Has the hosts' agents check them, and maybe tests the paths inside them, and finds out which adapters throttle."""

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
    paths: bool = False
    """True to test the paths inside idle hosts by loop-back too, as `ibcc hosts ping` does, and to name slow links. Busy hosts
    are left out."""
    baselines: Annotated[str, Field(min_length=1)] | None = None
    """With `paths`, file of `ibcc hosts ping --save-baseline`, for what is normal for a machine model; null: the median of the
    first night in which at least three hosts of the model are measured, and of the first one with five."""
    busy_cores: Annotated[float | int, Within(0, 1)] = 0.25
    """With `paths`, a host is left out if more of the processors of one of its NUMA nodes are busy."""

    beside: ClassVar[frozenset[str]] = frozenset({"paths", "baselines", "busy_cores"})
    documents: ClassVar[Mapping[str, Kind]] = {"inventory": "inventory"}
    files: ClassVar[tuple[str, ...]] = ("baselines",)

    @property
    def needs_hosts(self) -> bool:
        return self.inventory is None

    @classmethod
    def places(cls, given: Mapping[str, Any]) -> Mapping[str, Place]:
        return {}

    @model_validator(mode="after")
    def _baselines_have_paths(self) -> "Hosts":
        if self.baselines is not None and not self.paths:
            raise misplaced(f"baselines is '{self.baselines}'; only paths: true compares with baselines", "baselines")
        return self


class Routes(KindOptions):
    """Compares forwarding tables and SL-to-VL tables with the last good night, and looks for credit loops, missing routes and
    unbalanced links."""

    kind: Literal["routes"] = "routes"
    source: Literal["plugin", "files"] = "plugin"
    """`plugin` asks the OpenSM plugin; `files` reads `topology` and `tables`, where OpenSM has no plugin."""
    socket: Annotated[str, Field(min_length=1)] | None = None
    """Path of the plugin's control socket; null: $IBCC_SOCKET, or /run/ibcc/opensm.sock."""
    topology: Annotated[str, Field(min_length=1)] | None = None
    """File with what ibnetdiscover prints."""
    tables: Annotated[str, Field(min_length=1)] | None = None
    """File with what dump_fts prints, or OpenSM's opensm-lfts.dump."""
    max_age_h: Annotated[float, Within(0, 24 * 366, above=True)] = 24.0
    """Age in hours beyond which `topology` and `tables` are not of this night."""
    unbalanced: Annotated[float, Within(1, 1e6, above=True)] = 2.0
    """A port that carries so many times its fair share of pairs of hosts is a finding."""
    patience_s: Annotated[float, Within(0, 3600, above=True)] = 300.0
    """Seconds after which a plugin that is silent, or an OpenSM that sweeps, is not waited for."""

    files: ClassVar[tuple[str, ...]] = ("topology", "tables")

    @classmethod
    def places(cls, given: Mapping[str, Any]) -> Mapping[str, Place] | None:
        return {"socket": "plugin"} if given.get("source", "plugin") == "plugin" else None

    @model_validator(mode="after")
    def _the_source_has_what_it_needs(self) -> "Routes":
        for key in ("topology", "tables"):
            value = getattr(self, key)
            if self.source == "plugin" and value is not None:
                raise misplaced(f"{key} is '{value}'; only source 'files' has it", key)
            if self.source == "files" and value is None:
                raise misplaced(f"{key} is missing; source 'files' needs it", "source")
        if self.source == "files" and self.socket is not None:
            raise misplaced(f"socket is '{self.socket}'; only source 'plugin' has a socket", "socket")
        return self


AnyKind: TypeAlias = Annotated[Fairness | Sweep | Links | Tables | CongestionImpact | Hosts | Routes, Field(discriminator="kind")]
