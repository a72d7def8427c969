# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON Schemas of the documents, for editors and for programs that write them: `python -m tuner.documents.schemas`.

What a schema cannot say, such as that a port is used once, the reader checks. The profile's schema is ccpolicy's.
"""

import functools
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from tuner.document_base.model import DocumentModel
from tuner.documents.probe_report import ProbeReport
from tuner.documents.registry import DOCUMENTS

DRAFT = "https://json-schema.org/draft/2020-12/schema"


@functools.cache
def schema_texts() -> Mapping[str, str]:
    """Returns the text of each document's schema, by kind of document."""
    return {kind: _text(DOCUMENTS.get(kind)) for kind in DOCUMENTS.names()}


def published_texts() -> Mapping[str, str]:
    """Returns the text of each schema in configs/schemas: those of documents, and of what commands write for others to read."""
    return {**schema_texts(), "probe-report": _text(ProbeReport)}


def _text(model: type[DocumentModel]) -> str:
    return json.dumps({"$schema": DRAFT, **model.model_json_schema()}, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Writes configs/schemas."""
    folder = Path(str(resources.files("ibcc_configs"))) / "schemas"
    folder.mkdir(exist_ok=True)
    for kind, text in published_texts().items():
        (folder / f"{kind}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
