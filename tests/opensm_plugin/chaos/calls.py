# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Random calls of the control socket, and what must hold of each: what is acknowledged counts, or something says why not."""

import contextlib
import math
import time
from collections.abc import Callable

from tests.opensm_plugin.chaos.ground import Ground, Server, ViolationError
from tuner.errors import UnreachableError
from tuner.opensm.plugin_client import Accepted
from tuner.opensm.process import OpenSmError
from tuner.rpc.protocol import RpcError

# Busy or standby; not the revision that counts; nothing to commit, go back to, or get.
REFUSALS = {-32000, -32003, -32004}


def _apply_for_a_time(ground: Ground, server: Server) -> str:
    number, text = ground.any_profile()
    ttl_s = ground.chance.randint(0, ground.ttl_s)
    status = server.client.status()
    running = status["experiment"]
    # Half of the time it takes the place of the one that runs, as campaigns do it.
    meant = running["revision"] if running and ground.chance.random() < 0.5 else None
    over_s = time.monotonic() + ttl_s if ttl_s else math.inf
    accepted = server.client.apply(text, ttl_s=ttl_s, if_revision=meant, owner="chaos")
    _must_count(server, accepted, f"p{number} for {ttl_s} s", over_s=over_s)
    return f"apply p{number} ttl {ttl_s}: revision {accepted.revision}"


def _apply_for_good(ground: Ground, server: Server) -> str:
    number, text = ground.any_profile()
    accepted = server.client.apply(text)
    _must_count(server, accepted, f"base p{number}")
    _remember(ground, server, accepted)
    return f"apply p{number}: revision {accepted.revision}"


def _commit(ground: Ground, server: Server) -> str:
    accepted = server.client.commit(_meant(ground, server))
    _must_count(server, accepted, "commit")
    _remember(ground, server, accepted)
    return f"commit: revision {accepted.revision}"


def _rollback(ground: Ground, server: Server) -> str:
    accepted = server.client.rollback(_meant(ground, server))
    _must_count(server, accepted, "rollback")
    if server.name == "first" and accepted.revision == 0:
        ground.acknowledged_base = 0
    return f"rollback: revision {accepted.revision}"


def _renew(ground: Ground, server: Server) -> str:
    revision, ttl_s = _meant(ground, server), ground.chance.randint(0, ground.ttl_s)
    server.client.renew(revision, ttl_s)
    return f"renew {revision} ttl {ttl_s}"


def _verify(ground: Ground, server: Server) -> str:
    return f"verify: job {server.client.verify()}"


def _plan(ground: Ground, server: Server) -> str:
    number, text = ground.any_profile()
    return f"plan p{number}: {server.client.plan(text)['sets']} Sets"


def _file(ground: Ground, server: Server) -> str:
    ground.write_file(ground.chance.randrange(6))
    return "file"


def _look(ground: Ground, server: Server) -> str:
    guid = ground.document.guid_of(ground.chance.choice(ground.hosts))
    return f"tables: {server.client.tables(f'{guid:#018x}', 1)['state']}"


CALLS: tuple[tuple[int, Callable[[Ground, Server], str]], ...] = (
    (5, _apply_for_a_time),
    (2, _apply_for_good),
    (2, _commit),
    (3, _rollback),
    (2, _renew),
    (2, _verify),
    (2, _plan),
    (2, _file),
    (1, _look),
)
"""How often, and what."""


def random_call(ground: Ground, server: Server) -> None:
    """One of them. Raises ViolationError, and UnreachableError if the plugin has gone."""
    (call,) = ground.chance.choices([call for _, call in CALLS], [weight for weight, _ in CALLS])
    ground.calls += 1
    try:
        told = call(ground, server)
    except RpcError as error:
        told = f"{call.__name__.strip('_')}: {error.code} {error}"
        # A device that is not known yet, of a plugin that has just begun.
        if error.code not in REFUSALS and not (call is _look and error.code == -32006):
            raise ViolationError(f"a call was answered with error {error.code}: {told}") from error
    except UnreachableError as error:
        server.hang_up()
        raise ViolationError(f"the plugin of OpenSM {server.name} closed the connection or fell silent: {error}") from error
    ground.note(f"{server.name}: {told}")


def _meant(ground: Ground, server: Server) -> int:
    """The revision that counts, as who asks saw it; at times another, which is to be refused."""
    counts = server.client.status()["wanted"] or 1
    return counts if ground.chance.random() < 0.9 else counts + 1


def _must_count(server: Server, accepted: Accepted, what: str, *, over_s: float = math.inf) -> None:
    """A moment later it is wanted, or a later one is, or it was given up and the log says so; or its time is over."""
    status = server.client.status()
    assert accepted.revision is not None
    if status["wanted"] is not None and status["wanted"] >= accepted.revision:
        if status["wanted"] != status["on_fabric"] and not status["pending"]:
            raise ViolationError(f"{what}: revision {status['wanted']} is not on the fabric, and nothing says why")
        return
    if time.monotonic() >= over_s:
        return
    # After state.json was spoilt, the base file of the life before ends a trial run.
    if any(line.get("ended") == accepted.revision for line in server.client.changes(limit=5)):
        return
    with contextlib.suppress(OpenSmError):
        server.opensm.await_line(f"giving up revision {accepted.revision}", timeout_s=1)
        return
    raise ViolationError(f"{what} was acknowledged as revision {accepted.revision}, and {status['wanted']} is wanted right after")


def _remember(ground: Ground, server: Server, accepted: Accepted) -> None:
    if server.name == "first" and accepted.revision is not None:
        ground.acknowledged_base = max(ground.acknowledged_base, accepted.revision)
