# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Types of the native module: the packet-level fabric simulator and the CC data model (see ccsim.policy)."""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from ccsim import policy

NodeKind = Literal["switch", "host", "aggregation", "router"]

Dialect = Literal["a10", "nvidia-dcqcn", "nvidia-ppcc", "both", "none"]

def dialect_names() -> list[str]:
    """The kinds of congestion control that a device can have, as Dialect has them."""

def link_data_gbps(rate: str) -> float:
    """Data rate in Gb/s after line encoding of a link rate such as "4xNDR". Raises ValueError."""

def routing_names() -> list[str]:
    """The routings that Fabric.route_by accepts, in alphabetical order."""

def tree_levels(
    links: Sequence[Sequence[int]], hosts: Sequence[int]
) -> tuple[list[int | None], list[bool], list[int], list[int]]:
    """Levels by which routings, maps and advice go: of each switch its level (1 for leaves, None where no host is in reach) and
    whether its part of the fabric is a tree; the switches at the top; and those of them from which nearly all hosts are equally
    far.

    `links`: by switch, the switches at the other ends of its links, parallel links each. `hosts`: by switch, ports of hosts on
    it. Raises ValueError for switches that do not exist."""

class Fabric:
    """Switches, channel adapters, links and forwarding tables. Read-only once simulations use it."""

    def __init__(self, *, mtu_bytes: int = 2048) -> None: ...
    def add_node(self, name: str, kind: NodeKind, *, guid: int, num_ports: int) -> int:
        """Index of the new node, which has ports 1..num_ports (at most 254)."""
    def connect(self, node_a: int, port_a: int, node_b: int, port_b: int, *, rate: str, propagation_ns: float = 25.0) -> None:
        """Raises ValueError if a port does not exist, is used twice, or joins a node with itself."""
    def set_port_guid(self, node: int, port: int, guid: int) -> None:
        """Set the GUID of a channel adapter's port, as management sees it. Raises ValueError for a switch, whose ports have
        none."""
    def set_dialect(self, node: int, dialect: Dialect) -> None:
        """Set the attributes of class 0x21 that a device knows; without it, `a10`. Raises ValueError."""
    def set_host_limits(self, node: int, *, inject_gbps: float | None = None, receive_gbps: float | None = None) -> None:
        """Set the limits of the host's bus in each direction, in Gb/s of payload."""
    def set_host_model(self, node: int, model: HostModel) -> None:
        """Set how the host takes what it receives, instead of `receive_gbps`. Raises ValueError for a value out of range."""
    def route_by(self, routing: str, *, roots: Sequence[int] = (), order_seed: int = 0) -> None:
        """Fill the forwarding tables (and, where the routing needs them, path SLs and SL-to-VL tables) by a routing of that name.

        `roots`: node indices of the switches at the top, for `updown`; without them the routing finds them.
        `order_seed`: 0 for the order in which OpenSM takes destinations, others for random ones.
        Raises ValueError with the known routings, or with the reason why this one cannot route the fabric."""
    def set_coordinates(self, switch: int, at: Sequence[int]) -> None:
        """Set the place of a switch in a torus, mesh or hypercube, for the routing `dor`: 1 to 16 numbers from 0 to 65,535."""
    @property
    def min_vls(self) -> int:
        """The least number of data VLs that the routing needs."""
    def credit_loop(self, *, num_vls: int = 0) -> list[tuple[int, int, int]] | None:
        """A cycle of (node, port left by, VL) whose buffers wait for each other when full, or None if the routes between hosts
        have none. `num_vls`: data VLs of the devices, which matter where no SL-to-VL table is set; 0: `min_vls`."""
    def set_forward(self, switch: int, endport: int, port: int) -> None: ...
    def set_sl_to_vl(self, node: int | None, in_port: int, out_port: int, vls: Sequence[int]) -> None:
        """Set the VL of each SL, 16 numbers from 0 to 14, for packets that come in by one port and leave by another; in port 0
        stands for packets that the node sends. Node None: the table where no other is set. Without tables, an SL travels on VL
        (SL modulo the number of VLs). route_by() and connect() clear these tables."""
    def set_vl_arbitration(
        self,
        node: int | None,
        port: int,
        *,
        high: Sequence[tuple[int, int]] = (),
        low: Sequence[tuple[int, int]] = (),
        high_limit: int = 255,
    ) -> None:
        """Set the tables of (VL, weight in units of 64 bytes) by which a port sends; node None: all ports that have no others.
        `high_limit`: what `high` sends before `low` has a turn, in units of 4,096 bytes; 0: one packet, 255: no limit. Without
        tables, VLs take turns, packet by packet. Raises ValueError."""
    def route(self, src_endport: int, dst_endport: int) -> list[tuple[int, int]]:
        """(node, port that the route leaves by) of each hop, starting at the source. Raises RuntimeError if there is no route."""
    def unreachable(self, sources: Sequence[int]) -> list[tuple[int, int]]:
        """(source, destination) endports: for each destination that one of `sources` has no route to, the first such source."""
    def pair_loads(self) -> npt.NDArray[np.uint64]:
        """Pairs of hosts, one of which sends to the other, by switch in the order of nodes and by port from 0 to 254, the host's
        port included: those whose route leaves the switch by that port. Routes that do not arrive are left out."""
    def flow_loads(self, sources: Sequence[int], destinations: Sequence[int]) -> npt.NDArray[np.uint64]:
        """As `pair_loads`, of one flow from each source to the destination at the same place, all endports; a source that is its
        own destination sends nothing. Raises ValueError if the lists do not fit."""
    def endport(self, node: int, port: int) -> int:
        """Index of the endport (a connected port of a channel adapter). Raises ValueError."""
    def peer(self, node: int, port: int) -> tuple[int, int] | None:
        """(node, port) at the other end of a link; None for a free port."""
    def link(self, node: int, port: int) -> tuple[str, float] | None:
        """(rate, propagation_ns) of the link on a port; None for a free port."""
    @property
    def num_nodes(self) -> int: ...
    @property
    def mtu_bytes(self) -> int: ...
    @property
    def endports(self) -> list[tuple[int, int]]:
        """(node, port) by endport index."""
    def node_name(self, node: int) -> str: ...
    def node_kind(self, node: int) -> NodeKind: ...
    def node_dialect(self, node: int) -> Dialect: ...
    def node_guid(self, node: int) -> int: ...
    def node_num_ports(self, node: int) -> int: ...

