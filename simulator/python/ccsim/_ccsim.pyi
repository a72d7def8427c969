# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Types of the native module: the packet-level fabric simulator and the CC data model (see ccsim.policy)."""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from ccsim import policy

NodeKind = Literal["switch", "host", "aggregation", "router"]

def link_data_gbps(rate: str) -> float:
    """Data rate in Gb/s after line encoding of a link rate such as "4xNDR". Raises ValueError."""

def routing_names() -> list[str]:
    """What Fabric.route_by takes, in alphabetical order."""

class Fabric:
    """Switches, channel adapters, links and forwarding tables. Read-only once simulations use it."""

    def __init__(self, *, mtu_bytes: int = 2048) -> None: ...
    def add_node(self, name: str, kind: NodeKind, *, guid: int, num_ports: int) -> int:
        """Index of the new node, which has ports 1..num_ports (at most 254)."""
    def connect(self, node_a: int, port_a: int, node_b: int, port_b: int, *, rate: str, propagation_ns: float = 25.0) -> None:
        """Raises ValueError if a port does not exist, is used twice, or joins a node with itself."""
    def set_port_guid(self, node: int, port: int, guid: int) -> None:
        """Of a port of a channel adapter, as management sees it. Raises ValueError for a switch, whose ports have none."""
    def set_host_limits(self, node: int, *, inject_gbps: float | None = None, receive_gbps: float | None = None) -> None:
        """Limits of the host's bus in Gb/s of payload, each direction on its own."""
    def route_by(self, routing: str, *, roots: Sequence[int] = ()) -> None:
        """Fill the forwarding tables (and, where the routing needs them, path SLs and SL-to-VL tables) by a routing of that name.

        `roots`: node indices of the switches at the top, for `updown`; without them it finds them itself.
        Raises ValueError that lists the known routings, or says why this one cannot route this fabric."""
    def set_coordinates(self, switch: int, at: Sequence[int]) -> None:
        """Place of a switch in a torus, mesh or hypercube, which the routing `dor` needs: 1 to 16 numbers of 0 to 65,535."""
    @property
    def min_vls(self) -> int:
        """The fewest data VLs that the routing can do with."""
    def credit_loop(self, *, num_vls: int = 0) -> list[tuple[int, int, int]] | None:
        """A cycle of (node, port left by, VL) whose buffers wait for each other when full, or None if the routes between hosts
        have none. `num_vls`: of the devices, where no SL-to-VL table says what an SL travels on; 0: `min_vls`."""
    def set_forward(self, switch: int, endport: int, port: int) -> None: ...
    def set_sl_to_vl(self, node: int | None, in_port: int, out_port: int, vls: Sequence[int]) -> None:
        """VL by SL, 16 of 0 to 14, for packets that come in by one port and leave by another; in port 0: what the node sends.
        Node None: wherever nothing else is set. Without any, an SL travels on VL (SL modulo the number of VLs). Routing anew, or
        connecting more, clears these tables."""
    def set_vl_arbitration(
        self,
        node: int | None,
        port: int,
        *,
        high: Sequence[tuple[int, int]] = (),
        low: Sequence[tuple[int, int]] = (),
        high_limit: int = 255,
    ) -> None:
        """Tables of (VL, weight in units of 64 bytes) by which a port sends; node None: all ports where nothing else is set.
        `high_limit`: what `high` sends before `low` has a turn, in units of 4,096 bytes; 0: one packet, 255: no limit. Without
        tables, VLs take turns, packet by packet. Raises ValueError."""
    def route(self, src_endport: int, dst_endport: int) -> list[tuple[int, int]]:
        """(node, port left by) of each hop, the source's own first. Raises RuntimeError where there is no route."""
    def unreachable(self, sources: Sequence[int]) -> list[tuple[int, int]]:
        """(source, destination) endports: for each destination that one of `sources` has no route to, the first such source."""
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
    def node_guid(self, node: int) -> int: ...
    def node_num_ports(self, node: int) -> int: ...

class SwitchModel:
    """What the specification leaves to the designer of a switch."""

    input_buffer_bytes: int
    buffer_sharing: Literal["partitioned", "shared"]
    read_ports: int
    routing_latency_ns: float
    threshold_reference_bytes: float
    threshold_mode: Literal["voq", "sum", "contributing"]
    hysteresis_bytes: int
    root_test: Literal["crossing", "marking", "both"]

