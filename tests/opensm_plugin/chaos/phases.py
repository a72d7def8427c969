# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The phases of chaos: what is wrong in each, from its begin to its end and again and again between."""

import json
import random
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from tests.opensm_plugin.chaos.ground import Ground, ViolationError, wanted_name
from tests.opensm_plugin.test_faults import CCT, SWITCH_SETTING
from tuner.rpc.protocol import RpcError

SMP = 0x01
PORT_INFO = 0x15
LFT = 0x19
MIB = 1 << 20

Act = Callable[[Ground], None]


def _nothing(ground: Ground) -> None:
    pass


@dataclass(frozen=True)
class Phase:
    """One row. `calls` go on all the time."""

    name: str
    on: Act = _nothing
    again: Act = _nothing
    """Done every `every_s`."""
    every_s: float = 1.0
    off: Act = _nothing
    """Before all faults end."""
    after: Act = _nothing
    """When all faults have ended: what an administrator has to do."""
    end: Act = _nothing
    """When all has been looked at: the next phase begins as all others do."""
    sick: Callable[[Ground], int] | None = None
    """A host whose fault outlasts the look: all others are to hold the profile, and it is to be listed with a reason."""
    spoils_state: bool = False
    """What was acknowledged may be lost with the state."""


def _faults(*rows: tuple[str, dict[str, object]]) -> Act:
    def on(ground: Ground) -> None:
        for kind, given in rows:
            ground.fault(kind, **given)  # type: ignore[arg-type]

    return on


def _verify(ground: Ground) -> None:
    """What a device has clamped it is sent again when somebody asks, and who was silent is asked at once."""
    ground.settle()
    ground.servers["first"].client.verify()


def _flap(ground: Ground) -> None:
    node, port = ground.chance.choice(ground.cables)
    ground.set_link(node, port, False)
    ground.set_link(node, port, True)


def _reboot(ground: Ground) -> None:
    ground.reboot(ground.chance.choice(ground.hosts + ground.switches))


def _off_and_on(ground: Ground) -> None:
    node = ground.chance.choice(ground.hosts)
    present = {device["node"] for device in ground.emulator.tables() if device["present"]}
    ground.set_present(node, node not in present)


def _sighup(ground: Ground) -> None:
    for server in ground.servers.values():
        server.signal(signal.SIGHUP)


def _kill(ground: Ground) -> None:
    ground.stop("first", signal.SIGKILL)
    ground.start()


def _terminate(ground: Ground) -> None:
    ground.stop("first", signal.SIGTERM)
    ground.start()


def _spoil_state(ground: Ground) -> None:
    ground.stop("first", signal.SIGKILL)
    path = ground.folder / "first/state/state.json"
    whole = path.read_bytes() if path.exists() else b"{}"
    ways = {
        "cut": whole[: ground.chance.randrange(len(whole) + 1)],
        "random": random.Random(ground.starts).randbytes(len(whole)),
        "empty": b"",
        "wrong": json.dumps({"version": 1, "base": [1, 2], "history": "none"}).encode(),
    }
    way = ground.chance.choice(sorted(ways))
    path.write_bytes(ways[way])
    ground.note(f"state.json: {way}")
    ground.acknowledged_base = 0
    ground.start()


def _die(ground: Ground) -> None:
    """Two hosts answer nothing of the class any more; SMPs they do."""
    for host in ground.chance.sample(ground.hosts, 2):
        ground.fault("drop", host)


def _meet(ground: Ground) -> None:
    """OpenSM comes to a fabric that others have set, and has neither a state nor a profile."""
    ground.stop("first", signal.SIGKILL)
    ground.profile.unlink(missing_ok=True)
    ground.forget("first")
    ground.start()


def _begin_anew(ground: Ground) -> None:
    """What the former phase has left is nobody's, and would be foreign in all that follow."""
    ground.stop("first", signal.SIGKILL)
    ground.forget_all()
    ground.start()
    ground.settle()


def _write_in_place(ground: Ground) -> None:
    """As an editor does that knows no better: for a moment there is half a document."""
    _, text = ground.any_profile()
    with ground.profile.open("w") as file:
        file.write(text[: ground.chance.randrange(len(text))])
        file.flush()
        if ground.chance.random() < 0.5:
            file.write(text)  # behind its own beginning: no profile at all
            return
    ground.profile.write_text(text)


def _whole_file(ground: Ground) -> None:
    ground.write_file(ground.chance.randrange(6))