class SchemeChoice:
    """The scheme of simulated devices, by its name in `schemes()`."""

    def __init__(self) -> None: ...
    name: str
    values: dict[str, float]
    """Values by parameter of the scheme; one that is left out has its default. Reading and writing copies."""

# model parameters: begin. build_tools/model_parameters.py writes them from simulator/src/model_parameters.cpp.

class SwitchModel:
    """Parameters `model.switch` of the simulated devices."""

    input_buffer_bytes: int
    """Room of each input port and VL, for which the port gives credits."""
    buffer_sharing: Literal["partitioned", "shared"]
    """Buffers of a port: one for each VL, or one that all VLs share, of `input_buffer_bytes`."""
    read_ports: int
    """Packets that can leave one input buffer at the same time."""
    routing_latency_ns: float
    """Time from the arrival of a packet's head at an idle switch to its departure."""
    threshold_reference_bytes: float
    """Fill level that 16/16 stands for in Threshold and CS_Threshold; 0: the input buffer."""
    threshold_mode: Literal["voq", "sum", "contributing"]
    """Fill level that is compared with the threshold: that of each VOQ alone, or the sum over all inputs of an output and VL;
    for `contributing`, the threshold is divided by the number of inputs that hold packets."""
    hysteresis_bytes: int
    """Distance from the fill level at which a port VL enters the congestion state down to the level at which it leaves it."""
    root_test: Literal["crossing", "marking", "both"]
    """When a port outside Victim_Mask must have credits to count as a root: when the threshold is crossed, whenever a packet is
    about to be marked, or both."""
    mark_above_max: Literal["none", "percent", "all"]
    """Packets that a switch with NVIDIA's congestion control marks while its averaged queue is above `max`: none, the share
    `percent`, or all."""

class CaModel:
    """Parameters `model.ca` of the simulated devices."""

    input_buffer_bytes: int
    """Receive buffer of each port and VL of an adapter."""
    becn_carrier: Literal["cnp", "ack"]
    """Packet that carries a BECN to the source: a CNP at once, or the next ACK."""
    becn_delay_ns: float
    """Time from the arrival of a marked packet's tail until its CNP or ACK is ready."""
    cnp_spacing_ns: float
    """Least time between two CNPs of one queue pair."""
    ack_every_packets: int
    """Data packets of a queue pair for each ACK."""
    ccti_timer: Literal["port_sl", "flow"]
    """Scope of a CCTI_Timer: it runs freely for all flows of a port and SL (the specification's text), or each flow has one."""
    control_vl: Literal["data", "last"]
    """VL of ACKs and CNPs: that of the data that they answer, or the last of `num_vls`, of which there must be two."""
    qp_scheduling: Literal["packet", "message", "weighted"]
    """Order of the queue pairs of a port and VL that have a packet and no delay: in turns, a packet or a message each, or in
    proportion to the rates of their flows (one without a rate: what the others leave)."""
    dcqcn_machine: Literal["paper", "timers"]
    """State machine of DCQCN: that of the paper, in which each CNP cuts the rate and stages of time and bytes are counted
    apart, or one in which cuts and alpha run on timers."""
    rpg_byte_unit_bytes: int
    """Unit of `rpg_byte_reset`."""
    cnp_limit: Literal["qp", "port"]
    """Scope of `min_time_between_cnps`: each queue pair, or all of a port."""