class HcaModel:
    """What the specification leaves to the designer of a channel adapter."""

    input_buffer_bytes: int
    becn_carrier: Literal["cnp", "ack"]
    becn_delay_ns: float
    cnp_spacing_ns: float
    ack_every_packets: int
    ccti_timer: Literal["port_sl", "flow"]
    control_vl: Literal["data", "last"]

class Model:
    """Free parameters of the simulated devices; `switch` and `hca` are live sub-objects."""

    def __init__(self) -> None: ...
    @property
    def switch(self) -> SwitchModel: ...
    @property
    def hca(self) -> HcaModel: ...
    num_vls: int
    def validate(self, mtu_bytes: int) -> None:
        """Raises ValueError naming the parameter, its value and what would be right."""
    def to_dict(self) -> dict[str, Any]: ...

class Destinations:
    """Where the messages of a flow go that has no single destination; one object serves any number of flows."""

    @staticmethod
    def uniform(endports: Sequence[int]) -> Destinations:
        """Drawn anew for every message, each endport but the source's own equally likely."""
    @staticmethod
    def cyclic(endports: Sequence[int]) -> Destinations:
        """One after the other, beginning behind the source's own place in the list."""
    @staticmethod
    def moving(endports: Sequence[int], *, period_s: float) -> Destinations:
        """All to the first; after `period_s` all to the second, and so on, round and round. Counted from the flow's start."""

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
        messages: Sequence[tuple[float, int]] | None = None,
    ) -> None:
        """`src`, `dst`: endport indices. `rate_gbps`: offered payload rate of the whole flow; None: all it can get. It is a
        budget: what could not be sent in time is sent later.

        `bursts`: (on_s, off_s), the lengths of bursts and pauses, or with `random_bursts` the means of exponential distributions.
        `window`: a closed loop: a message begins only against a permit, of which there are `window` at the start. Each message
        of this flow that is delivered gives a permit to every flow of `grants` (indices into the simulation's flows), `think_s`
        later. `messages`: exactly these, as (handed over at second, bytes), ascending, instead of an endless stream."""
    @property
    def src(self) -> int: ...
    @property
    def dst(self) -> int | Destinations: ...

class Simulation:
    """One run. Independent of all others: many may run at once in threads."""

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
    ) -> None:
        """`reprogram`: (at second, tables) that devices are set to in mid-run, see docs/simulator.md. A device keeps what the
        Control_Map does not name; the state of congestion is carried over. `judged_s`: from when to when a round trip must end
        to be in `Result.round_trips`; None: whenever.

        Checks everything. Raises ValueError with one sentence; a flow without a route is one of the reasons."""
    def run(self, on_progress: Callable[[float], bool | None] | None = None) -> Result:
        """Runs with the GIL released. `on_progress(simulated_s)` is called about ten times a second of wall time and at the end;
        returning False cancels the run, and the result then has `complete` False and the samples so far."""

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
    def occupancy_bytes(self) -> npt.NDArray[np.uint32] | None:
        """Bytes queued for each row of `ports` at each sample, if traced: shape (n_ports, n_samples)."""
    @property
    def host_received_bytes(self) -> npt.NDArray[np.uint64]:
        """Payload bytes that each endport received in each interval, from all flows: shape (n_endports, n_samples)."""
    @property
    def ports(self) -> dict[str, npt.NDArray[Any]]:
        """Counters by connected port, one row each, all VLs together: `node`, `port`, `xmit_bytes`, `xmit_packets`, `rcv_bytes`,
        `rcv_packets`,
        `xmit_wait_ns` (a packet was queued and the port idle for want of credits), `fecn_marked`, `max_queued_bytes`,
        `credits_held` (packets that came in here and whose credits were held back: credit starvation)."""
    @property
    def congestion_logs(self) -> dict[str, list[dict[str, Any]]]:
        """Of the devices that have something to tell. `switches`: `node`, `events`, `marked_ports`, and `entries`, the latest 15
        packets that brought a port VL into congestion: `src` and `dst` (endports), `sl`, `timestamp` (units of 1.024 us). `cas`:
        `node`, `port`, `events`, `sls`, and `entries`, the latest 13 CCTIs that reached Trigger_Threshold: `flow`, `qp` (among
        the flow's; None where the CCTI is the SL's), `remote` (endport), `sl`, `timestamp`."""
    @property
    def flows(self) -> dict[str, npt.NDArray[Any]]:
        """Totals by flow: `sent_packets`, `received_packets`, `received_bytes`, `fecn_received`, `becn_received`,
        `received_messages` (whole ones), and for a flow with a window of 1 `round_trips`, `round_trip_mean_us` and
        `round_trip_max_us`: from the beginning of a message to the permit that it brought about."""
    @property
    def round_trips(self) -> dict[str, npt.NDArray[Any]] | None:
        """How many round trips of flows with a window of 1 took how long, of those that ended within `judged_s`; None if there
        were none. `flow`: those that made some, ascending; `edges_us`: of n bins their n + 1 ends, each bin no wider than a 64th
        of its lower end; `counts`: shape (flows, n). What is shorter than 0.134 us is counted in the first bin."""
    @property
    def packets(self) -> dict[str, npt.NDArray[Any]] | None:
        """Packet trace, if asked for: `time_ns`, `event` (0 leaves `node` by `port`, 1 fully received), `node`, `port`, `flow`,
        `qp` (0 for flows with many destinations), `destination` (endport), `sequence`, `kind` (0 data, 1 ACK, 2 CNP), `bytes`,
        `fecn`, `becn`. Rows are in the order in which packets were put on wires; a reception follows at once, with the time at
        which it ends."""
    @property
    def deadlock(self) -> tuple[float, list[tuple[int, int, int]]] | None:
        """If buffers wait for each other for ever at the end of the run: since when all of them have stood still, in s, and the
        cycle as (node, port, VL), each of which waits for the next and the last for the first."""
    @property
    def packet_hops(self) -> int:
        """Data packets fully received over one link, host links included."""
    @property
    def events(self) -> int: ...
    @property
    def cpu_s(self) -> float: ...

