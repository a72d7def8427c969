# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings from ibdiagnet's `ibdiagnet2.db_csv`: error rates after FEC, and modules that are hot.

PHY_DB16 has the bit error ratios of a port since its counters were cleared, each as a coefficient and a magnitude, which mlxlink
(github Mellanox/mstflint) shows as 15E-255; CABLE_INFO has what is read from modules.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tuner.checks.links.ports import Link, Port, PortKey
from tuner.checks.observation import Finding
from tuner.documents.check_kinds import Links
from tuner.errors import BadInputError
from tuner.nvidia.db_csv import Notes, Row, number, read_rows

_RATIOS, _MODULES = "PHY_DB16", "CABLE_INFO"
_SYMBOL, _EFFECTIVE = ("field16", "field17"), ("field14", "field15")
"""Columns of coefficient and magnitude: of symbols, and of bits after FEC where those of symbols are missing. Public readers of
such files take field12 to field17 for the raw, the effective and the symbol error ratio; no file of a site was at hand."""
_OLD = timedelta(days=1)
_CELSIUS = re.compile(r"(-?[0-9]{1,3})\s*C?")


@dataclass(frozen=True)
class Physical:
    """What the file has of a port. `ratio`: of errors to bits after FEC. `celsius`: of its module. None: unknown."""

    ratio: float | None = None
    celsius: int | None = None
    module: str = ""


def physical(path: Path, now: datetime) -> tuple[Mapping[PortKey, Physical], list[str]]:
    """Returns what is known of each port, and facts about the file. One of more than a day ago, or none, says nothing."""
    notes, found, unread = Notes([]), dict[PortKey, Physical](), dict[str, list[str]]()
    try:
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        if now - written > _OLD:
            return {}, [f"{path} is of {written:%Y-%m-%d %H:%M} UTC, more than a day ago: it says nothing of tonight"]
        for row in read_rows(path, (_RATIOS, _MODULES), notes):
            if (why := _unread(row)) is not None:
                unread.setdefault(why[0], []).append(why[1])
            if (key := _key(row)) is not None:
                found[key] = _with(found.get(key, Physical()), row)
    except OSError as error:
        return {}, [f"{path} cannot be read: {error.strerror}"]
    except BadInputError as error:
        return {}, [str(error)]
    ratios = sum(one.ratio is not None for one in found.values())
    modules = sum(one.celsius is not None for one in found.values())
    about = (
        f"ibdiagnet's file of {written:%Y-%m-%d %H:%M} UTC has error rates of {ratios} ports, temperatures of {modules} modules"
    )
    odd = [f"{len(cells)} rows of {path}, {what}: {cells[0]}" for what, cells in unread.items()]
    return found, [about, *odd, *notes.sentences]


def physical_findings(links: Sequence[Link], known: Mapping[PortKey, Physical], options: Links) -> Iterator[Finding]:
    for link in links:
        for end, other in link.ends:
            seen = known.get(end.key, Physical())
            if seen.ratio is not None and seen.ratio > options.bit_error_ratio:
                shown = f"{seen.ratio:.1e} errors for each bit after FEC, the limit is {options.bit_error_ratio:.1e}"
                yield _finding(
                    "link-errors", f"link {link.place} has errors after FEC at {end.name}", shown, link, end, other, known
                )
            if seen.celsius is not None and seen.celsius > options.module_celsius:
                shown = f"{seen.celsius} °C, the limit is {options.module_celsius} °C"
                yield _finding(
                    "module-hot", f"the module of {end.name} is hot: {seen.celsius} °C", shown, link, end, other, known
                )


def _finding(
    code: str, sentence: str, shown: str, link: Link, end: Port, other: Port, known: Mapping[PortKey, Physical]
) -> Finding:
    modules = [f"{one.name} has module {seen.module}" for one in (end, other) if (seen := known.get(one.key)) and seen.module]
    return Finding(
        code=code,
        sentence=sentence,
        place=link.place,
        evidence="; ".join([f"{end.name}: {shown}", *modules]),
        next_step=f"mlxlink -d lid-{end.lid} -p {end.number} -m -c",
        severity="warn",
    )


def _key(row: Row) -> PortKey | None:
    guid, port = number(row.cells.get("nodeguid", "")), number(row.cells.get("portnum") or row.cells.get("portnumber", ""))
    return None if guid is None or port is None else (f"0x{guid:016x}", port)


def _unread(row: Row) -> tuple[str, str] | None:
    """Returns why a ratio or a temperature is not taken from a row, and what the row has."""
    columns = (_SYMBOL, _EFFECTIVE) if row.section == _RATIOS else (("temperature",),)
    if not any(set(names).issubset(row.columns) for names in columns):
        lacking = ", ".join(name for names in columns for name in names)
        return f"section {row.section}, lack the columns {lacking}", f"it has {', '.join(row.columns)}"
    if row.section == _RATIOS and (ratio := _best_ratio(row)) is not None and ratio > 1.0:
        return f"section {row.section}, have more than one error for each bit", f"{ratio:.3g} in line {row.line}"
    celsius = row.cells.get("temperature", "")
    if celsius and not _CELSIUS.fullmatch(celsius):
        return f"section {row.section}, have temperatures that are not in degrees Celsius", f"'{celsius:.20}' in line {row.line}"
    return None


def _with(known: Physical, row: Row) -> Physical:
    if row.section == _RATIOS:
        ratio = _best_ratio(row)
        return replace(known, ratio=None if ratio is None or ratio > 1.0 else ratio)
    celsius = _CELSIUS.fullmatch(row.cells.get("temperature", ""))
    module = " ".join(row.cells[key] for key in ("vendor", "pn", "sn") if key in row.cells)
    return replace(known, celsius=None if celsius is None else int(celsius[1]), module=module)


def _best_ratio(row: Row) -> float | None:
    return next((one for columns in (_SYMBOL, _EFFECTIVE) if (one := _ratio(row, columns)) is not None), None)


def _ratio(row: Row, columns: tuple[str, str]) -> float | None:
    coefficient, magnitude = (number(row.cells.get(column, "")) for column in columns)
    if coefficient is None or magnitude is None:
        return None
    return coefficient * 10.0 ** -min(magnitude, 300)