class Model:
    """Parameters of the simulated devices. Its groups are live objects: setting their attributes changes the model."""

    def __init__(self) -> None: ...
    @property
    def switch(self) -> SwitchModel: ...
    @property
    def ca(self) -> CaModel: ...
    num_vls: int
    """Number of data VLs; there are more where SL-to-VL tables or the routing need them."""
    scheme: SchemeChoice
    """The scheme and the values of its parameters."""
    def validate(self, mtu_bytes: int) -> None:
        """Raises ValueError with the parameter's name, its value and what would be right."""
    def to_dict(self) -> dict[str, Any]:
        """Values by name, each group as a dict."""

# model parameters: end

def model_parameters() -> list[dict[str, Any]]:
    """The rows of all parameters: `name` ("switch.read_ports"), `type` ("integer", "number", "string"), `default`, `meaning` and
    `consequence` (what another value changes, a sentence); of a string `choices`; of a number `minimum` (None: one packet of the
    MTU), `maximum` (None: none), `range` (both in words) and `unit`."""

def schemes() -> list[dict[str, Any]]:
    """All schemes by name: `name`, `summary` (a sentence), `source`, `needs_congestion_control` (a run without it is refused),
    `one_vl` (it carries one VL) and `parameters`, rows as those of model_parameters()."""

def scheme_note(fabric: Fabric, flows: Sequence[Flow], *, model: Model) -> dict[str, Any] | None:
    """What a user should know of a run before it starts: `sentence`, and `bytes`, the most memory of this machine that the run
    may need for what the sentence says. None if the scheme has nothing to tell. Raises ValueError for an unknown scheme."""

def scheme_memory(fabric: Fabric, model: Model) -> dict[str, dict[str, int] | None]:
    """Memory that the switches of a fabric need under the model's scheme (thesis, Paper VI, sections 4.1 and 8); a cell holds a
    bit.

    `line`: `cam_cells` and `sram_cells` of a CAM line; None if the scheme has none. `input_port`: `buffer_bytes` of packets,
    `plain_buffer_bytes` (what `model.switch.input_buffer_bytes` says), `lines`, and `cam_cells` and `sram_cells` of all its
    lines, of the input port with the most lines. `fabric`: `input_ports` (of switches, with a link), and sums over these:
    `buffer_bytes`, `cam_cells`, `sram_cells`. Raises ValueError for a scheme or a parameter that does not exist."""

class Destinations:
    """The destinations of a flow that has several; any number of flows may share one object."""

    @staticmethod
    def uniform(endports: Sequence[int]) -> Destinations:
        """Drawn for every message, each endport but the source's own equally likely."""
    @staticmethod
    def cyclic(endports: Sequence[int]) -> Destinations:
        """One after the other, starting after the source's place in the list."""
    @staticmethod
    def moving(endports: Sequence[int], *, period_s: float) -> Destinations:
        """All to the first; after `period_s` all to the second, and so on, in a circle. Times count from the flow's start."""

class Generator:
    """Generates the messages of flows of one host that share it. Each message belongs to one of them, with a chance in proportion
    to their rates."""

    @staticmethod
    def independent() -> Generator:
        """Each flow has its own budget, and what holds back one never holds back another. The draw decides only whose message
        begins next where several may begin one (thesis, Paper IV, Frame I)."""
    @staticmethod
    def strict(*, queue_messages: int) -> Generator:
        """Their budget is one. Message after message is drawn, and as long as the queue of the destination drawn holds
        `queue_messages` the generator waits."""