# --- The emulated fabric (emulator_bindings.cpp and those beside it) ------------------------------------------------------------

class Emulator:
    """A fabric whose devices answer management datagrams and carry traffic under the tables that arrived by them.

    Programs reach it by ibsim's client protocol (Debian's libumad2sim.so with IBSIM_SOCKNAME set to `name`). It works in a thread
    of its own, without the GIL; any Python thread may call any method. A context manager: started on entry, stopped on exit."""

    def __init__(
        self, fabric: Fabric, model: Model | None = None, *, name: str = "sim", seed: int = 1, timeout_ms: int = 200
    ) -> None:
        """Binds the sockets. `fabric`: its nodes and links; its forwarding tables are not used. `seed`: of faults. `timeout_ms`:
        until a request that was lost comes back to its sender with the status of a timeout.

        Raises OSError if the name is taken, ValueError on an option that makes no sense."""
    def start(self) -> None: ...
    def stop(self) -> None:
        """Ends a running workload and the thread. Clients see their sockets fall silent."""
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
    ) -> Result:
        """Runs a workload under the tables that the devices hold at the start and, as they change, later; blocks until it is
        over. MADs, and calls of other methods by other threads, are served between its events.

        `pace`: "fast" as fast as the machine can, "real" no faster than the clock. `on_sample(t_s, received_bytes)`: once for
        each sample, in order: the interval's end and the payload bytes of each flow in it. `should_stop()`: asked about ten times
        a second of wall time; True ends the run, and the result then has `complete` False and the samples so far. Both are called
        in the emulator's thread, with the GIL; what they raise ends the run and is raised here.

        While no table changes, the series are those of a Simulation of the fabric with the same routes, tables and seed.

        Raises ValueError with a sentence on flows that make no sense or cannot get through under the tables (a host without a
        LID, a switch without an entry, a credit loop unless they are allowed), RuntimeError while another workload runs."""
    def tables(self) -> list[dict[str, Any]]:
        """What each device holds now, by node index: `node`, `guid`, `name`, `kind`, `present`; `ports`, by number (0: a switch's
        management port), each with `state` ("down", "init", "armed", "active"), `lid`, `lmc`, `sm_lid`, `sm_sl`,
        `operational_vls` (a number of data VLs), `sl_to_vl` (what was set, by port of entry: 16 VLs), `vl_arbitration` (None
        until it is set; `high` and `low` as (VL, weight), `high_limit`); `congestion`: of a switch as an element of
        policy.Tables.switches, of an adapter by port as one of policy.Tables.cas; of a switch also `forwarding`, the
        LinearForwardingTable as bytes (by LID the port, 255 for none), and `forwarding_top`, above which no LID is forwarded.
        Keys are never shown."""
    def counters(self) -> dict[str, npt.NDArray[Any]]:
        """What the performance agents of all nodes count, since they were last cleared by MAD: one row each connected port:
        `node`, `port`, `xmit_bytes`, `rcv_bytes` (LRH to ICRC, as PortXmitData times 4), `xmit_packets`, `rcv_packets`,
        `xmit_wait_ns`, `rcv_fecn` and `rcv_becn` (of adapters), `xmit_discards`, `rcv_switch_relay_errors`."""
    def mads(self, *, clear: bool = False) -> tuple[int, list[dict[str, int]]]:
        """The emulator's clock in ns, and how many MADs have set out from nodes since it began or they were cleared: a row each
        `mgmt_class`, `method` and `attribute`, with `count`, and `first_ns` and `last_ns` on that clock. `clear`: begin anew."""
    def clients(self) -> list[dict[str, int]]:
        """The programs that are attached: `id`, `pid`, `node` and `port` that they are attached to, `is_sm`."""
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
        """Has devices go wrong, see fault_kinds(); returns the fault's id. `node`, `mgmt_class` (of SMPs 1) and `attribute`: what
        it may strike, None: all. `probability`: of each request that matches. `count`: strikes after which it is over. Raises
        ValueError with a sentence."""
    def faults(self) -> list[dict[str, Any]]:
        """Those in force: `id`, what add_fault was given, `matched` (requests that it might have struck) and `struck`."""
    def clear_faults(self, id: int | None = None) -> int:
        """Ends one of them, or all; how many those were."""
    def set_link(self, node: int, port: int, up: bool) -> None:
        """Pulls the cable on a port, or plugs it in. Raises ValueError on a port that has none."""
    def set_present(self, node: int, present: bool) -> None:
        """Takes a node away, or brings it back as after a power cycle. Raises ValueError."""
    def reboot(self, node: int) -> None:
        """A power cycle: tables, keys and counters are gone, links come up anew. Raises ValueError."""

