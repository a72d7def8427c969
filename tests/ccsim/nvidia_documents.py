# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Random profiles with the section `nvidia`, as plain data. Ranges are written by hand, from the fields' widths."""

from typing import Any

from hypothesis import strategies as st

from tests.ccsim import policy_documents as annex_a10

booleans = st.booleans()
sls = st.integers(0, 15)


def bits(width: int, least: int = 0) -> st.SearchStrategy[int]:
    return st.integers(least, 2**width - 1)


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,30}", fullmatch=True).filter(
    lambda name: name.lower() not in ("null", "true", "false")
)
percents = st.integers(0, 100)
sl_profiles = st.integers(1, 3) | st.lists(st.integers(1, 3), min_size=16, max_size=16)

RP = {
    "clamp_tgt_rate": booleans,
    "clamp_tgt_rate_after_time_inc": booleans,
    "rpg_time_reset": bits(17, 1),
    "rpg_byte_reset": bits(19),
    "rpg_threshold": bits(5, 1),
    "rpg_ai_rate": bits(16, 1),
    "rpg_hai_rate_gbps": bits(16, 1).map(lambda mbps: mbps / 1000),
    "rpg_gd": bits(4),
    "rpg_min_dec_fac": percents,
    "rpg_min_rate": st.integers(1, 1000),
    "rpg_max_rate": st.just(0) | st.integers(1000, 2**19 - 1),
    "rate_to_set_on_first_cnp": bits(32),
    "dce_tcp_g": bits(10),
    "dce_tcp_rtt": bits(17, 1),
    "rate_reduce_monitor_period": bits(32),
    "initial_alpha_value": bits(10),
}
NP = {
    "min_time_between_cnps": bits(16),
    "cnp_sl_mode": booleans,
    "cnp_sl": sls,
    "rtt_sl_mode": booleans,
    "rtt_resp_sl": sls,
}


@st.composite
def thresholds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """One to three elements, which share no VL."""
    vls = draw(st.permutations(range(15)))
    count = draw(st.integers(1, 3))
    if count == 1 and draw(booleans):
        return [draw(_threshold(None))]
    return [draw(_threshold(sorted(vls[i::count]))) for i in range(count)]


@st.composite
def _threshold(draw: st.DrawFn, vls: list[int] | None) -> dict[str, Any]:
    unit = draw(st.sampled_from(["bytes", "kilobytes", "percent"]))
    most = percents if unit == "percent" else bits(20)
    element: dict[str, Any] = {"unit": unit} | ({} if vls is None else {"vls": vls})
    for number in draw(st.sets(st.integers(1, 3))):
        least, largest = sorted((draw(most), draw(most)))
        element |= {f"profile{number}_min": least, f"profile{number}_max": largest, f"profile{number}_percent": draw(percents)}
    return element


@st.composite
def ppcc(draw: st.DrawFn) -> list[dict[str, Any]]:
    """One to three algorithms, which share no SL."""
    count = draw(st.integers(1, 3))
    order = draw(st.permutations(range(16)))
    slots = []
    for i in range(count):
        slot: dict[str, Any] = {"sls": sorted(order[i::count])}
        if draw(booleans):
            slot |= {"algo_id": draw(bits(16, 1)), "major": i, "minor": draw(bits(8))}
        else:
            slot["algorithm"] = f"{draw(names)[:29]}_{i}"
        if draw(booleans):
            keys = st.integers(0, 43).map(str) | names
            slot["parameters"] = draw(st.dictionaries(keys, bits(32), max_size=5))
        slots.append(slot)
    return slots


def _some(choices: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=choices)


@st.composite
def sections(draw: st.DrawFn) -> dict[str, Any]:
    """A section `nvidia` of a profile, with at least one of its parts."""
    which = draw(st.sampled_from(["switch", "adapter", "both"]))
    section: dict[str, Any] = {}
    if which != "adapter":
        section["switch"] = {
            "aqs_time": draw(st.integers(0, 24)),
            "aqs_weight": draw(bits(4)),
            "thresholds": draw(thresholds()),
            **draw(_some({"enable": booleans, "sl_profile": sl_profiles})),
        }
    if which != "switch":
        kind = draw(st.sampled_from(["dcqcn", "ppcc"]))
        adapter = {"type": kind, **draw(_some({"notify": booleans, "react": booleans, "per_plane": booleans, "np": _some(NP)}))}
        if kind == "ppcc":
            adapter["ppcc"] = draw(ppcc())
        elif draw(booleans):
            adapter["rp"] = draw(_some(RP))
        section["adapter"] = adapter
    return section


@st.composite
def _override(draw: st.DrawFn, section: dict[str, Any]) -> dict[str, Any]:
    match: dict[str, Any] = {"node": draw(annex_a10.texts)}
    part = draw(st.sampled_from(sorted(section)))
    if part == "adapter":
        key = draw(st.sampled_from(["react", "np"]))
        changed: Any = {key: draw(booleans) if key == "react" else draw(_some(NP).filter(bool))}
    elif draw(booleans):
        match["ports"] = draw(annex_a10.ports | st.sampled_from(["ca_ports", "switch_ports"]))
        of_port: st.SearchStrategy[Any] = st.fixed_dictionaries({"sl_profile": sl_profiles})
        changed = draw(of_port | st.fixed_dictionaries({"thresholds": thresholds()}))
    else:
        changed = {"aqs_time": draw(st.integers(0, 24))}
    return {"match": match, "nvidia": {part: changed}}


@st.composite
def profiles(draw: st.DrawFn) -> dict[str, Any]:
    """A valid profile of version 2 that is enabled, with the sections of annex A10 or without."""
    section = draw(sections())
    document: dict[str, Any] = draw(annex_a10.profiles(max_overrides=0)) if draw(booleans) else {"name": draw(annex_a10.texts)}
    document |= {"ibcc_profile": 2, "nvidia": section}
    if draw(booleans):
        document["overrides"] = draw(st.lists(_override(section), max_size=2))
    return document