class Flow:
    """One stream of messages from an endport, over `qps` reliable connections, or over one to each of its destinations."""

    def __init__(
        self,
        *,
        src: int,
        dst: int | Destinations,
        start_s: float = 0.0,
        stop_s: float | None = None,
        message_bytes: int = 65536,
        qps: int = 1,
        sl: int = 0,
        rate_gbps: float | None = None,
        bursts: tuple[float, float] | None = None,
        random_bursts: bool = False,
        window: int | None = None,
        grants: Sequence[int] = (),
        think_s: float = 0.0,
        needs: int = 1,
        messages: Sequence[tuple[float, int]] | None = None,
        generator: Generator | None = None,
    ) -> None:
        """`src`, `dst`: endport indices. `rate_gbps`: offered payload rate of the whole flow; None: as much as possible. The rate
        is a budget: what could not be sent in time is sent later.

        `bursts`: (on_s, off_s), the lengths of bursts and pauses, or with `random_bursts` the means of exponential distributions.
        `window`: makes a closed loop: each message uses up a permit, of which there are `window` at the start. Each delivered
        message of this flow gives a permit to every flow of `grants` (indices into the simulation's flows), `think_s` later.
        `needs`, 1 to 65535: that many deliveries together are one permit for this flow.
        `messages`: exactly these, as (second at which the adapter gets it, bytes), ascending, instead of an endless stream.
        `generator`: shared by flows of one source, SL, start and stop, each with a rate."""
    @property
    def src(self) -> int: ...
    @property
    def dst(self) -> int | Destinations: ...

def check_nvidia(fabric: Fabric, tables: policy.Tables) -> None:
    """Check that a run on the fabric can act on what the section `nvidia` of a profile gives its devices. Raises ValueError with
    a sentence where no device has NVIDIA's congestion control, and where an adapter would run an algorithm of its firmware."""

def check_run(
    fabric: Fabric,
    *,
    model: Model,
    tables: policy.Tables | None = None,
    reprogram: Sequence[tuple[float, policy.Tables]] = (),
) -> None:
    """Check, without building anything, that a Simulation of these devices and profiles is not refused whatever its flows are.
    Raises ValueError with a sentence for a scheme that cannot carry the fabric's devices, or that needs congestion control where
    none of the profiles enables it, and for what check_nvidia refuses."""

class HostCcSettings:
    """hostCC on a host, see docs/research/host-model.md for the fields."""

    def __init__(self) -> None: ...
    enabled: bool
    target_gbps: float
    occupancy_lines: float
    occupancy_weight: float
    bandwidth_weight: float
    least_lines: float
    most_gbps: float
    sample_ns: float
    step_down_us: float
    level_factors: Sequence[float]
    """Part of the other memory traffic that stays at each of the 5 levels."""

class HostModel:
    """How fast a host takes what its adapter receives, see docs/research/host-model.md for the fields. A fabric keeps a copy."""

    def __init__(self) -> None: ...
    write_credits_lines: float
    base_latency_ns: float
    pcie_gbps: float
    memory_gbytes_per_s: float
    cores: float
    core_lines: float
    core_gbytes_per_s: float
    ddio_share: float
    remote_share: float
    remote_latency_ns: float
    socket_gbytes_per_s: float
    iotlb_entries: float
    page_bytes: float
    walk_step_ns: float
    translations: float
    region_bytes: float
    control_pages: float
    threads: float
    thread_gbps: float
    receive_buffer_bytes: float
    lossy_buffer_bytes: float
    mark_buffer_bytes: float
    hostcc: HostCcSettings
    def walk_ns(self) -> float:
        """Mean time in ns that a packet waits for page walks."""
    def drain(
        self,
        *,
        cores: float = 0.0,
        gbytes_per_s: float = 0.0,
        remote_cores: float = 0.0,
        remote_gbytes_per_s: float = 0.0,
        factor: float = 1.0,
    ) -> dict[str, Any]:
        """Rate at which the host takes what waits under a load of its memory: `gbps` of payload, `latency_ns` of a write,
        `occupancy_lines`, and whether PCIe credits are the limit, `by_credits`. `factor`: part of the load that hostCC leaves."""

class HostLoad:
    """Memory-bound work on a modelled host for a time: `cores`, or a bandwidth. `remote`: at the other memory node."""

    def __init__(
        self,
        *,
        endport: int,
        start_s: float = 0.0,
        stop_s: float | None = None,
        cores: float = 0.0,
        gbytes_per_s: float = 0.0,
        remote: bool = False,
    ) -> None: ...

class Simulation:
    """One run. Runs are independent: many may run at once in threads."""

    def __init__(
        self,
        fabric: Fabric,
        flows: Sequence[Flow],
        *,
        tables: policy.Tables | None = None,
        model: Model | None = None,
        seed: int = 1,
        duration_s: float,
        sample_interval_s: float = 0.01,
        trace_ccti: bool = False,
        trace_occupancy: bool = False,
        trace_packets: int = 0,
        reprogram: Sequence[tuple[float, policy.Tables]] = (),
        judged_s: tuple[float, float] | None = None,
        host_loads: Sequence[HostLoad] = (),
    ) -> None:
        """`reprogram`: (second, tables) to set on the devices during the run, see docs/research/simulator.md. A device keeps the
        fields that the Control_Map does not name, and its state of congestion. `judged_s`: the interval in which a round trip
        must end to be in `Result.round_trips`; None: the whole run.

        Checks its arguments, and that each flow has a route. Raises ValueError with one sentence."""
    def run(self, on_progress: Callable[[float], bool | None] | None = None) -> Result:
        """Run to the end, with the GIL released. `on_progress(simulated_s)` is called about ten times a second of wall time
        and at the end; if it returns False, the run stops, and the result has `complete` False and the samples so far."""