def fault_kinds() -> list[dict[str, Any]]:
    """In alphabetical order: `name`, `description` (a sentence) and `parameters`, a list of `name` and `description`."""

def agent_attributes() -> list[tuple[int, int, str]]:
    """(class, attribute, its name) of each attribute that devices answer, in ascending order; class 1 stands for both kinds of SMPs."""

# --- The CC data model (policy_bindings.cpp) ------------------------------------------------------------------------------------

class Tables:
    """What each device of a fabric is to hold under a profile: raw IBA values. Immutable. Node indices are the fabric's."""

    @property
    def enable(self) -> bool:
        """False: every table clears its device."""
    @property
    def warnings(self) -> list[str]:
        """Sentences on what the profile says and the fabric has no use for, such as an override that matches nothing."""
    @property
    def num_switches(self) -> int: ...
    @property
    def num_cas(self) -> int:
        """Connected ports of hosts and aggregation nodes."""
    @property
    def switches(self) -> list[dict[str, Any]]:
        """For each switch, by ascending node: `node`, `guid`, `num_ports`, `setting` (SwitchCongestionSetting: `control_map`,
        `victim_mask` and `credit_mask` as lists of ports, `threshold`, `packet_size`, `cs_threshold`, `cs_return_delay` as
        (shift, multiplier), `marking_rate`) and `ports`: by port number, for those with a setting of their own,
        `control_type`, `threshold`, `packet_size`, `marking_rate`."""
    @property
    def cas(self) -> list[dict[str, Any]]:
        """For each connected port of a channel adapter, by ascending node and port: `node`, `guid`, `port`, `setting`
        (CACongestionSetting: `port_control`, `control_map`, `sls`, 16 of `ccti_timer`, `ccti_increase`,
        `trigger_threshold`, `ccti_min`) and `cct`: `ccti_limit`, `limit_mode`, `entries` as (shift, multiplier)."""
    def switch(self, node: int) -> dict[str, Any]:
        """The element of `switches` for a node. Raises ValueError if that is no switch."""
    def ca(self, node: int, port: int = 1) -> dict[str, Any]:
        """The element of `cas` for a port. Raises ValueError if there is none."""

class ProfileDocument:
    """A valid profile; use ccsim.policy.Profile."""

    @staticmethod
    def read(text: bytes) -> ProfileDocument | tuple[bytes, int, int]:
        """The profile, or (sentence, line, column) on what is wrong with the text; lines and columns from 1, 0 if unknown."""
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
