# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check's document, and a folder with all that it names, as these are when a night begins: a profile or a workload that was
changed since the last night is for the check to find."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal, system
from api.base.times import now
from api.database.models.check import StoredCheck
from api.database.models.fabric import Fabric
from api.fabric_drivers.plugin import PluginKind
from api.fabric_drivers.plugin_sockets import first_socket
from api.services.belonging import require_usable
from api.services.campaigns.files import INVENTORY, fabric_file, place_of, profile_file, required_name, workload_file, write_files
from api.services.fabric_access import spec_of
from api.services.fabrics import get_fabric
from api.services.workloads import get_workload
from tuner.checks.kind import KINDS, Night
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import Document, parse_document
from tuner.documents.check import Check, load_check
from tuner.documents.check_kinds import Place
from tuner.errors import BadInputError, UnreachableError

DOCUMENT = "check.json"
MAX_DOCUMENT_BYTES = 256 * 1024
MOST_ENTRIES = 32
"""Each is observed after the others, so that a night with more of them would not end."""

_NOWHERE = "/nonexistent"
"""Stands for a socket where a document is only validated."""

Files = dict[str, str]


def read_check(document: str, *, name: str, fabric: Fabric) -> Check:
    """A check as somebody sends it: its name and fabric are those given, or left out. Sockets in it stand for nothing. Raises
    BadInputError with the line."""
    return validate(Check, with_stand_ins(parsed(document, name=name, fabric=fabric), fabric))


def with_stand_ins(document: Document, fabric: Fabric) -> Document:
    """The document with sockets that stand for nothing. Raises BadInputError."""
    return _placed(document, fabric, _stand_ins(fabric))


def parsed(document: str, *, name: str, fabric: Fabric) -> Document:
    """The document with its name and fabric. Raises BadInputError."""
    if len(document.encode(errors="surrogatepass")) > MAX_DOCUMENT_BYTES:
        raise BadInputError(f"document has {len(document):,} characters; a check has at most {MAX_DOCUMENT_BYTES:,} bytes")
    return named(parse_document(document, source="document"), name=name, fabric=fabric)


def named(read: Document, *, name: str, fabric: Fabric) -> Document:
    """Does what parsed() does, for a document that is read already."""
    if not isinstance(read.value, dict):
        raise BadInputError("document is no check; it must begin with ibcc_check: 1", source="document")
    for key, wanted in (("name", name), ("fabric", fabric.name)):
        if read.value.get(key, wanted) != wanted:
            raise BadInputError(
                f"{key} is {read.value[key]!r:.80}; in the service it must be '{wanted}', or be omitted",
                source="document",
                line=read.line_of((key,)),
            )
    return Document(read.source, {**read.value, "name": name, "fabric": fabric.name}, read.lines)


def files_of(session: Session, principal: Principal, fabric: Fabric, check: Check, document: Document) -> Files:
    """The texts of the check's folder by their paths in it. Raises NotFound for a name that nobody knows, and BadInputError for
    one that is a path."""
    value: Any = document.value
    files: Files = {}
    entries = []
    for entry, given in zip(check.kinds, value["kinds"], strict=True):
        named = dict(given)
        for key, kind in entry.documents.items():
            reference = getattr(entry, key)
            if reference is None:
                continue
            name = required_name(reference, f"a {kind}")
            place = fabric_file(fabric, files)
            if kind == "profile":
                named[key] = profile_file(session, principal, name, files, fabric)
            elif kind == "workload":
                workload = get_workload(session, name)
                require_usable(principal, "workload", name, "document", workload.belongs_to, fabric.name)
                named[key] = workload_file(workload, place, files)
            else:
                raise BadInputError(f"kind '{entry.kind}' has '{key}'; the service has an {kind} for each fabric, so omit it")
        entries.append(named)
    if any(entry.needs_hosts for entry in check.kinds):
        fabric_file(fabric, files)
    where = place_of(fabric, files) if files or "fabric" in fabric.options else fabric.name
    files[DOCUMENT] = json.dumps(value | {"fabric": where, "kinds": entries}, indent=1, ensure_ascii=False)
    return files


def unplaced_check(session: Session, principal: Principal, fabric: Fabric, name: str, document: str) -> Check:
    """Returns the check that a document is, with names of files as its nights have them; the files are gone. Raises
    BadInputError, NotFound and InvalidInput for one that could not be run on the fabric, whatever state that is in."""
    check = read_check(document, name=name, fabric=fabric)
    files = files_of(session, principal, fabric, check, parsed(document, name=name, fabric=fabric))
    with _folder(files, fabric, _stand_ins(fabric)) as path:
        return load_check(path)


def require_place(session: Session, principal: Principal, fabric: Fabric, name: str, document: str) -> None:
    """Raises as unplaced_check, and BadInputError for a workload for which the fabric has no hosts: now, and not in the first
    night."""
    check = read_check(document, name=name, fabric=fabric)
    files = files_of(session, principal, fabric, check, parsed(document, name=name, fabric=fabric))
    with _folder(files, fabric, _stand_ins(fabric)) as path:
        placed = load_check(path)
        for entry in placed.kinds:
            KINDS.get(entry.kind).plan(entry, Night(fabric=placed.fabric, date=now().date()))