class Result:
    @property
    def complete(self) -> bool: ...
    @property
    def simulated_s(self) -> float: ...
    @property
    def sample_interval_s(self) -> float: ...
    @property
    def received_bytes(self) -> npt.NDArray[np.uint64]:
        """Payload bytes received in each interval: shape (n_flows, n_samples)."""
    @property
    def ccti(self) -> npt.NDArray[np.uint16] | None:
        """Largest CCTI over the flow's queue pairs at each sample, if traced: shape (n_flows, n_samples)."""
    @property
    def rate_gbps(self) -> npt.NDArray[np.float32] | None:
        """Smallest rate in Gb/s that DCQCN allows any of the flow's queue pairs at each sample, with `trace_ccti` on a fabric
        with devices of another dialect than `a10`; NaN for flows whose adapter does not react so: shape (n_flows, n_samples)."""
    @property
    def alpha(self) -> npt.NDArray[np.float32] | None:
        """Largest alpha over the same queue pairs, 0 to 1; 0 before the first CNP."""
    @property
    def occupancy_bytes(self) -> npt.NDArray[np.uint32] | None:
        """Bytes queued for each row of `ports` at each sample, if traced: shape (n_ports, n_samples)."""
    @property
    def special_queues(self) -> npt.NDArray[np.uint8] | None:
        """Special queues (CFQs, HPQs) in use at each input port, at each sample, with `trace_occupancy` and a scheme that
        isolates flows: shape (n_ports, n_samples)."""
    @property
    def scheme_series(self) -> dict[str, npt.NDArray[np.uint64]]:
        """What a scheme counts over the whole fabric, by name, each of shape (n_samples,): for those that isolate flows, special
        queues and CAM lines in use, input ports without a free special queue, and how many packets have found none so far; for
        voqnet, queues that have ever held a packet."""
    @property
    def waited_ns(self) -> npt.NDArray[np.float32] | None:
        """Time in ns of each interval in which a row of `ports` had a queued packet and no credits to send it, if
        `trace_occupancy`: shape (n_ports, n_samples)."""
    @property
    def host_received_bytes(self) -> npt.NDArray[np.uint64]:
        """Payload bytes that each endport received in each interval, from all flows: shape (n_endports, n_samples)."""
    @property
    def ports(self) -> dict[str, npt.NDArray[Any]]:
        """Counters of all VLs together, a row for each connected port: `node`, `port`, `xmit_bytes`, `xmit_packets`, `rcv_bytes`,
        `rcv_packets`, `xmit_wait_ns` (time with a queued packet and without credits to send it), `fecn_marked`,
        `max_queued_bytes`, `credits_held` (packets that came in here and whose credits were withheld: credit starvation)."""
    @property
    def congestion_logs(self) -> dict[str, list[dict[str, Any]]]:
        """The logs of devices that have logged or marked something. `switches`: `node`, `events`, `marked_ports`, and
        `entries`, the latest 15 packets that brought a port VL into the congestion state: `src` and `dst` (endports), `sl`,
        `timestamp` (units of 1.024 us). `cas`: `node`, `port`, `events`, `sls`, and `entries`, the latest 13 CCTIs that
        reached Trigger_Threshold: `flow`, `qp` (among the flow's; None where the CCTI is the SL's), `remote` (endport), `sl`,
        `timestamp`."""
    @property
    def flows(self) -> dict[str, npt.NDArray[Any]]:
        """Totals by flow: `sent_packets`, `received_packets`, `received_bytes`, `fecn_received`, `becn_received`,
        `received_messages` (whole ones), and for a flow with a window of 1 `round_trips`, `round_trip_mean_us` and
        `round_trip_max_us`: from the beginning of a message to the permit that it gave."""
    @property
    def modelled_hosts(self) -> dict[str, npt.NDArray[Any]] | None:
        """By host with a model, over the whole run: `endport`, `occupancy_mean_lines` and `occupancy_max_lines` (cache lines in
        flight to memory), `drain_gbps` (payload, while the receive buffer was not empty), `busy_share` (of the time, that it was
        not), `without_credits_share` (of the time, that PCIe credits were what it waited for), `load_gbytes_per_s` (memory
        bandwidth of the host's loads), `buffer_mean_bytes`, `buffer_max_bytes`, `would_have_dropped_bytes`, `fecn_set` (packets
        that the host has marked). None without such hosts."""
    @property
    def host_series(self) -> dict[str, npt.NDArray[np.float32]] | None:
        """Means of each sample, of shape (modelled hosts, n_samples): `occupancy_lines`, `buffer_bytes`, `without_credits_share`;
        and `hostcc_level` at its end."""
    @property
    def round_trips(self) -> dict[str, npt.NDArray[Any]] | None:
        """Histograms of the round trips of flows with a window of 1 that ended within `judged_s`; None if there were none.
        `flow`: flows with round trips, ascending; `edges_us`: the n + 1 edges of n bins, each bin no wider than a 64th of its
        lower edge; `counts`: shape (flows, n). Round trips shorter than 0.134 us are in the first bin."""
    @property
    def packets(self) -> dict[str, npt.NDArray[Any]] | None:
        """Packet trace, if asked for: `time_ns`, `event` (0 leaves `node` by `port`, 1 fully received), `node`, `port`, `flow`,
        `qp` (0 for flows with many destinations), `destination` (endport), `sequence`, `kind` (0 data, 1 ACK, 2 CNP), `bytes`,
        `fecn`, `becn`. Rows are in the order in which packets were put on wires; the reception is the next row, with
        the time at which it ends."""
    @property
    def deadlock(self) -> tuple[float, list[tuple[int, int, int]]] | None:
        """The deadlock at the end of the run, if there is one: the time in s since which all its buffers have stood still,
        and the cycle as (node, port, VL), each of which waits for the next, and the last for the first."""
    @property
    def packet_hops(self) -> int:
        """Data packets fully received over one link, host links included."""
    @property
    def events(self) -> int: ...
    @property
    def cpu_s(self) -> float: ...

