# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Inventories of fabrics: who is where, and how agents are started there.

An inventory holds commands: what a launcher and an agent are told to run. So only administrators write them; and what would
choose a program of the service's own machine is refused, unless whoever has that machine allows it by the setting
inventory_programs.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, NotFound
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.fabric import Fabric
from api.database.models.inventory import StoredInventory
from api.fabric_drivers.documents import fabric_of_text, packaged_fabric
from api.fabric_drivers.plugin_sockets import first_socket
from api.services.fabric_access import publish_change
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import Document, parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.documents.inventory import Inventory
from tuner.errors import BadInputError

MAX_DOCUMENT_BYTES = 1024 * 1024


def find_inventory(session: Session, fabric: str, *, locked: bool = False) -> StoredInventory | None:
    return session.get(StoredInventory, fabric, with_for_update=locked)


def get_inventory(session: Session, fabric: str, *, locked: bool = False) -> StoredInventory:
    """Raises NotFound."""
    row = find_inventory(session, fabric, locked=locked)
    if row is None:
        raise NotFound(f"Fabric '{fabric}' has no inventory.")
    return row


def require_inventory(session: Session, fabric: str) -> StoredInventory:
    """Raises Conflict with what to do."""
    row = find_inventory(session, fabric)
    if row is None:
        raise Conflict(
            f"Fabric '{fabric}' has no inventory, which says where its hosts are; an administrator must add one first."
        )
    return row


def put_inventory(session: Session, principal: Principal, settings: Settings, fabric: Fabric, document: str) -> StoredInventory:
    """Adds it, or takes the place of the former one. Raises BadInputError."""
    document, inventory = read_inventory(document, fabric)
    require_allowed(inventory, settings)
    row = find_inventory(session, fabric.name, locked=True)
    if row is None:
        row = StoredInventory(fabric=fabric.name, document=document, created_by=principal.username, changed_by=principal.username)
        session.add(row)
        session.flush()
        action = "create"
    else:
        row.document, row.changed_by, row.changed_at = document, principal.username, now()
        row.revision += 1
        action = "change"
    detail = {"revision": row.revision, "hosts": len(inventory.by_node), "launcher": inventory.launcher.kind}
    record_audit(session, principal, f"inventory.{action}", f"inventory of {fabric.name}", fabric=fabric.name, detail=detail)
    publish_change(session, fabric.name, "inventory", {"action": action, "revision": row.revision})
    return row


def delete_inventory(session: Session, principal: Principal, row: StoredInventory) -> None:
    """With what the last check found."""
    name = row.fabric
    session.delete(row)
    record_audit(session, principal, "inventory.delete", f"inventory of {name}", fabric=name)
    publish_change(session, name, "inventory", {"action": "delete"})


def inventory_of(row: StoredInventory) -> Inventory:
    """Reads a stored inventory, as those who use it need it."""
    return _read(row.document, row.fabric)


def read_inventory(text: str, fabric: Fabric) -> tuple[str, Inventory]:
    """An inventory that somebody sends for a fabric, and its text with today's keys. Raises BadInputError with the line. No file
    that it names is looked at."""
    if len(text.encode(errors="surrogatepass")) > MAX_DOCUMENT_BYTES:
        raise BadInputError(f"document has {len(text):,} characters; an inventory has at most {MAX_DOCUMENT_BYTES:,} bytes")
    inventory = _read(text, fabric.name)
    for i, job in enumerate(inventory.abort_if.jobs):
        path = PurePosixPath(job.file)
        if not path.is_absolute() or ".." in path.parts or "\0" in job.file:
            raise BadInputError(
                f"abort_if.jobs[{i}].file is {job.file!r:.100}; in the service it must be an absolute path without '..'",
                source="document",
            )
    manager, socket = inventory.subnet_manager, _plugin_socket(fabric)
    given = "subnet_manager" in inventory.model_fields_set
    if given and socket is not None and (manager.node, manager.socket) != (None, socket):
        raise BadInputError(
            f"subnet_manager is {manager.socket!r:.100} on {manager.node or 'this machine'}; in the service the fabric itself "
            f"says where its plugin is, '{socket}'; omit subnet_manager",
            source="document",
        )
    _require_hosts(inventory, fabric)
    return text, inventory


def require_allowed(inventory: Inventory, settings: Settings) -> None:
    """Raises BadInputError for one that says what this machine runs, where that is not allowed. Asked again before each use: the
    setting may have changed."""
    if settings.inventory_programs:
        return
    launcher = inventory.launcher
    for name in launcher.chosen_here:
        if name == "kind" or getattr(launcher, name) != type(launcher).model_fields[name].default:
            raise BadInputError(
                f"launcher.{name} is {_short(getattr(launcher, name))}, which chooses what runs on the service's machine; "
                "the setting inventory_programs would have to allow it"
            )
    if not inventory.agent.command[0].startswith("/"):
        raise BadInputError(
            f"agent.command begins with {_short(inventory.agent.command[0])}; in the service it must be the absolute path of a "
            "program"
        )


def _short(value: object) -> str:
    return f"{list(value) if isinstance(value, tuple) else value!r}"[:100]


@lru_cache(maxsize=16)
def _read(text: str, fabric: str) -> Inventory:
    return validate(Inventory, on_fabric(parse_document(text, source="document"), fabric))


def on_fabric(document: Document, fabric: str) -> Document:
    """The document with the fabric's name. Raises BadInputError with the line for one with another name."""
    if isinstance(document.value, dict):
        given = document.value.get("fabric", fabric)
        if given != fabric:
            raise BadInputError(
                f"fabric is {given!r:.100}; in the service it must be '{fabric}', whose inventory this is, or be omitted",
                source=document.source,
                line=document.line_of(("fabric",)),
            )
        document = Document(document.source, {**document.value, "fabric": fabric}, document.lines)
    return document


def _require_hosts(inventory: Inventory, fabric: Fabric) -> None:
    """Raises BadInputError for a host that the fabric has not, where its wiring is known."""
    wiring = wiring_of(fabric.options)
    if wiring is None:
        return
    directory = HostDirectory(wiring)
    for host in inventory.by_node.values():
        try:
            directory.find(host.host)
        except BadInputError as error:
            raise BadInputError(f"node '{host.node}': {error.sentence}", source="document") from error


def placed_inventory(row: StoredInventory, fabric: Fabric, settings: Settings, place: str) -> str:
    """The text for a campaign's folder, in which the fabric is called `place`; the plugin is where the fabric's options say."""
    inventory = inventory_of(row)
    require_allowed(inventory, settings)
    document = inventory.model_dump(mode="json", exclude_unset=True) | {"fabric": place}
    document.pop("subnet_manager", None)
    if (socket := _plugin_socket(fabric)) is not None:
        document["subnet_manager"] = {"socket": socket}
    return json.dumps(document, indent=1, ensure_ascii=False)


def _plugin_socket(fabric: Fabric) -> str | None:
    """Returns the plugin's socket of a fabric that has OpenSM of its own; None: whoever runs the fabric knows it."""
    return first_socket(fabric.options) if fabric.kind == "plugin" else None


def wiring_of(options: Mapping[str, Any]) -> FabricDocument | None:
    """Returns the document of a fabric's options; None where it has none."""
    if isinstance(options.get("document"), str):
        return fabric_of_text(options["document"])
    return packaged_fabric(options["fabric"]) if isinstance(options.get("fabric"), str) else None
