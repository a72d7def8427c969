# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What browsers have to load, and that it is made for the service that is here."""

import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest

from api.app import create_app
from api.database.engine import Database
from api.settings import Settings

MOST_BYTES = 1_000_000


def test_the_bundle_is_under_a_megabyte_compressed(built: Path) -> None:
    sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in built.rglob("*") if file.is_file()}
    assert sum(sizes.values()) < MOST_BYTES, sizes


@pytest.mark.parametrize("chunk", ["engine", "code_mirror"])
def test_charts_and_editors_are_loaded_when_they_are_needed(built: Path, chunk: str) -> None:
    page = (built / "index.html").read_text()
    (name,) = [file.name for file in (built / "assets").glob(f"{chunk}-*.js")]
    assert name not in page


def test_the_lock_file_names_no_registry(root: Path) -> None:
    assert "resolved" not in (root / "api/ui/package-lock.json").read_text()


@pytest.mark.skipif(os.environ.get("CI") is None and not Path("api/ui/node_modules").is_dir(), reason="no packages: make ui")
def test_the_interface_fits_the_services_openapi(built: Path, root: Path, tmp_path: Path) -> None:
    """Types are made anew from the service. Where they are those that the sources have, the build has checked the sources against
    them; otherwise that is done here, which takes long."""
    settings = Settings(state_folder=tmp_path / "state", workers=0)
    database = Database(settings.database)
    try:
        described = create_app(settings, database).openapi()
    finally:
        database.close()
    (tmp_path / "openapi.json").write_text(json.dumps(described))
    tool = root / "build_tools/ui.sh"
    schema = tmp_path / "schema.d.ts"
    subprocess.run(
        [tool, "exec", "--", "openapi-typescript", tmp_path / "openapi.json", "--output", schema], check=True, capture_output=True
    )
    folder = root / "api/ui"
    _, _, ours = (folder / "src/api/schema.d.ts").read_text().partition("\n")  # below the licence
    if schema.read_text() == ours:
        return
    paths = json.loads((folder / "tsconfig.json").read_text())["compilerOptions"]["paths"]
    project = {
        "extends": str(folder / "tsconfig.json"),
        "compilerOptions": {
            "typeRoots": [str(folder / "node_modules/@types")],
            "types": [str(folder / "node_modules/vite/client")],
            "paths": {
                "@/api/schema": [str(schema)],
                **{name: [str((folder / target).resolve()) for target in targets] for name, targets in paths.items()},
            },
        },
        "include": [str(folder / "src")],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(project))
    done = subprocess.run([tool, "exec", "--", "tsc", "--noEmit", "--project", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
