# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A virtual machine with a soft-RoCE device, rxe0, in which programs of this host run: real verbs without RDMA hardware.

Emulated in software (TCG), which every machine can; IBCC_VM_ACCELERATOR=kvm is several times faster where KVM works.
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.perftest_mods.vm.image import Image, NoImageError, build
from tests.perftest_mods.vm.pci_tree import RoceCard, kernel_words, qemu_options

__all__ = ["Finished", "Machine", "NoImageError", "start"]

SERVER = Path(__file__).with_name("guest_server.py")
TREE = SERVER.parents[3]
PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "rdma": "iproute2",
    "ib_write_bw": "perftest",
    "ibv_rc_pingpong": "ibverbs-utils",
}
BOOT_S = 180.0
IDLE_BOOT_S = 20.0
# Emulated unless asked otherwise: where machines are virtual themselves, /dev/kvm often opens and then does not run a kernel.
# x86-64-v2, which numpy needs.
ACCELERATORS = {"kvm": ("kvm", "host"), "tcg": ("tcg,thread=multi,tb-size=256", "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt")}


@dataclass(frozen=True)
class Finished:
    """`output`: standard output, and standard error unless it went elsewhere."""

    code: int
    output: str


class Machine:
    """A running one. Use `start`, and `close` at the end."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, token: str, folder: Path) -> None:
        self.process = process
        self.console: list[str] = []
        self.slowness = 1.0
        """How many times longer than a machine with two idle cores this one takes to start programs: 1 or more."""
        self._port = port
        self._token = token
        self._folder = folder
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read_console, daemon=True)
        self._reader.start()

    def _read_console(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.console.append(line.decode("utf-8", "replace").rstrip())
            if "@@READY" in self.console[-1]:
                self._ready.set()
        self._ready.set()

    def wait_until_ready(self) -> None:
        began = time.monotonic()
        ready = self._ready.wait(BOOT_S)
        self.slowness = max(1.0, (time.monotonic() - began) / IDLE_BOOT_S)
        if not ready or not any("@@READY" in line for line in self.console):
            self.close()
            raise RuntimeError("the virtual machine did not come up:\n" + "\n".join(self.console[-40:]))

    def connect(
        self,
        argv: Sequence[str | Path],
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | Path = "/tmp",
        stderr: str = "merge",
    ) -> socket.socket:
        """Starts a program in the guest. The connection is its standard input and output."""
        request = {
            "token": self._token,
            "argv": [str(word) for word in argv],
            "environment": dict(environment or {}),
            "folder": str(folder),
            "stderr": stderr,
        }
        connection = socket.create_connection(("127.0.0.1", self._port), timeout=BOOT_S)
        connection.sendall(json.dumps(request).encode() + b"\n")
        connection.settimeout(None)
        return connection

    def run(
        self,
        script: str,
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | Path = "/tmp",
        timeout_s: float = 240.0,
    ) -> Finished:
        """A script of bash in the guest, to its end. TimeoutError after `timeout_s`."""
        marker = secrets.token_hex(8)
        wrapped = f"({script}\n) </dev/null; code=$?; echo; echo {marker} $code"
        # A bash whose input is a socket takes it for a log-in, and reads start-up files that take an emulated processor a minute.
        with self.connect(["bash", "--norc", "-c", wrapped], environment=environment, folder=folder) as connection:
            # Not to the end of the stream: what the script left in the background may hold it open.
            deadline = time.monotonic() + timeout_s
            output = b""
            while not (found := re.search(rf"\n?{marker} (\d+)\n".encode(), output)):
                connection.settimeout(max(deadline - time.monotonic(), 0.01))
                more = connection.recv(1 << 16)
                if not more:
                    raise RuntimeError(
                        f"the virtual machine ended a script early; its output was:\n{output.decode(errors='replace')}"
                    )
                output += more
        return Finished(int(found[1]), output[: found.start()].decode("utf-8", "replace"))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        if self.process.stdout:
            self.process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def start(
    image_folder: Path, memory_mib: int = 512, manager: str = "none", numa_nodes: int = 1, cards: Sequence[RoceCard] = ()
) -> Machine:
    """Boots one. `manager`: "systemd" if that is to be its first process. `numa_nodes`: 1, or 2 with a socket and half of the
    memory each. `cards`: soft RoCE is on these, in a made-up PCIe tree, in place of rxe0 on the loopback. NoImageError where a
    program is missing."""
    missing = {
        package
        for program, package in PROGRAMS.items()
        if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    }
    if missing:
        raise NoImageError(f"Debian's packages {', '.join(sorted(missing))} are not installed")
    image = build(image_folder)
    token = secrets.token_hex(16)
    folder = Path(tempfile.mkdtemp(prefix="ibcc-vm-"))
    process = subprocess.Popen(
        [*_command(image, folder, token, memory_mib, manager, cards), *_numa(memory_mib, numa_nodes)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        port = _forwarded_port(process, folder / "monitor")
    except Exception:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    machine = Machine(process, port, token, folder)
    machine.wait_until_ready()
    return machine


def _command(
    image: Image, folder: Path, token: str, memory_mib: int, manager: str, cards: Sequence[RoceCard]
) -> list[str | Path]:
    accel, processor = ACCELERATORS[os.environ.get("IBCC_VM_ACCELERATOR") or "tcg"]
    # No checks that slow a guest of a minute's life down, and a clock that does not wait for another to agree with it.
    append = (
        "console=ttyS0 quiet reboot=t panic=-1 mitigations=off nokaslr tsc=reliable random.trust_cpu=on rcupdate.rcu_expedited=1"
    )
    append += f" python={sys.executable} server={SERVER} tree={TREE} token={token} manager={manager}"
    append += "".join(f" {word}" for word in kernel_words(cards))
    return [
        "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-nographic", "-vga", "none", "-no-reboot",
        "-M", "q35" if cards else "pc", "-accel", accel, "-cpu", processor, "-m", str(memory_mib),
        "-kernel", image.kernel, "-initrd", image.initrd, "-append", append, "-serial", "stdio",
        "-virtfs", "local,path=/,mount_tag=hostroot,security_model=none,readonly=on,multidevs=remap",
        # From the guest, nothing outside can be reached; from here, its one server. QEMU chooses the port.
        "-netdev", "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-10.0.2.15:1000",
        "-device", "virtio-net-pci,netdev=net,romfile=",
        "-monitor", f"unix:{folder / 'monitor'},server=on,wait=off",
        *qemu_options(cards),
    ]  # fmt: skip


def _numa(memory_mib: int, nodes: int) -> list[str]:
    if nodes == 1:
        return ["-smp", "2"]
    each = memory_mib // nodes
    return ["-smp", f"{nodes},sockets={nodes}"] + [
        word
        for node in range(nodes)
        for word in (
            "-object", f"memory-backend-ram,id=mem{node},size={each}M",
            "-numa", f"node,nodeid={node},cpus={node},memdev=mem{node}",
        )
    ]  # fmt: skip


def _forwarded_port(process: subprocess.Popen[bytes], monitor: Path) -> int:
    deadline = time.monotonic() + BOOT_S
    while process.poll() is None and time.monotonic() < deadline:
        if not monitor.exists():
            time.sleep(0.01)
            continue
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(BOOT_S)
            try:
                connection.connect(str(monitor))
            except ConnectionRefusedError:
                continue
            connection.sendall(b"info usernet\n")
            said = b""
            while not (found := re.search(rb"HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)", said)):
                more = connection.recv(1 << 16)
                if not more:
                    break
                said += more
            else:
                return int(found[1])
    output = process.stdout.read().decode(errors="replace") if process.poll() is not None and process.stdout else ""
    raise RuntimeError(f"QEMU did not start: {output}")
