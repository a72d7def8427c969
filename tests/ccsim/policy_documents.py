# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Random profiles for the property tests, as plain data."""

from typing import Any

from hypothesis import strategies as st

MAX_LIMIT = 16319

# Block edges are where tables go wrong.
limits = st.one_of(st.sampled_from([0, 1, 63, 64, 127, 128]), st.integers(0, 300))
uint8 = st.integers(0, 255)
uint16 = st.integers(0, 65535)
thresholds = st.integers(0, 15)
ports = st.lists(st.integers(1, 254), min_size=1, max_size=5, unique=True)
masks = st.one_of(st.sampled_from(["none", "all", "ca_ports"]), ports)
entries = st.fixed_dictionaries({"shift": st.integers(0, 3), "multiplier": st.integers(0, 16383)})
texts = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=30)
factors = st.floats(1e-6, 16, exclude_min=True)


def _section(
    required: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional)


_PER_PORT = {"threshold": thresholds, "marking_rate": uint16, "packet_size": uint8}
_SWITCH = {
    **_PER_PORT,
    "victim_mask": masks,
    "credit_mask": masks,
    "cs_threshold": thresholds,
    "cs_return_delay": entries,
}
_CA = {
    "level": st.sampled_from(["qp", "sl"]),
    "sls": st.one_of(st.just("all"), st.lists(st.integers(0, 15), min_size=1, unique=True)),
    "ccti_timer": uint16,
    "ccti_increase": uint8,
    "trigger_threshold": uint8,
}

power_curves = st.builds(
    lambda unit, scale, at, exponent, pieces: (
        {"kind": "power", unit: scale, "exponent": exponent} | ({} if at is None else {"at_index": at}) | pieces
    ),
    st.sampled_from(["full_scale_us", "full_scale_packet_times"]),
    st.floats(1e-3, 500),
    st.none() | st.integers(1, MAX_LIMIT),
    st.floats(0.01, 4),
    st.fixed_dictionaries({}, optional={"knee_at": st.floats(0.01, 1), "end_exponent": st.floats(0.01, 4)}),
)
geometric_curves = st.builds(
    lambda first, ratio: {"kind": "geometric", "first": first, "last": min(first * ratio, 16383.0)},
    st.floats(1e-3, 1000),
    st.floats(1, 1000),
)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """A `cct` section with a table in it. Some curves are too high to encode: `encodable` of the tests tells."""
    limit = draw(limits)
    if limit <= 64 and draw(st.booleans()):
        count = limit + 1
        table: dict[str, Any] = {"entries": draw(st.lists(entries, min_size=count, max_size=count))}
        if draw(st.booleans()):
            table["ccti_limit"] = limit
    else:
        table = {"ccti_limit": limit, "curve": draw(power_curves | geometric_curves)}
        # Keep at_index from making a low curve a high one.
        if table["curve"].get("at_index", limit) < limit:
            table["curve"]["at_index"] = limit
    if draw(st.booleans()):
        table["limit_mode"] = draw(st.sampled_from(["final", "per_block"]))
    return table


_ANY_NODE = st.fixed_dictionaries(
    {}, optional={"guid": st.integers(1, 2**64 - 1) | st.integers(1, 2**64 - 1).map(hex), "node": texts}
)


@st.composite
def overrides(draw: st.DrawFn) -> dict[str, Any]:
    match: dict[str, Any] = dict(draw(_ANY_NODE))
    kind = draw(st.sampled_from(["switch", "ports", "ca"]))
    override: dict[str, Any] = {"match": match}
    if kind == "ca":
        match["role"] = draw(st.sampled_from(["ca", "host", "aggregation"]))
        if draw(st.booleans()):
            match["ports"] = draw(ports)
        choice = draw(st.sampled_from(["ca", "cct", "both", "mode"]))
        if choice in ("ca", "both"):
            key = draw(st.sampled_from(sorted(_CA)))
            override["ca"] = {key: draw(_CA[key])}
        if choice in ("cct", "both"):
            override["cct"] = draw(tables())
        if choice == "mode":
            override["cct"] = {"limit_mode": draw(st.sampled_from(["final", "per_block"]))}
        return override
    match["role"] = draw(st.sampled_from(["switch", "leaf", "spine"]))
    if kind == "ports":
        match["ports"] = draw(ports | st.sampled_from(["ca_ports", "switch_ports"]))
    keys = _PER_PORT if kind == "ports" else _SWITCH
    key = draw(st.sampled_from(sorted(keys)))
    override["switch"] = {key: draw(keys[key])}
    return override


@st.composite
def profiles(draw: st.DrawFn, max_overrides: int = 3) -> dict[str, Any]:
    """A valid profile that is enabled and has a link."""
    document: dict[str, Any] = {
        "ibcc_profile": 1,
        "name": draw(texts),
        "link": {"rate_gbps": draw(st.floats(1, 1000)), "mtu_bytes": draw(st.sampled_from([256, 512, 1024, 2048, 4096]))},
        "switch": draw(_section({"threshold": thresholds}, {k: v for k, v in _SWITCH.items() if k != "threshold"})),
        "ca": draw(
            _section(
                {"ccti_timer": uint16, "ccti_increase": uint8},
                {k: v for k, v in _CA.items() if k not in ("ccti_timer", "ccti_increase")},
            )
        ),
        "cct": draw(tables()),
    }
    # A curve of 500 us is more than 16383 packet times on the fastest links with the smallest packets: slow those down.
    if document["link"]["mtu_bytes"] < 2048:
        document["link"]["rate_gbps"] = min(document["link"]["rate_gbps"], 50.0)
    if draw(st.booleans()):
        document["enable"] = True
    if max_overrides and draw(st.booleans()):
        document["overrides"] = draw(st.lists(overrides(), max_size=max_overrides))
    return document