def _abuse(ground: Ground) -> None:
    """What no client should send, from clients that do not care for the answer."""
    server = ground.servers["first"]
    hello = b'{"jsonrpc": "2.0", "id": 0, "method": "hello", "params": {"protocol": 2}}\n'
    levels = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))
    bomb = json.dumps("ibcc_profile: 1\na0: &a0 [x, x]\n" + levels)
    apply = f'{{"jsonrpc": "2.0", "id": 1, "method": "profile.apply", "params": {{"profile": {bomb}}}}}\n'
    sent = ground.chance.choice(
        [
            b"x" * (MIB + 2) + b"\n",
            hello + b"[" * 200_000 + b"\n",
            hello + b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe\xc0"}\n',
            hello + apply.encode(),
            hello + b'{"jsonrpc": "2.0", "id": 1, "method": "devices"}\n' * 200,
            b"",  # forty that say nothing
        ]
    )
    ground.note(f"abuse: {sent[:20]!r}")
    crowd = []
    for _ in range(1 if sent else 40):
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(5)
        crowd.append(one)
        with suppress(OSError):
            one.connect(str(server.setup.socket))
            if sent:
                one.sendall(sent)
                one.recv(100)
    for one in crowd:
        one.close()


def _sick_host(ground: Ground) -> int:
    return ground.hosts[0]


def _fall_sick(ground: Ground) -> None:
    """It comes back from a power cycle, and does not take the SM's Set(PortInfo): it stays without a LID."""
    host = _sick_host(ground)
    ground.fault("drop", host, mgmt_class=SMP, attribute=PORT_INFO, method="set")
    ground.reboot(host)
    ground.await_role("sweep-failed")


def _wait_for_good_sweeps(ground: Ground) -> None:
    """The other answer to sweeps with errors: what is acknowledged meanwhile waits for the first one without. A switch does as
    it is told, and its answers are lost, so that each sweep fails and the fabric stays as it is."""
    _restart_with(ground, "--when-sweep-failed wait")
    ground.settle()
    switch = ground.switches[0]
    ground.fault("drop", switch, mgmt_class=SMP, attribute=LFT, method="set", parameters={"lost": "answer"})
    ground.reboot(switch)
    ground.await_role("sweep-failed")


def _change_for_good(ground: Ground) -> None:
    """The last that anybody asks for: no experiment's end comes after it and brings it along."""
    client = ground.servers["first"].client
    status = client.status()
    if status["experiment"]:
        with suppress(RpcError):  # its time may be over
            client.rollback(status["experiment"]["revision"])
    before = wanted_name(client)
    number, text = ground.any_profile()
    while f'name: "{before}"' in text:
        number, text = ground.any_profile()
    revision = client.apply(text).revision
    ground.note(f"apply p{number}, and nothing after: revision {revision}")


def _restart_with(ground: Ground, options: str) -> None:
    ground.stop("first", signal.SIGTERM)
    ground.more_options = options
    ground.start()


def _act_again(ground: Ground) -> None:
    _restart_with(ground, "")


def _exchange(ground: Ground) -> None:
    """Hosts exchange their LIDs in the next sweep, two and two, while requests to them wait for another try."""
    client = ground.servers["first"].client
    _, text = ground.any_profile()
    with suppress(RpcError):  # while another is MASTER
        running = client.status()["experiment"]
        client.apply(text, ttl_s=ground.ttl_s, if_revision=running["revision"] if running else None, owner="chaos")
    hosts = ground.chance.sample(ground.hosts, len(ground.hosts))
    pairs = list(zip(hosts[::2], hosts[1::2], strict=False))
    fresh = ground.exchange_file.with_suffix(".new")
    fresh.write_text("".join(f"{ground.port_guid(one):#x} {ground.port_guid(other):#x}\n" for one, other in pairs))
    fresh.rename(ground.exchange_file)
    ground.note("LIDs are exchanged: " + ", ".join(f"{ground.names[one]} and {ground.names[other]}" for one, other in pairs))
    ground.servers["first"].signal(signal.SIGHUP)


def _exchange_and_restart(ground: Ground) -> None:
    """The same by hand: OpenSM's file of LIDs is edited while it is down."""
    path = ground.servers["first"].opensm.folder / "guid2lid"
    ground.stop("first", ground.chance.choice([signal.SIGKILL, signal.SIGTERM]))
    rows = [line.split() for line in path.read_text().splitlines() if line.strip()] if path.exists() else []
    guids = {ground.port_guid(host) for host in ground.hosts}
    movable = [row for row in rows if int(row[0], 16) in guids]
    if len(movable) >= 2:
        one, other = ground.chance.sample(movable, 2)
        one[1:], other[1:] = other[1:], one[1:]
        path.write_text("".join(" ".join(row) + "\n\n" for row in rows))
        ground.note(f"guid2lid: {one[0]} and {other[0]} exchange LIDs")
    ground.start()


def _have_moved(ground: Ground) -> None:
    """A phase in which no LID moves would find nothing."""
    ground.observe()
    if ground.lid_moves == 0:
        raise ViolationError("no host was seen with another LID: OpenSM has not exchanged any")
    ground.note(f"{ground.lid_moves} LIDs have moved")
    ground.lid_moves = 0


def _own_manager(ground: Ground) -> None:
    on = ground.chance.random() < 0.5
    server = ground.servers["first"]
    server.opensm.write_options({"congestion_control": on})
    server.signal(signal.SIGHUP)
    ground.note(f"OpenSM's own congestion control {'on' if on else 'off'}")


