# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of devices, as the OpenSM plugin reports them: what each means, and what an apply, a campaign and a nightly check make
of it.

The plugin tells this table when a client connects (`device_states` of `hello`, docs/operate/plugin-socket.md); what is
here is for fabrics that have no plugin, and adds the remarks that continue a sentence. A test compares the two.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class DeviceState:
    """A state of a device with congestion control, or without."""

    name: str
    meaning: str
    """Continues `a device in this state …`."""
    apply: bool = False
    """An apply counts such a device as one that holds the profile, or needs none."""
    campaign: bool = False
    """A trial is measured with such a device: what it holds is what the trial says."""
    check: bool = False
    """A nightly check, or a verify, finds nothing wrong with it."""
    read: bool = False
    """It has answered audits with what it holds."""
    remark: str = ""
    """Continues a sentence that begins with the name or the number of devices; empty where nothing is to be remarked."""


STATES = (
    DeviceState(
        name="unsupported", meaning="has reported that it does not know congestion control", apply=True, campaign=True, check=True
    ),
    DeviceState(name="timing-out", meaning="has not answered the last request", remark="did not answer"),
    DeviceState(name="refused", meaning="has refused a value", read=True, remark="refused a value"),
    DeviceState(
        name="drifted",
        meaning="was found to hold other values, and is not repaired yet",
        read=True,
        remark="held something else",
    ),
    DeviceState(name="unknown", meaning="has not been asked, or has not answered yet", remark="could not be asked"),
    DeviceState(
        name="foreign",
        meaning="obeys NVIDIA's attributes, which somebody else has switched on",
        remark="obeyed NVIDIA's attributes that somebody else had switched on",
    ),
    DeviceState(name="withheld", meaning="is not sent what the section `nvidia` says", remark="did not get all values"),
    # As close to the profile as the device can be, so an apply that took it back would leave the fabric worse; but a trial that
    # is measured with it would credit the profile with what other values do.
    DeviceState(
        name="clamped",
        meaning="took other values than it was sent, or has no room for all",
        apply=True,
        read=True,
        remark="took other values",
    ),
    DeviceState(name="applied", meaning="holds what it should", apply=True, campaign=True, check=True, read=True),
)
"""In the order of the plugin: a device is in the first that holds."""

COUNTED = tuple(state.name.replace("-", "_") for state in reversed(STATES))
"""Names of the states as keys of documents, from `applied` on."""

_BY_NAME = {state.name: state for state in STATES}

WRONG = tuple(state.name for state in STATES if not state.check)
"""States of devices that do not hold what they should, as checks and verify see it."""

DRIFTED = tuple(state.name for state in STATES if state.name in ("refused", "drifted", "foreign", "withheld", "clamped"))
"""States of devices that are known to hold other values than they should, which those of WRONG that are silent may not."""

NOT_READY = "not ready, as OpenSM has not brought their ports up"
"""Remark on devices whose links are up, and that cannot be sent anything."""

MOST_NAMED = 5
"""Number of devices that a sentence names at most."""


def found_drifts(count: int) -> str:
    """So many differences, at least 1, that a verify has found."""
    return "1 difference was found" if count == 1 else f"{count:,} differences were found"


def known_state(name: str) -> DeviceState:
    """Returns the row of a state. One that a plugin of a later version reports counts as wrong for all."""
    return _BY_NAME.get(name) or DeviceState(
        name=name, meaning="", remark=f"reported the state '{name}', which this ibcc does not know"
    )


def counted_wrong(states: Mapping[str, int], *, apply: bool = False) -> dict[str, int]:
    """Returns the numbers of devices that a verify finds wrong, or, with `apply`, that do not hold the profile, by state.

    `states`: the number of devices by state, as `status` of the plugin has it.
    """
    known = {name: known_state(name) for name, count in states.items() if count}
    return {name: states[name] for name, state in known.items() if not (state.apply if apply else state.check)}


def remarks_on(counts: Mapping[str, int]) -> str:
    """`; 1 did not answer; 2 refused a value`: numbers of devices by state, for the end of a sentence."""
    return "".join(f"; {count:,} {known_state(name).remark}" for name, count in counts.items())


def not_holding(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns those of a plugin's devices that are in the fabric and do not hold the profile in force."""
    return [row for row in rows if row["present"] and not known_state(row["state"]).apply]


def names_away(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Returns the names of those of a plugin's devices that OpenSM's last sweep did not find."""
    return [row["description"] for row in rows if not row["present"] and not row.get("not_ready")]


def first_names(names: Sequence[str], count: int | None = None) -> str:
    """`H1, H2, …`: at most MOST_NAMED. `count`: where there are more than these names."""
    return ", ".join(names[:MOST_NAMED]) + (", …" if (count or len(names)) > MOST_NAMED else "")


def told_away(names: Sequence[str], count: int | None = None) -> str:
    """`; 1 is away: H3`, for the end of a sentence; empty if none is. `count`: where there are more than these names."""
    count = len(names) if count is None else count
    if not count:
        return ""
    return f"; {count:,} {'is' if count == 1 else 'are'} away: {first_names(names, count)}"
