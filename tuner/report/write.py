# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts a report into a folder."""

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuner.errors import BadInputError

_DEVICE_FILE = r"profile-[A-Za-z0-9._-]+\.yaml"
"""Names of the files with the profile for one model of the devices (profiles.py), as a regular expression."""


def require_folder(folder: Path) -> None:
    """Makes the folder of a report that is to be written later. Raises BadInputError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadInputError(f"the report cannot be written to '{folder}': {error.strerror}") from error


def write_report(report: Mapping[str, Any], folder: Path) -> None:
    """Writes `report.html`, `report.json`, if a profile is recommended `profile.yaml`, and `profile-VARIANT.yaml` where a model
    of the devices needs its own; such files of an earlier report are taken away, since they would look like this one's. Raises
    BadInputError if the folder cannot be written."""
    from tuner.report.html import report_html  # slow to import

    recommended = report["recommended"]
    artifacts = {
        "report.json": json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        "report.html": report_html(report),
        "profile.yaml": None if recommended is None else recommended["profile_yaml"],
        **dict.fromkeys(earlier_profiles(folder)),
        **{one["file"]: one["profile_yaml"] for one in profiles_for_models(report)},
    }
    write_artifacts(artifacts, folder)


def earlier_profiles(folder: Path) -> list[str]:
    """The files of an earlier report in the folder that hold the profile for one model of the devices."""
    try:
        names = [one["file"] for one in profiles_for_models(json.loads((folder / "report.json").read_text(encoding="utf-8")))]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    return [name for name in names if isinstance(name, str) and re.fullmatch(_DEVICE_FILE, name)]


def profiles_for_models(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The profiles of a report that are for one model of the devices, each with its file."""
    return [*report.get("profiles", ())]


def write_artifacts(artifacts: Mapping[str, str | None], folder: Path) -> None:
    """Writes texts by name; a file whose text is None is taken away. Raises BadInputError if the folder cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in artifacts.items():
            if text is None:
                (folder / name).unlink(missing_ok=True)
            else:
                _write(folder / name, text)
    except OSError as error:
        raise BadInputError(f"the report cannot be written to '{folder}': {error.strerror}") from error


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_text(text, encoding="utf-8")
        os.replace(unfinished, path)
    except BaseException:  # a full disk, Ctrl-C
        unfinished.unlink(missing_ok=True)
        raise