def _own_manager_off(ground: Ground) -> None:
    server = ground.servers["first"]
    server.opensm.write_options({"congestion_control": False})
    server.signal(signal.SIGHUP)


def _second_opensm(ground: Ground) -> None:
    """It comes, or it goes; or the first one is killed, and comes back while the second is master."""
    if "second" not in ground.servers:
        ground.start("second")
    elif ground.chance.random() < 0.5:
        ground.stop("second", ground.chance.choice([signal.SIGKILL, signal.SIGTERM]))
    else:
        _kill(ground)


def _second_goes(ground: Ground) -> None:
    if "second" in ground.servers:
        ground.stop("second", signal.SIGKILL)


def _everything(ground: Ground) -> None:
    """All but OpenSM's own manager. Debian's libumad2sim gives answers to whoever asked for their class last: where the plugin
    opens its port at the end of a sweep in which that manager begins, OpenSM waits for ever for what the plugin was given."""
    ground.chance.choice(
        [
            _flap,
            _reboot,
            _off_and_on,
            _sighup,
            _kill,
            _terminate,
            _spoil_state,
            _write_in_place,
            _abuse,
            _exchange,
        ]
    )(ground)


CLAMPS = _faults(
    ("clamp", {"attribute": CCT, "parameters": {"field": "CCTI_Limit", "most": 63}}),
    ("clamp", {"attribute": SWITCH_SETTING, "parameters": {"field": "Threshold", "most": 8}}),
)
DELAYS = _faults(
    ("delay", {"probability": 0.2, "parameters": {"delay_ms": 300}}),
    ("delay", {"probability": 0.2, "parameters": {"delay_ms": 120}}),
)
REFUSES = _faults(("status", {"probability": 0.2, "method": "set", "parameters": {"status": 0x1C}}))
# So that most calls come while OpenSM sweeps.
SLOW_SWEEPS = _faults(("delay", {"mgmt_class": SMP, "probability": 0.05, "parameters": {"delay_ms": 60}}))
SETS_LOST = _faults(("drop", {"probability": 0.6, "method": "set"}))
FIFTH_LOST = _faults(("drop", {"probability": 0.2}))

PHASES = (
    Phase("loss 1 %", _faults(("drop", {"mgmt_class": None, "probability": 0.01}))),
    Phase("loss 5 %", _faults(("drop", {"mgmt_class": None, "probability": 0.05}))),
    Phase("loss 20 % of 0x21", FIFTH_LOST),
    Phase("loss of answers", _faults(("drop", {"probability": 0.2, "parameters": {"lost": "answer"}}))),
    Phase("delay 120, 300 ms", DELAYS),
    Phase("busy 30 %", _faults(("busy", {"probability": 0.3}))),
    Phase("stale TID 20 %", _faults(("stale-tid", {"probability": 0.2}))),
    Phase("refuse 20 % of Sets", REFUSES, off=_change_for_good),
    Phase("clamp", CLAMPS, after=_verify),
    Phase("link flaps", again=_flap),
    Phase("reboots", again=_reboot),
    Phase("nodes off and on", again=_off_and_on),
    Phase("SIGHUP storm", SLOW_SWEEPS, again=_sighup, every_s=0.1),
    Phase("kill -9", again=_kill),
    Phase("SIGTERM", again=_terminate, every_s=1.5),
    Phase("dead hosts, kill -9", _die, again=_kill, every_s=1.5, after=_verify),
    Phase("dead hosts, SIGTERM", _die, again=_terminate, every_s=2.0, after=_verify),
    Phase("first contact, kill -9", _meet, again=_kill, every_s=1.5, end=_begin_anew),
    Phase("state.json spoilt", again=_spoil_state, spoils_state=True),
    Phase("file in place", again=_write_in_place, every_s=0.3, off=_whole_file),
    Phase("socket abuse", again=_abuse, every_s=0.3),
    Phase("sick host", _fall_sick, sick=_sick_host),
    Phase("sick switch, waiting", _wait_for_good_sweeps, off=_change_for_good, end=_act_again),
    Phase("LIDs exchanged", SETS_LOST, _exchange, every_s=0.5, off=_have_moved),
    Phase("guid2lid edited", FIFTH_LOST, _exchange_and_restart, every_s=2.0, off=_have_moved),
    Phase("own manager", again=_own_manager, off=_own_manager_off),
    Phase("two OpenSMs", again=_second_opensm, every_s=3.0, off=_second_goes),
    Phase(
        "all of it, loss 5 %",
        _faults(("drop", {"mgmt_class": None, "probability": 0.05})),
        _everything,
        off=_whole_file,
        spoils_state=True,
    ),
)


def phase_of(name: str) -> Phase:
    """Returns the phase of that name. Raises ViolationError, with the names that there are."""
    for phase in PHASES:
        if phase.name == name:
            return phase
    raise ViolationError(f"there is no phase '{name}'; there are: {', '.join(phase.name for phase in PHASES)}")