# --- The emulated fabric (emulator_bindings.cpp and those beside it) ------------------------------------------------------------

class Emulator:
    """A fabric whose devices answer management datagrams and carry traffic under the tables that were set by them.

    Programs reach it by ibsim's client protocol (Debian's libumad2sim.so with IBSIM_SOCKNAME set to `name`). It runs in its own
    thread, without the GIL; any Python thread may call any method. A context manager: it starts on entry and stops on exit."""

    def __init__(
        self, fabric: Fabric, model: Model | None = None, *, name: str = "sim", seed: int = 1, timeout_ms: int = 200
    ) -> None:
        """Bind the sockets. `fabric`: its nodes and links; its forwarding tables are not used. `seed`: random seed of faults.
        `timeout_ms`: time-out of lost requests, which then return to their senders.

        Raises OSError if the name is in use, ValueError if an option is out of range."""
    def start(self) -> None: ...
    def stop(self) -> None:
        """End a running workload and the thread. Clients get no more packets."""
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...
    def run(
        self,
        flows: Sequence[Flow],
        *,
        duration_s: float,
        sample_interval_s: float = 0.01,
        seed: int = 1,
        pace: Literal["fast", "real"] = "fast",
        allow_credit_loops: bool = False,
        judged_s: tuple[float, float] | None = None,
        on_sample: Callable[[float, npt.NDArray[np.uint64]], object] | None = None,
        should_stop: Callable[[], bool] | None = None,
        host_loads: Sequence[HostLoad] = (),
    ) -> Result:
        """Run a workload under the tables that the devices hold, also as they change; block until it ends. MADs, and calls of
        other methods by other threads, are served between its events.

        `pace`: "fast" as fast as possible, "real" no faster than the clock. `on_sample(t_s, received_bytes)` is called for each
        sample, in order, with the interval's end and the payload bytes of each flow in it. `should_stop()` is called about ten
        times a second of wall time; if it returns True, the run stops, and the result has `complete` False and the samples so
        far. Both are called in the emulator's thread, with the GIL; their exceptions end the run and are raised here.

        While no table changes, the series are those of a Simulation of the fabric with the same routes, tables and seed.

        Raises ValueError with a sentence if flows are not valid or have no way under the tables (a host without a LID, a switch
        without an entry, a credit loop unless they are allowed), RuntimeError while another workload runs."""
    def tables(self) -> list[dict[str, Any]]:
        """The tables that each device holds, by node index: `node`, `guid`, `name`, `kind`, `dialect`, `present`; `ports`, by
        number (0: a switch's management port), each with `state` ("down", "init", "armed", "active"), `lid`, `lmc`, `sm_lid`,
        `sm_sl`, `operational_vls` (a number of data VLs), `sl_to_vl` (what was set, by port of entry: 16 VLs), `vl_arbitration`
        (None until it is set; `high` and `low` as (VL, weight), `high_limit`); `congestion`: of a switch as an element of
        policy.Tables.switches, of an adapter by port as one of policy.Tables.cas, each with `nvidia` where the dialect has
        NVIDIA's attributes; of a switch also `forwarding`, the LinearForwardingTable as bytes (by LID the port, 255 for none),
        and `forwarding_top`, above which no LID is forwarded. Keys are not included."""
    def counters(self) -> dict[str, npt.NDArray[Any]]:
        """The counters of the performance agents since a MAD last cleared them, a row for each connected port: `node`,
        `port`, `xmit_bytes`, `rcv_bytes` (LRH to ICRC, as PortXmitData times 4), `xmit_packets`, `rcv_packets`,
        `xmit_wait_ns`, `rcv_fecn` and `rcv_becn` (of adapters), `xmit_discards`, `rcv_switch_relay_errors`."""
    def mads(self, *, clear: bool = False) -> tuple[int, list[dict[str, int]]]:
        """The emulator's clock in ns, and the number of MADs that nodes have sent since the start or the last clearing: a row for
        each `mgmt_class`, `method` and `attribute`, with `count`, and `first_ns` and `last_ns` on that clock. `clear`: set all
        counts to 0 afterwards."""
    def unknown_modifiers(self, *, clear: bool = False) -> list[dict[str, int]]:
        """The requests for NVIDIA's attributes whose modifier the device did not know, and which it refused with status 0x001C: a
        row for each `node`, `mgmt_class`, `method`, `attribute` and `modifier`, with `count`. `clear`: forget them afterwards."""
    def clients(self) -> list[dict[str, int]]:
        """The attached programs: `id`, `pid`, the `node` and `port` that they are attached to, `is_sm`."""
    def add_fault(
        self,
        kind: str,
        *,
        node: int | None = None,
        mgmt_class: int | None = None,
        attribute: int | None = None,
        method: Literal["any", "get", "set"] = "any",
        probability: float = 1.0,
        count: int | None = None,
        parameters: Mapping[str, int | str] = ...,
    ) -> int:
        """Add a fault, an error that devices make on purpose (see fault_kinds()), and return its id. `node`, `mgmt_class` (1 for
        SMPs) and `attribute`: the requests that it may strike; None: all. `probability`: of a strike at each matching request.
        `count`: strikes after which it ends. Raises ValueError with a sentence."""
    def faults(self) -> list[dict[str, Any]]:
        """The faults in force: `id`, the arguments of add_fault, `matched` (requests that it might have struck) and `struck`."""
    def clear_faults(self, id: int | None = None) -> int:
        """End one fault, or all, and return their number."""
    def set_link(self, node: int, port: int, up: bool) -> None:
        """Pull the cable of a port, or plug it in. Raises ValueError if the port has none."""
    def set_present(self, node: int, present: bool) -> None:
        """Switch a node off, or on again as after a power cycle. Raises ValueError."""
    def reboot(self, node: int) -> None:
        """Switch a node off and on: it loses tables, keys and counters, and its links come up again. Raises ValueError."""
    def set_hardware(
        self,
        node: int,
        *,
        vendor_id: int = 0,
        device_id: int = 0,
        firmware: tuple[int, int, int] = (0, 0, 0),
        psid: str = "",
        general_info: Literal["unsupported", "answered", "silent", "other-attribute", "zeros"] = "unsupported",
    ) -> None:
        """Set the vendor (an OUI of 24 bits) and device (16 bits) of NodeInfo, and how the node answers GeneralInfo of the vendor
        class 0x0A: with this firmware and board; with status 0x000C; not at all; as another attribute; with zeros alone. A reboot
        leaves it. Raises ValueError with a sentence."""
    def set_nvidia_firmware(
        self,
        node: int,
        *,
        vl_reading: Literal["mask", "modifier"] = "mask",
        out_of_range: Literal["refuse", "clip"] = "refuse",
        capability_mask: int | None = None,
        quirk: Literal["none", "echo", "zeros", "noise", "first-port", "silent"] = "none",
        profile_step_kb: int = 1,
        algorithms: Sequence[tuple[int, int, int, Sequence[int]]] | None = None,
    ) -> None:
        """Set how a node's firmware treats NVIDIA's attributes of class 0x21; docs/research/nvidia-dialect.md describes the
        choices. `capability_mask`: CC_Capability_Mask; None: what the node's dialect has. `algorithms`: (number, major, minor,
        parameters) by slot; None: ZTR-RTTCC. The slots are then as after a power-on; a reboot leaves the rest. Raises ValueError
        with a sentence."""

