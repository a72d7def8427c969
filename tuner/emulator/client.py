# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A client of an emulated fabric's control socket."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tuner.emulator.fabric import Pace
from tuner.emulator.names import DEFAULT_NAME, control_socket
from tuner.measuring.measurement import Measurement
from tuner.rpc.connection import Connection

OnSample = Callable[[float, int, list[float]], None]
"""Told the end of each interval in seconds, the index of the first flow that follows, and what flows have got in it in Gb/s."""


class ControlClient:
    """Speaks to one emulated fabric. For one thread at a time, and one call after the other; a second client may stop what the
    first has begun. Every method raises RpcError with the server's sentence, and UnreachableError when the server is gone."""

    def __init__(self, name: str = DEFAULT_NAME, *, path: Path | None = None) -> None:
        """`path`: of the socket, instead of the one that goes with the name. Raises UnreachableError."""
        self._connection = Connection(path or control_socket(name), "emulated fabric", "`ibcc emulate` starts one")

    @property
    def server(self) -> dict[str, Any]:
        """Reply of the server to `hello`."""
        return self._connection.server

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the server ends everything that this client has begun."""
        self._connection.close()

    def call(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        on_notification: Callable[[str, dict[str, Any]], None] | None = None,
    ) -> Any:
        """The result of any method. `on_notification`: told those that come before it."""
        return self._connection.call(method, params, on_notification=on_notification)

    def status(self) -> dict[str, Any]:
        result: dict[str, Any] = self.call("status")
        return result

    def run_workload(
        self,
        workload: str | Path | Mapping[str, Any],
        *,
        pace: Pace = "fast",
        seed: int = 1,
        time_scale: float = 1.0,
        allow_credit_loops: bool = False,
        on_sample: OnSample | None = None,
    ) -> Measurement:
        """`workload`: a packaged one's name, a path, or a whole document. Blocks until the workload is over."""
        told = None if on_sample is None else lambda _, sample: on_sample(sample["t_s"], sample["first"], sample["gbps"])
        params = {
            "workload": str(workload.absolute()) if isinstance(workload, Path) else workload,
            "pace": pace,
            "seed": seed,
            "time_scale": time_scale,
            "samples": on_sample is not None,
            "allow_credit_loops": allow_credit_loops,
        }
        document = self.call("workload.run", params, on_notification=told)
        return Measurement.from_json(document)

    def stop_workload(self) -> bool:
        """False if none was running."""
        return bool(self.call("workload.stop")["stopped"])

    def tables(self, node: str | None = None) -> list[dict[str, Any]]:
        """Returns the tables of all devices, or of one by its description or `guid:0x…`."""
        devices: list[dict[str, Any]] = self.call("tables", named(node))["devices"]
        return devices

    def counters(self, node: str | None = None) -> list[dict[str, Any]]:
        """Returns the counters of all ports, or of one node's."""
        ports: list[dict[str, Any]] = self.call("counters", named(node))["ports"]
        return ports

    def mads(self, *, clear: bool = False) -> dict[str, Any]:
        """`now_s`, and `mads`: how many MADs have been sent, by class, method and attribute. `clear`: begin anew."""
        result: dict[str, Any] = self.call("mads", {"clear": clear})
        return result

    def set_link(self, node: str, port: int, *, up: bool) -> None:
        self.call("link.set", {**named(node), "port": port, "up": up})

    def remove_node(self, node: str) -> None:
        self.call("node.remove", named(node))

    def add_node(self, node: str) -> None:
        """Adds a node that was removed."""
        self.call("node.add", named(node))

    def reboot_node(self, node: str, *, firmware: str | None = None) -> None:
        """`firmware`: version that the node reports afterwards; None: the former one."""
        self.call("node.reboot", named(node) | ({} if firmware is None else {"firmware": firmware}))

    def add_fault(self, kind: str, node: str | None = None, **params: Any) -> int:
        """The fault's id. `params`: `class_` (`class` is a word of Python's), `attribute`, `method`, `probability`, `count`, and
        the kind's own."""
        plain = {key.rstrip("_"): value for key, value in params.items()}
        return int(self.call("fault.add", {"kind": kind, **named(node), **plain})["id"])

    def faults(self) -> list[dict[str, Any]]:
        faults: list[dict[str, Any]] = self.call("fault.list")["faults"]
        return faults

    def clear_faults(self, fault: int | None = None) -> int:
        """One of them, or all; how many those were."""
        return int(self.call("fault.clear", {} if fault is None else {"id": fault})["cleared"])

    def fault_kinds(self) -> list[dict[str, Any]]:
        kinds: list[dict[str, Any]] = self.call("fault.kinds")["kinds"]
        return kinds


def named(node: str | None) -> dict[str, str]:
    """Returns the parameters by which calls name a node that people write as a description or `guid:0x…`; {} for None."""
    if node is None:
        return {}
    return {"guid": node.removeprefix("guid:")} if node.startswith("guid:") else {"node": node}
