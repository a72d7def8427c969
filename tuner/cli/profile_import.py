# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile import`: options of OpenSM's own manager, or of Mellanox's, as a profile."""

import codecs
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tuner.cli import common
from tuner.documents.profile import load_profile
from tuner.documents.profile_warnings import profile_warnings
from tuner.errors import BadInputError
from tuner.opensm.manager_options import import_options

_MAX_BYTES = 4 << 20
_MOST_ODD = 20


class Form(StrEnum):
    OPENSM = "opensm"
    CCMGR = "ccmgr"


def import_profile(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="opensm.conf, or the file of options of Mellanox's manager.")],
    form: Annotated[
        Form | None,
        typer.Option("--from", help="Options of OpenSM's own manager, or of Mellanox's (ccmgr); by default the content decides."),
    ] = None,
    like: Annotated[
        str, typer.Option(help="Profile whose table and CCTI_Timer stand for those that Mellanox's manager computes.")
    ] = "gran-2010",
    name: Annotated[str | None, typer.Option(help="Name of the profile; by default that of the file.")] = None,
    output_file: common.OutputFileOption = None,
) -> None:
    """Make a profile of the congestion control options of opensm.conf, or of those of Mellanox's manager.

    Standard error names what has no counterpart in a profile, and each odd line.

    Examples:

    - `ibcc profile import /etc/opensm/opensm.conf -o site.yaml`,

    - `ibcc profile diff site.yaml gran-2010`.
    """
    try:
        if not file.exists():
            raise BadInputError("IBCC0851: there is no such file", source=str(file))
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            raise BadInputError(f"IBCC0851: it must be a file of at most {_MAX_BYTES >> 20} MiB", source=str(file))
        content = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"IBCC0851: cannot be read: {error.strerror}", source=str(file)) from error
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in content:
        raise BadInputError(
            "IBCC0851: it is no text in UTF-8, which the managers read; `iconv -f UTF-16 -t UTF-8` makes it of UTF-16",
            source=str(file),
        )
    try:
        made = import_options(
            content.decode("utf-8", "replace"),
            name or file.stem,
            form=None if form is None else form.value,
            like=load_profile(like),
        )
    except BadInputError as error:
        raise BadInputError(error.sentence, source=str(file)) from error
    common.write_text(made.profile.to_yaml(), output_file)
    for sentence in made.odd[:_MOST_ODD]:
        common.note(f"{file}: {sentence}")
    if made.odd:
        more = f", of which {_MOST_ODD} are named" if len(made.odd) > _MOST_ODD else ""
        common.note(f"{file}: {len(made.odd):,} odd {'line' if len(made.odd) == 1 else 'lines'}{more}")
    for sentence in [*made.remarks, *profile_warnings(made.profile)]:
        common.note(f"{file}: {sentence}")