def fault_kinds() -> list[dict[str, Any]]:
    """The kinds of faults in alphabetical order: `name`, `description` (a sentence) and `parameters`, a list of `name` and
    `description`."""

def agent_attributes() -> list[tuple[int, int, str]]:
    """(class, attribute, its name) of each attribute that devices answer, in ascending order; class 1 stands for both kinds
    of SMPs."""

# --- The CC data model (policy_bindings.cpp) ------------------------------------------------------------------------------------

PACKET_OVERHEAD_BYTES: int
"""Headers and CRCs around a payload: LRH 8, BTH 12, ICRC 4, VCRC 2."""
TIMER_UNIT_NS: int
"""Unit of CCTI_Timer and of the time stamps of class 0x21."""
CCTI_LIMIT_MAX: int
SHIFT_MAX: int
MULTIPLIER_MAX: int
PORT_MAX: int
NAME_MAX_CHARACTERS: int
NUM_SLS: int
NUM_THRESHOLD_LISTS: int
PPCC_SLOTS: int
PPCC_PARAMETERS_MAX: int
PPCC_NAME_MAX_CHARACTERS: int

def profile_keys() -> list[dict[str, Any]]:
    """The rows of ccpolicy/keys.h; use ccsim.policy.profile_keys()."""

def wire_attributes() -> list[dict[str, Any]]:
    """The rows of ccpolicy/wire.h; use ccsim.wire.attributes()."""

