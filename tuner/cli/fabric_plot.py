# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric show --plot`: the drawing of a fabric as a file."""

import warnings
from pathlib import Path

from tuner.cli import common
from tuner.errors import BadInputError
from tuner.fabric.summary import FabricSummary
from tuner.report.plots.fabric_by import By

SUFFIXES = (".svg", ".png")


def check(plot: Path | None, result: Path | None, by: By | None) -> None:
    """Raises BadInputError for options that do not go together, before anything slow begins."""
    if plot is None and (result is not None or by is not None):
        raise BadInputError(f"{'--result' if result is not None else '--by'} says what --plot FILE shows; there is no --plot")
    if by is not None and result is None:
        raise BadInputError(f"--by {by.value} chooses what is shown of --result MEASUREMENT.json; there is no --result")
    if plot is not None:
        require_suffix(plot)


def require_suffix(plot: Path) -> None:
    """Raises BadInputError unless the file's name says that it is a picture that can be drawn."""
    if plot.suffix.lower() not in SUFFIXES:
        raise BadInputError(f"--plot {plot}: the file's name ends in {' or '.join(SUFFIXES)}, which says what it is")


def write(summary: FabricSummary, plot: Path, result: Path | None, by: By | None) -> None:
    """Draws into the file. Raises BadInputError for a result that is none of this fabric, or a file that cannot be written."""
    from tuner.report.plots import fabric, style  # slow to import
    from tuner.report.plots.fabric_congestion import read_congestion
    from tuner.report.plots.fabric_wiring import Wiring

    if not summary.document.switches:
        raise BadInputError(f"fabric '{summary.document.name}' has no switches, so there is nothing to draw")
    congestion = None if result is None else read_congestion(result, summary.document, by or By.XMIT_WAIT)
    wiring = Wiring(summary.document, summary.level_of)
    # In an SVG the reader's fonts count, and a PNG shows a box for the letter.
    warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
    if plot.suffix.lower() == ".svg":
        common.write_text(style.standalone(fabric.svg(wiring, congestion)), plot)
    else:
        common.write_bytes(fabric.png(wiring, congestion), plot)