def present_check(session: Session, row: StoredCheck) -> Check:
    """Returns a stored check with the names of files that its nights have, so that its entries have their options. Raises as
    unplaced_check."""
    return unplaced_check(session, system("check"), get_fabric(session, row.fabric), row.name, row.document)


@contextmanager
def placed_check(fabric: Fabric, files: Files) -> Iterator[Check]:
    """The check, ready to run, as long as its folder is there. Raises BadInputError, and UnreachableError for a fabric that does
    not run."""
    with _folder(files, fabric, sockets_of(fabric)) as path:
        yield load_check(path)


@contextmanager
def _folder(files: Files, fabric: Fabric, sockets: Mapping[Place, str]) -> Iterator[Path]:
    """`sockets`: their paths. In the folder they have names that stay the same, since values of entries that name different files
    are not compared."""
    read = parse_document(files[DOCUMENT], source="document")
    with tempfile.TemporaryDirectory(prefix="ibcc-check-") as name:
        folder = Path(name)
        for place, path in sockets.items():
            (folder / place).symlink_to(path)
        value: Any = _placed(read, fabric, {place: str(folder / place) for place in sockets}).value
        if INVENTORY not in files and isinstance(value, dict) and isinstance(drained := value.get("drained"), dict):
            left = {key: one for key, one in drained.items() if key != "inventory"}  # the fabric has none
            value["drained"] = left if left.get("slurm") else None
        write_files(files | {DOCUMENT: json.dumps(value, ensure_ascii=False)}, folder)
        try:
            yield folder / DOCUMENT
        except BadInputError as error:
            raise BadInputError(error.sentence.replace(f"{folder}/", "")) from error


def _placed(document: Document, fabric: Fabric, sockets: Mapping[Place, str]) -> Document:
    """With the sockets by which the fabric is reached, and the inventory by which hosts are. Raises BadInputError for a document
    that names them itself, and for kinds that cannot be run on the fabric."""
    value: Any = document.value
    kinds = value.get("kinds")
    if not isinstance(kinds, list):
        return document
    if len(kinds) > MOST_ENTRIES:
        raise BadInputError(f"kinds has {len(kinds)} entries; at most {MOST_ENTRIES} are observed in a night", source="document")
    placed: dict[str, Any] = {
        "kinds": [_entry(one, i, fabric, sockets) if _is_known(one) else one for i, one in enumerate(kinds)]
    }
    for section in ("hosts", "drained"):
        if isinstance(given := value.get(section), dict):
            if "inventory" in given:
                raise BadInputError(
                    f"{section} has 'inventory'; the service has one for each fabric, so omit it",
                    source="document",
                    line=document.line_of((section, "inventory")),
                )
            placed[section] = {**given, "inventory": INVENTORY}
    return Document(document.source, {**value, **placed}, document.lines)


def _is_known(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("kind"), str) and entry["kind"] in KINDS.names()


def _entry(given: dict[str, Any], index: int, fabric: Fabric, sockets: Mapping[Place, str]) -> dict[str, Any]:
    kind = given["kind"]
    options = KINDS.get(kind).options
    places = options.places(given)
    if places is None or any(option in given for option in options.files):
        raise BadInputError(f"kinds[{index}] is '{kind}', which only `ibcc check run` can run", source="document")
    for option, place in places.items():
        if option in given:
            raise BadInputError(
                f"kinds[{index}] has '{option}'; the service itself decides how the fabric is reached, so omit it",
                source="document",
            )
        # Without it, the entry would read the InfiniBand of this machine, which is that of no fabric that is simulated.
        may_lack = option in options.where_there_is_one and fabric.kind == PluginKind.name
        if place not in sockets and not may_lack:
            raise BadInputError(
                f"kinds[{index}] is '{kind}', which needs {_NAMES[place]}; fabric '{fabric.name}' is {fabric.kind} and has none",
                source="document",
            )
    return given | {option: sockets[place] for option, place in places.items() if place in sockets}


_NAMES: Mapping[Place, str] = {"plugin": "the OpenSM plugin", "emulator": "an emulated fabric"}


def _stand_ins(fabric: Fabric) -> dict[Place, str]:
    places: dict[str, tuple[Place, ...]] = {"emulated": ("plugin", "emulator"), PluginKind.name: ("plugin",)}
    return dict.fromkeys(places.get(fabric.kind, ()), _NOWHERE)


def sockets_of(fabric: Fabric) -> dict[Place, str]:
    """Returns the sockets by which a fabric is reached. Raises UnreachableError for an emulated fabric that the server does not
    run now."""
    if fabric.kind == PluginKind.name:
        return {"plugin": first_socket(fabric.options)}
    if fabric.kind != "emulated":
        return {}
    runtime = spec_of(fabric).runtime
    if "plugin_socket" not in runtime:
        why = runtime.get("problem") or "the server has not started it yet"
        raise UnreachableError(f"the emulated fabric '{fabric.name}' is not running: {why}")
    return {"plugin": runtime["plugin_socket"], "emulator": runtime["control_socket"]}
