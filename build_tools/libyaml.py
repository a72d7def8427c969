# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Brings libyaml's C sources, which ccpolicy's YAML reader is linked with.

Every build compiles the same sources in statically: the wheel then needs no library on its user's machine, a plain user can
build without Debian's libyaml-dev, and what is fuzzed is what is shipped. The sources come from the source archive of
ruamel.yaml.clib, which carries them whole, by pip, so that a machine's own index, proxy and certificates are used. The archive
is pinned by hash in libyaml.txt.

As a program: prints the folder, which it fills first if need be.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENT = ROOT / "build_tools" / "libyaml.txt"
SOURCES = ("api.c", "dumper.c", "emitter.c", "loader.c", "parser.c", "reader.c", "scanner.c", "writer.c")
HEADERS = ("config.h", "yaml.h", "yaml_private.h")


def pinned_hash() -> str:
    """The archive's SHA-256 as libyaml.txt has it: names the folder, so that a new pin is a new folder."""
    return REQUIREMENT.read_text().rpartition("sha256:")[2].strip()


def sources_folder() -> Path:
    """Folder with libyaml's sources and headers, downloaded on the first call.

    Raises subprocess.CalledProcessError if pip cannot bring the archive, and KeyError if the archive lacks a file.
    """
    folder = ROOT / "build" / f"libyaml-{pinned_hash()[:12]}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        subprocess.run(
            # pip asks the archive for its metadata, which needs setuptools: where it is at hand, no second copy is installed.
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "ruamel.yaml.clib"]
            + (["--no-build-isolation"] if find_spec("setuptools") else [])
            + ["--require-hashes", "--dest", scratch, "--requirement", str(REQUIREMENT)],
            check=True,
            stdout=sys.stderr,
        )
        (archive,) = Path(scratch).glob("*.tar.gz")
        unpacked = Path(scratch) / "libyaml"
        unpacked.mkdir()
        with tarfile.open(archive) as tar:
            top = tar.getnames()[0].partition("/")[0]
            for name in (*SOURCES, *HEADERS, "LICENSE"):
                member = tar.extractfile(f"{top}/{name}")
                assert member is not None, name
                (unpacked / name).write_bytes(member.read())
        try:
            os.rename(unpacked, folder)
        except OSError:
            if not folder.is_dir():  # else another build was first, and brought the same bytes
                raise
    return folder


if __name__ == "__main__":
    print(sources_folder())
