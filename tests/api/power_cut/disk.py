# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A disk that forgets what was not synced (`synced.c`), for a program that a test starts."""

import shutil
import subprocess
from pathlib import Path


class ForgetfulDisk:
    """`root`: the folder whose files a program writes. `copies`: what was synced of it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.copies = folder / "root", folder / "copies"
        self._library = folder / "synced.so"
        for made in (self.root, self.copies):
            made.mkdir()
        flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
        subprocess.run(["cc", *flags, "-o", self._library, Path(__file__).with_name("synced.c"), "-ldl"], check=True)

    def environment(self) -> dict[str, str]:
        """Variables for a program that writes to `root`."""
        return {"LD_PRELOAD": str(self._library), "SYNCED_ROOT": str(self.root), "SYNCED_DISK": str(self.copies)}

    def cut(self, target: Path) -> None:
        """Makes the folder that is left of `root` if the power fails now."""
        kept = target.with_name(target.name + ".copies")
        shutil.copytree(self.copies, kept, ignore=shutil.ignore_patterns(".*"))
        roots = [one.name for one in kept.glob(f"d{self.root.stat().st_ino}-*")]  # Python knows no time of birth
        assert len(roots) == 1, "no entry of the root was synced"
        self._restore(kept, roots[0], target)

    def _restore(self, kept: Path, name: str, target: Path) -> None:
        if name.startswith("f"):
            if (kept / name).exists():
                shutil.copyfile(kept / name, target)
            else:
                target.touch()
            return
        target.mkdir(mode=0o700)
        entries = (kept / name).read_text() if (kept / name).exists() else ""
        for line in entries.splitlines():
            entry, _, path = line.partition(" ")
            self._restore(kept, entry, target / path)
