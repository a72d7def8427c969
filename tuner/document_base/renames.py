# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keys that have a new name: one table, for all that reads documents, and for `ibcc upgrade`.

Old keys are read until release 0.3, with one warning for each document; docs/upgrading.md shows the table to people.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

from tuner.errors import BadInputError, OldKeyWarning

Place: TypeAlias = tuple[str | int, ...]
"""Place of a value in its document: the keys and list positions that lead to it."""

READ_UNTIL = "0.3"
"""The release that reads old keys no more."""

SETTING = "setting"
"""Values by dotted path: `--set KEY=VALUE`, and `settings` of a campaign in the service."""
DEVICE_MODEL = "device model"
"""Free parameters of the simulated devices, as `options.model` of an emulated fabric has them."""
SOCKET = "plugin socket"
"""Results of the plugin's control socket."""


@dataclass(frozen=True)
class Rename:
    """A key of a kind of document. In a path `*` stands for any key or any item of a list; other than there and in its last word,
    the path has today's keys."""

    kind: str
    """KIND of `ibcc_KIND: 1`, or one of the kinds above."""
    old: str
    new: str

    def __post_init__(self) -> None:
        assert self.old.split(".")[:-1] == self.new.split(".")[:-1], "a key stays where it is"


RENAMES: tuple[Rename, ...] = (
    Rename("fabric", "model.hca", "model.ca"),
    Rename("campaign", "variants.*.model.hca", "variants.*.model.ca"),
    Rename("inventory", "harm", "abort_if"),
    Rename("inventory", "abort_if.canaries", "abort_if.jobs"),
    Rename("inventory", "abort_if.jobs.*.fresh_s", "abort_if.jobs.*.max_age_s"),
    Rename(SETTING, "model.hca", "model.ca"),
    Rename(DEVICE_MODEL, "hca", "ca"),
    Rename(SOCKET, "devices.*.reacts", "devices.*.throttles"),
    Rename(SOCKET, "devices.*.cut", "devices.*.cct_truncated"),
    Rename(SOCKET, "items.*.asked", "items.*.sent"),
    Rename(SOCKET, "was_cut_short", "experiment_cut_short"),
    Rename(SOCKET, "sweeps.under_way_s", "sweeps.running_s"),
)


class BothNamesError(Exception):
    """A key is given by its old name and by its new one."""

    def __init__(self, place: Place, old: str, new: str) -> None:
        super().__init__(f"'{old}' is the old name of '{new}', and both are given; delete '{old}'")
        self.place = place


@dataclass(frozen=True)
class Change:
    """A key that a document has by its old name."""

    place: Place
    """The key's, by the names that the document has."""
    key: str
    """The new name; `place` ends with the old one."""
    rename: Rename

    @property
    def new_place(self) -> Place:
        return (*self.place[:-1], self.key)


def kind_of(value: object) -> str | None:
    """The kind of a document, by its key `ibcc_KIND`; None if it has none."""
    if not isinstance(value, Mapping):
        return None
    return next((key.removeprefix("ibcc_") for key in value if isinstance(key, str) and key.startswith("ibcc_")), None)


def with_new_keys(kind: str | None, value: Any) -> tuple[Any, list[Change]]:
    """The value with today's keys, and what was changed; it is the same object if nothing was. Raises BothNamesError."""
    rules = [_Rule(rename.old.split("."), rename.new.split(".")[-1], rename) for rename in RENAMES if rename.kind == kind]
    changes: list[Change] = []
    new = _renamed(value, (), rules, changes) if rules else value
    return (new, changes) if changes else (value, [])


def with_old_keys(kind: str, value: Any) -> Any:
    """The value with the keys that release 0.1 wrote: for digests that were made of them. Keys within a key that has a new name
    itself keep theirs."""
    rules = [_Rule(rename.new.split("."), rename.old.split(".")[-1], rename) for rename in RENAMES if rename.kind == kind]
    return _renamed(value, (), rules, [])


def preferring_new(kind: str, value: Any) -> Any:
    """The value with today's keys, from a program that may have written a key by its old name, its new one, or both."""
    rules = [_Rule(rename.old.split("."), rename.new.split(".")[-1], rename) for rename in RENAMES if rename.kind == kind]
    return _renamed(value, (), rules, [], both=True)


def warning_of(changes: Sequence[Change], source: str | None, *, how: str = "") -> str:
    """One sentence on all old keys of a document. `how`: to rewrite it."""
    pairs = list(dict.fromkeys(f"'{one.rename.old}' is now '{one.rename.new}'" for one in changes))
    where = "" if source is None else f"{source}: "
    return f"{where}{', '.join(pairs)}; old keys are read until ibcc {READ_UNTIL}{how}"


_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def warn(sentence: str) -> None:
    """Shows a warning to whoever listens here, and otherwise by Python's `warnings`."""
    listener = _listener.get()
    if listener is None:
        warnings.warn(sentence, OldKeyWarning, stacklevel=2)
    else:
        listener(sentence)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Warnings of this thread of work go to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def renamed_or_bad_input(kind: str, value: Any, source: str | None = None) -> Any:
    """The value with today's keys, after a warning if it had others. For values that a program has, without lines.

    Raises BadInputError.
    """
    try:
        new, changes = with_new_keys(kind, value)
    except BothNamesError as error:
        raise BadInputError(str(error), source=source) from error
    if changes:
        warn(warning_of(changes, source))
    return new


@dataclass(frozen=True)
class _Rule:
    """The part of a rename below the place in question."""

    parts: Sequence[str]
    last: str
    rename: Rename

    def at(self, key: str) -> tuple["_Rule | None", str | None]:
        """(the rule for what is below `key`, the key's new name); both None where the rule has no business."""
        if self.parts[0] == "*":
            return _Rule(self.parts[1:], self.last, self.rename), None
        words = key.split(".")
        if list(self.parts[: len(words)]) != words[: len(self.parts)]:
            return None, None
        if len(self.parts) > len(words):
            return _Rule(self.parts[len(words) :], self.last, self.rename), None
        words[len(self.parts) - 1] = self.last
        return None, ".".join(words)


def _renamed(value: Any, place: Place, rules: Sequence[_Rule], changes: list[Change], *, both: bool = False) -> Any:
    if isinstance(value, Mapping):
        result: dict[Any, Any] = {}
        for key, inner in value.items():
            name, below = _new_name(key, (*place, key), rules, changes)
            if name != key and name in value:
                if both:
                    continue
                raise BothNamesError((*place, key), key, name)
            result[name] = _renamed(inner, (*place, key), below, changes, both=both) if below else inner
        return result
    if isinstance(value, list):
        below = [_Rule(rule.parts[1:], rule.last, rule.rename) for rule in rules if rule.parts[0] == "*"]
        return (
            [_renamed(item, (*place, index), below, changes, both=both) for index, item in enumerate(value)] if below else value
        )
    return value


def _new_name(key: Any, place: Place, rules: Sequence[_Rule], changes: list[Change]) -> tuple[Any, list[_Rule]]:
    """Returns the present name of a key, and the rules for what is below it; adds each renaming to `changes`."""
    if not isinstance(key, str):
        return key, []
    first = key.partition(".")[0]
    if not any(rule.parts[0] in ("*", first) for rule in rules):
        return key, []  # nearly all keys, and a large fabric's devices have 200,000
    for rule in rules:
        if (name := rule.at(key)[1]) is not None:
            changes.append(Change(place, name, rule.rename))
            key = name
    return key, [below for rule in rules if (below := rule.at(key)[0]) is not None]
