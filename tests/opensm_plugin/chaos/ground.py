# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where chaos takes place: an emulated fabric, OpenSMs with the plugin on it, and a record of what was done to them."""

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ccsim.policy import Profile
from tests.opensm_plugin.chaos.kinds import Kind
from tests.opensm_plugin.chaos.parts import Parts, expected_parts, held_parts
from tests.opensm_plugin.devices import Device
from tests.opensm_plugin.plugin_process import CONGESTION_CONTROL, SOON_TAKEN_OVER
from tuner.documents.fabric import FabricDocument
from tuner.documents.profile import load_profile
from tuner.emulator.fabric import EmulatedFabric
from tuner.errors import UnreachableError
from tuner.opensm.plugin_client import PluginClient
from tuner.opensm.plugin_library import PluginSetup
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OptionValue
from tuner.rpc.protocol import RpcError

HEADERS = Path("/usr/include/infiniband")
"""OpenSM's, for the plugin that exchanges LIDs."""
HANDOVER = "handover"
"""Folder of the base file, where the plugin has one."""
PROFILES = 6
"""Number of profiles, of which the last switches congestion control off."""
OPTIONS = "--audit-interval-s 5 --timeout-ms 50 --max-timeout-ms 400 --log-interval-s 2"
OPENSM_OPTIONS = f"sweep_interval 2\n{SOON_TAKEN_OVER}"
SILENCE_S = 20.0
"""Longest silence, in seconds, of a plugin that does not hang: it answers a call at once."""
SETTLES_S = 20.0
"""How long the plugin may take to open its socket after OpenSM has started, on a machine that is busy."""


class ViolationError(Exception):
    """Something that must not be. The sentence says what."""


class Server:
    """One OpenSM with the plugin, and a client of its socket."""

    def __init__(self, name: str, setup: PluginSetup, opensm: OpenSm) -> None:
        self.name, self.setup, self.opensm = name, setup, opensm
        self._client: PluginClient | None = None
        self.descriptors: int | None = None
        """How many it had when it had come up."""

    @property
    def client(self) -> PluginClient:
        """Connected, as often as need be. Raises ViolationError if nobody listens there for long."""
        deadline = time.monotonic() + SETTLES_S
        while self._client is None:
            try:
                self._client = PluginClient(self.setup.socket, silence_s=SILENCE_S)
            except (UnreachableError, RpcError) as error:
                if time.monotonic() > deadline or not self.lives:
                    raise ViolationError(f"{self.name}: nobody can connect to its socket: {error}") from error
                time.sleep(0.02)
        return self._client

    def hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    @property
    def lives(self) -> bool:
        with suppress(OSError):
            state = Path(f"/proc/{self.opensm.pid}/stat").read_text().rpartition(")")[2].split()[0]
            return state != "Z"
        return False

    @property
    def rss_kib(self) -> int:
        text = Path(f"/proc/{self.opensm.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0])

    def count_descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.opensm.pid}/fd"))

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.opensm.pid, number)


class Ground:
    """All that a phase acts on. OpenSM is attached to the first host, a second one to the last: these two go on living."""

    def __init__(self, fabric: FabricDocument, kind: Kind, library: Path, folder: Path, seed: int) -> None:
        fabric = kind.populated(fabric)
        self.kind = kind
        self.folder = folder
        self.chance = random.Random(seed)
        self.profile = folder / "profile.yaml"
        self.library = library
        self.document = fabric
        self.firmware = fabric.device_congestion_control()
        """Each node's entry says which attributes it has."""
        self.emulated = EmulatedFabric(fabric, name=f"ibcc-chaos-{os.getpid()}-{kind.name}-{seed}", seed=seed)
        self.emulator = self.emulated.emulator
        self.names = [node.name for node in fabric.nodes]
        self.switches = [i for i, node in enumerate(fabric.nodes) if node.kind == "switch"]
        every = [i for i, node in enumerate(fabric.nodes) if node.kind != "switch"]
        self.first, self.last = every[0], every[-1]
        self.hosts = every[1:-1]
        # A cable between two switches, of which there are several where losing one is to matter little.
        self.cables = [(a.node, a.port) for _, a, b in fabric.ends() if a.node in self.switches and b.node in self.switches]
        self.index_of = {fabric.guid_of(i): i for i in range(len(fabric.nodes))}
        """Nodes by GUID."""
        self.exchange_file = folder / "exchange"
        self.servers: dict[str, Server] = {}
        self.starts = 0
        self.calls = 0
        self.more_options = ""
        """More options of the plugin, for the OpenSMs that are started from now on."""
        self.ttl_s = 30
        """Longest time of an experiment, in seconds."""
        self.acknowledged_base = 0
        """The highest revision of a base that was acknowledged, and may not be lost."""
        self.history: dict[Device, list[tuple[float, Parts]]] = {}
        """What each device held, and since when it was seen to: of the system's clock."""
        self.observed_s = 0.0
        self._texts = [self._profile(number).to_yaml() for number in range(PROFILES)]
        self._wanted: dict[str, dict[Device, Parts]] = {}
        self._documents: dict[tuple[int, str, int], str] = {}
        self._has_memory = True
        """What parameters of PPCC were before is known: as at power-on."""
        self.lid_moves = 0
        """How often a host was seen with another LID than before."""
        self._lids: dict[int, int] = {}
        self._ends = ExitStack()
        self._record = (folder / "calls.log").open("w", buffering=1)
        self._begun_s = time.monotonic()

    def __enter__(self) -> Self:
        self._exchanger = build_exchanger(self.folder)
        (self.folder / HANDOVER).mkdir(mode=0o700)
        self._ends.enter_context(self.emulated)
        self._cleared = load_profile("off").resolve(self.emulated.built.fabric)
        self.as_found = self._held()
        self.write_file(0)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for name in list(self.servers):
            self.stop(name, signal.SIGKILL if kind else signal.SIGTERM)
        self._ends.close()
        self._record.close()

    def note(self, what: str) -> None:
        """Writes into the record of what was done."""
        self._record.write(f"{time.monotonic() - self._begun_s:9.3f} {what}\n")

    def port_guid(self, host: int) -> int:
        """Returns the GUID of a host's only port: the emulator gives it the node's."""
        return self.document.guid_of(host)

    # Profiles

    def _profile(self, number: int) -> Profile:
        if number == PROFILES - 1:
            return load_profile("off")
        # Each host is to hold a CCTI_Increase of its own, so that what was meant for another is seen.
        lines = [
            f"ibcc_profile: 2\nname: p{number}\nlink: {{rate_gbps: 16, mtu_bytes: 2048}}",
            f"switch: {{threshold: 15, marking_rate: {number + 1}, packet_size: 8, victim_mask: ca_ports}}",
            f"ca: {{level: qp, ccti_timer: {100 + number}, ccti_increase: 1, ccti_min: 0, trigger_threshold: 2}}",
            "cct: {ccti_limit: 127, curve: {kind: power, full_scale_us: 7, at_index: 106, exponent: 2}}",
            self.kind.section(number),
            "overrides:",
        ]
        for rank, host in enumerate([self.first, *self.hosts, self.last], 1):
            more = self.kind.override(number, rank)
            lines.append(f"- {{match: {{guid: {self.document.guid_of(host):#018x}}}, ca: {{ccti_increase: {rank}}}{more}}}")
        return Profile.from_text("\n".join(lines) + "\n")

    def any_profile(self) -> tuple[int, str]:
        """Number and text."""
        number = self.chance.randrange(PROFILES)
        return number, self._texts[number]

    def write_file(self, number: int) -> None:
        """Another profile in the file, at once, as an editor does it."""
        fresh = self.profile.with_suffix(".new")
        fresh.write_text(self._texts[number])
        fresh.rename(self.profile)
        self.note(f"file: p{number}")

    def wanted(self, server: Server, revision: int) -> dict[Device, Parts] | None:
        """Returns what each device that answers is to hold under a revision of a server. None: it is what the second server
        found, which may be the middle of a push of the first."""
        if revision == 0:
            return self.as_found if server.name == "first" else None
        key = (self.starts, server.name, revision)
        if key not in self._documents:
            self._documents[key] = server.client.profile(revision=revision)["document"]
        text = self._documents[key]
        if text not in self._wanted:
            tables = Profile.from_text(text).resolve(self.emulated.built.fabric)
            self._wanted[text] = expected_parts(tables, self._cleared, self.firmware, is_whole=self._has_memory)
        return self._wanted[text]

    # OpenSM

    def start(self, name: str = "first") -> Server:
        """OpenSM with the state folder of that name, which stays from one start to the next."""
        state = self.folder / name
        state.mkdir(exist_ok=True)
        options_of_kind = self.kind.options.format(folder=self.folder)
        setup = PluginSetup(self.library, state, self.profile, f"{OPTIONS} {options_of_kind} {self.more_options}")
        node = self.names[self.last if name == "second" else self.first]
        environment = setup.environment(client_environment(self.emulated.name, node))
        environment["LD_LIBRARY_PATH"] += f":{self._exchanger.parent}"
        environment["IBCC_EXCHANGE_LIDS"] = str(self.exchange_file)
        options: dict[str, OptionValue] = {
            **setup.opensm_options(),
            "event_plugin_name": "ibcc exchange_lids",
            "congestion_control": False,
        }
        # A folder for each name, as its guid2lid is to be there again; the log of each start is kept.
        self.starts += 1
        folder = self.folder / f"opensm-{name}"
        if (folder / "opensm.log").exists():
            (folder / "opensm.log").rename(folder / f"opensm-{self.starts}.log")
        opensm = OpenSm(folder, environment, options=options, more_options=OPENSM_OPTIONS)
        server = Server(name, setup, opensm)
        self.servers[name] = server
        self.note(f"opensm {name} starts, pid {opensm.pid}")
        return server

    def settle(self) -> None:
        """Waits until OpenSM has come up once, so that there is something to go wrong. Raises ViolationError."""
        self.await_role("master", "sweep-failed")
        server = self.servers["first"]
        if server.descriptors is None:
            server.descriptors = server.count_descriptors()

    def await_role(self, *roles: str) -> None:
        """Waits until the first OpenSM's plugin has one of them. Raises ViolationError."""
        client = self.servers["first"].client
        deadline = time.monotonic() + SETTLES_S
        while (role := client.status()["role"]) not in roles:
            if time.monotonic() > deadline:
                raise ViolationError(f"the role is {role} for {SETTLES_S:g} s, where {' or '.join(roles)} was to come")
            time.sleep(0.02)  # there is no event of it

    def stop(self, name: str, how: signal.Signals) -> None:
        server = self.servers.pop(name)
        server.hang_up()
        alive = server.lives
        if how == signal.SIGKILL:
            server.opensm.kill()
        else:
            status = server.opensm.stop()
            # Before it has come up, it has no handler for the signal.
            young = time.monotonic() - server.opensm.started_s < SETTLES_S and server.descriptors is None
            if alive and status != 0 and not (young and status == -signal.SIGTERM):
                raise ViolationError(f"OpenSM {name} was asked to end by SIGTERM, and ended with {status}")
        self.note(f"opensm {name} ended by {how.name}")
        # A process that is killed cannot remove what libumad2sim has made.
        for left in server.opensm.folder.glob("sys-*"):
            shutil.rmtree(left, ignore_errors=True)
        if not alive:
            raise ViolationError(f"OpenSM {name} had ended on its own")

    def forget(self, name: str) -> None:
        """Removes the state of an OpenSM that does not run: what devices hold now is what the next one finds, and what
        parameters of PPCC were before anybody set them, nobody knows any more."""
        shutil.rmtree(self.folder / name / "state", ignore_errors=True)
        for path in (self.folder / HANDOVER).iterdir():
            path.unlink()
        self.as_found = self._held()
        self.acknowledged_base = 0
        self._lose_memory()
        self.note(f"the state of opensm {name} is removed")

    def _lose_memory(self) -> None:
        self._has_memory = False
        self._wanted.clear()

    def forget_all(self) -> None:
        """The same of a fabric that is as after a power-on."""
        for node in range(len(self.names)):
            self.emulator.reboot(node)
        self.forget("first")
        self._has_memory = True
        self._wanted.clear()

    # The fabric

    def fault(self, kind: str, node: int | None = None, **given: Any) -> int:
        """Adds a fault of congestion control's class, unless `mgmt_class` names another (None: of all classes)."""
        given = {"mgmt_class": CONGESTION_CONTROL, **given}
        self.note(f"fault {kind} {'' if node is None else self.names[node]} {given}")
        return self.emulator.add_fault(kind, node=node, **given)

    def reboot(self, node: int) -> None:
        self.observe()
        self.note(f"reboot {self.names[node]}")
        self.emulator.reboot(node)

    def set_present(self, node: int, present: bool) -> None:
        self.observe()
        self.note(f"{self.names[node]} {'on' if present else 'off'}")
        self.emulator.set_present(node, present)

    def set_link(self, node: int, port: int, up: bool) -> None:
        self.note(f"cable {self.names[node]}/{port} {'in' if up else 'out'}")
        self.emulator.set_link(node, port, up)

    def heal(self) -> None:
        """All faults end, all nodes and cables are there."""
        self.emulator.clear_faults()
        for device in self.emulator.tables():
            if not device["present"]:
                self.set_present(device["node"], True)
        for node, port in self.cables:
            self.emulator.set_link(node, port, True)
        self.note("all faults end")

    def _held(self) -> dict[Device, Parts]:
        """What each device that answers holds."""
        return {device: parts for device, parts in held_parts(self.emulator.tables()).items() if self.answers(device[0])}

    def answers(self, node: int) -> bool:
        """False of a device that never answers requests of congestion control's class."""
        return self.firmware[node].quirk != "silent"

    def observe(self) -> dict[Device, Parts]:
        """What each device holds, as the emulator itself sees it; kept in the history."""
        devices = self.emulator.tables()
        now = held_parts(devices)
        self.observed_s = time.time()
        lids = {device["node"]: device["ports"][1]["lid"] for device in devices if device["kind"] == "host"}
        known = {node: lid for node, lid in lids.items() if lid}
        if moves := sum(self._lids.get(node, lid) != lid for node, lid in known.items()):
            self.lid_moves += moves
            # A Set that was in flight to a LID may have reached whoever has it now, of whose parameters nothing was kept.
            self._lose_memory()
        self._lids.update(known)
        for device, tables in now.items():
            past = self.history.setdefault(device, [])
            if not past or past[-1][1] != tables:
                past.append((self.observed_s, tables))
                del past[:-200]
        return now


def wanted_name(client: PluginClient) -> str:
    """Returns the name of the profile that is wanted."""
    return "as found" if client.status()["wanted"] == 0 else str(client.profile()["name"])


def build_exchanger(folder: Path) -> Path:
    """exchange_lids.c as a plugin that OpenSM finds; it is for this machine's OpenSM, as libibcc.so is."""
    library = folder / "lib" / "libexchange_lids.so"
    library.parent.mkdir()
    source = Path(__file__).with_name("exchange_lids.c")
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-D_GNU_SOURCE"]
    subprocess.run(["cc", *flags, "-isystem", str(HEADERS), str(source), "-o", str(library)], check=True)
    return library