def pack_attribute(id: int, values: dict[str, Any], for_set: bool = False) -> bytes: ...
def unpack_attribute(id: int, payload: bytes) -> dict[str, Any]: ...

class Tables:
    """The values that each device of a fabric holds under a profile: raw IBA values. Immutable. Node indices are the fabric's."""

    @property
    def enable(self) -> bool:
        """False: every table clears its device."""
    @property
    def has_nvidia(self) -> bool:
        """The profile has the section `nvidia`. If it lacks `switch`, `ca` and `cct`, the tables of annex A10 clear."""
    @property
    def warnings(self) -> list[str]:
        """Sentences about parts of the profile that have no effect on the fabric, such as an override that matches nothing."""
    @property
    def num_switches(self) -> int: ...
    @property
    def num_cas(self) -> int:
        """Connected ports of hosts and aggregation nodes."""
    @property
    def switches(self) -> list[dict[str, Any]]:
        """For each switch, by ascending node: `node`, `guid`, `num_ports`, `setting` (SwitchCongestionSetting: `control_map` and
        the keys of a profile's `switch`, masks as lists of ports, entries as (shift, multiplier)) and `ports`: by port number,
        for those with a setting of their own, `control_type` and the keys that single ports can have. Where the profile has
        `nvidia.switch`, also `nvidia`: `general` (CongestionSwitchGeneralSettings) and `ports`, by port number `profiles` (a
        CongestionPortProfileSettings for each list of VLs) and `sl_profile`, 16 numbers."""
    @property
    def cas(self) -> list[dict[str, Any]]:
        """For each connected port of a channel adapter, by ascending node and port: `node`, `guid`, `port`, `setting`
        (CACongestionSetting: `port_control`, `control_map` and `sls`, 16 of the keys of a profile's `ca` that each SL has) and
        `cct`: `ccti_limit`, `limit_mode`, `entries` as (shift, multiplier). Where the profile has `nvidia.adapter`, also
        `nvidia`: `type`, `general`, `rp`, `np` (each an attribute by field) and `ppcc`, a list of algorithms."""
    def switch(self, node: int) -> dict[str, Any]:
        """The element of `switches` for a node. Raises ValueError if that is no switch."""
    def ca(self, node: int, port: int = 1) -> dict[str, Any]:
        """The element of `cas` for a port. Raises ValueError if there is none."""

class ProfileDocument:
    """A valid profile; use ccsim.policy.Profile."""

    @staticmethod
    def read(text: bytes) -> ProfileDocument | tuple[bytes, int, int]:
        """The profile, or an error as (sentence, line, column); lines and columns count from 1, 0 if unknown."""
    @property
    def name(self) -> str: ...
    @property
    def enable(self) -> bool: ...
    @property
    def packet_time_ns(self) -> float | None: ...
    def to_yaml(self) -> str: ...
    def to_json(self) -> str: ...
    def encode(self) -> list[tuple[int, int, float, float]]:
        """(shift, multiplier, wanted, IRD) by CCTI, delays in packet times."""
    def equals(self, other: ProfileDocument) -> bool: ...
    def resolve(self, fabric: Fabric) -> Tables:
        """Raises ValueError."""
