# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts a report into a folder."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuner.errors import BadInputError
from tuner.report.html import report_html


def require_folder(folder: Path) -> None:
    """Makes the folder of a report that is to be written later. Raises BadInputError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadInputError(f"the report cannot be written into '{folder}': {error.strerror}") from error


def write_report(report: Mapping[str, Any], folder: Path) -> None:
    """Writes `report.html`, `report.json` and, if a profile is recommended, `profile.yaml`; without one, a `profile.yaml` of an
    earlier report is taken away, since it would look like this one's. Raises BadInputError if the folder cannot be written."""
    recommended = report["recommended"]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "report.json", json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
        _write(folder / "report.html", report_html(report))
        if recommended is None:
            (folder / "profile.yaml").unlink(missing_ok=True)
        else:
            _write(folder / "profile.yaml", recommended["profile_yaml"])
    except OSError as error:
        raise BadInputError(f"the report cannot be written into '{folder}': {error.strerror}") from error


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)
