# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds out which Sets a device keeps: changes one value by one, reads it, and undoes it at once, whatever happens meanwhile."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any

from tuner.documents.probe_report import NotWritten, VlReading, WriteTest
from tuner.errors import BadInputError, NeedsPersonError, UnreachableError
from tuner.mads.request import Reply
from tuner.probe.findings import findings
from tuner.probe.interview import Asker, Interview
from tuner.probe.subnet_nodes import SubnetNode
from tuner.probe.write_trials import TRIALS, Trial, VlTrial

_PAUSES_S = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Before each try to give a device its former values; after the last one a person must."""
_HELD_BACK = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

Pause = Callable[[float], None]

Reopen = Callable[[], AbstractContextManager[Asker]]


def require_writable(node: SubnetNode, found: Interview) -> None:
    """Raises BadInputError, with the reason, for a device on which no write test may run."""
    if found.key != "none":
        why = "wants a CC_Key" if found.key == "needed" else "does not say whether it wants a CC_Key"
        raise BadInputError(f"{node.label} {why}; a write test needs a device without one")
    if misleading := findings(found, node.kind).misleading:
        raise BadInputError(f"{node.label} gives answers that mislead ({', '.join(misleading)}), so nothing is written to it")
    if found.stopped is not None:
        raise BadInputError(f"{node.label} {found.stopped}; nothing is written to it")


def write_tests(
    asker: Asker, node: SubnetNode, found: Interview, *, reopen: Reopen, pause: Pause = time.sleep
) -> Iterator[WriteTest | NotWritten]:
    """Yields the outcome for each value that the device shows, or why it was left alone. `reopen`: another asker, if the first
    could not undo all. `pause`: waits for some seconds between tries to undo. A signal waits until a changed value is undone.

    REQUIRES: the askers send each request, also to a device that has left others unanswered (`gives_up` of MadReader).

    Raises BadInputError where `require_writable` does, UnreachableError, and NeedsPersonError for a device that does not hold its
    former values again.
    """
    require_writable(node, found)
    held = {answer.question.attribute for answer in found.answers.values() if answer.is_good}
    for trial in TRIALS[node.kind]:
        if trial.attribute not in held:
            continue
        before = _read(asker, node, trial)
        if before is None:
            yield NotWritten(attribute=trial.attribute, field=trial.field, why="it was not answered when it was read again")
        elif (why := trial.obstacle(before, found)) is not None:
            yield NotWritten(attribute=trial.attribute, field=trial.name(before), why=why)
        else:
            yield _run(asker, node, trial, before, reopen, pause)


def _run(asker: Asker, node: SubnetNode, trial: Trial, before: dict[str, Any], reopen: Reopen, pause: Pause) -> WriteTest:
    changed = trial.changed(before)
    with _signals_later():
        try:
            status = _send(asker, node, trial, changed).status
            now = _read(asker, node, trial)
            vl_reading = _vl_reading(asker, node, trial, before, now) if isinstance(trial, VlTrial) else None
        finally:
            restored = _undo(asker, node, trial, before, pause) or _undo_anew(reopen, node, trial, before, pause)
            if not restored:
                request = trial.set(node, before)
                raise NeedsPersonError(
                    f"{node.label} does not hold its former {trial.layout}; send it again: Set of 0x{trial.attribute:04x}, "
                    f"modifier 0x{request.modifier:x}, content {request.data.rstrip(bytes(1)).hex()}"
                )
    return WriteTest(
        attribute=trial.attribute,
        field=trial.name(before),
        before=trial.value(before, before),
        sent=trial.value(changed, before),
        status=status,
        held=None if now is None else trial.value(now, before),
        restored=restored,
        vl_reading=vl_reading,
    )


def _vl_reading(
    asker: Asker, node: SubnetNode, trial: VlTrial, before: Mapping[str, Any], now: Mapping[str, Any] | None
) -> VlReading | None:
    """A Get of VL 1 by the reading `mask` shows its own values, while VL 0 alone is changed, or those of VL 0. Returns None if
    the device did not say before that both hold the same values, or if it has not kept the change."""
    if now is None or now[trial.field] == before[trial.field] or before["vl_mask"] & 3 != 3:
        return None
    (read,) = asker.read([trial.get_of(node, 1)])
    other = trial.read(read.reply)
    if other is None:
        return "unknown"
    if other["vl_mask"] & 3 == 2 and other[trial.field] == before[trial.field]:
        return "mask"
    return "unknown"


def _undo_anew(reopen: Reopen, node: SubnetNode, trial: Trial, before: Mapping[str, Any], pause: Pause) -> bool:
    try:
        with reopen() as asker:
            return _undo(asker, node, trial, before, pause)
    except UnreachableError:
        return False


def _undo(asker: Asker, node: SubnetNode, trial: Trial, before: Mapping[str, Any], pause: Pause) -> bool:
    """Returns whether the device shows the former values; it is sent them only while it does not."""
    try:
        for pause_s in _PAUSES_S:
            if pause_s > 0.0:
                pause(pause_s)
            if _read(asker, node, trial) == before:
                return True
            _send(asker, node, trial, before)
            if _read(asker, node, trial) == before:
                return True
        return False
    except UnreachableError:
        return False


def _read(asker: Asker, node: SubnetNode, trial: Trial) -> dict[str, Any] | None:
    (read,) = asker.read([trial.get(node)])
    return trial.read(read.reply)


def _send(asker: Asker, node: SubnetNode, trial: Trial, values: Mapping[str, Any]) -> Reply:
    (read,) = asker.read([trial.set(node, values)])
    return read.reply


@contextmanager
def _signals_later() -> Iterator[None]:
    """Ctrl-C and the like wait until the end of the block, and are raised then as KeyboardInterrupt. In a thread other than the
    main one no signal comes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, note) for number in _HELD_BACK}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt
