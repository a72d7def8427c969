# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes the service's OpenAPI document, of which the interface's types are made: `python -m build_tools.openapi FILE`.

A file that has it already is left alone, so that `make` builds the interface anew only when its types may have changed.
"""

import json
import sys
import tempfile
from pathlib import Path

from api.configuration.settings import Settings
from api.database.engine import Database
from api.server.app import create_app


def openapi_text() -> str:
    """Returns the document as JSON, of a service that has nothing."""
    with tempfile.TemporaryDirectory(prefix="ibcc-openapi-") as folder:
        settings = Settings(state_folder=Path(folder), workers=0)
        database = Database(settings.database)
        try:
            return json.dumps(create_app(settings, database).openapi(), ensure_ascii=False)
        finally:
            database.close()


def main() -> None:
    file, text = Path(sys.argv[1]), openapi_text()
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
