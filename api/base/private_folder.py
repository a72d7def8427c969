# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Folders that only the service's user may enter."""

from pathlib import Path

from tuner.atomic_file import sync_folder


def make_private_folder(folder: Path) -> None:
    """Makes the folder, unless it is there, and its parents, with mode 0700. Each one that is made outlives a power cut.
    Raises OSError."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for made in reversed(missing):
        sync_folder(made.parent)
