# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign's folder: its document and all that this names, frozen when the campaign is made. What people change later
changes no campaign, and nothing that they name can lead out of the folder."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.fabric import Fabric
from api.services.belonging import require_usable
from api.services.profiles import builtin_profiles, get_profile
from api.services.workloads import AnyWorkload, builtin_workloads, get_workload
from tuner.campaign.prepare import prepare
from tuner.campaign.setup import PRESENT, Setup
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents import catalogue
from tuner.documents.campaign import load_campaign
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.fabric.one_subnet import with_subnet

DOCUMENT = "campaign.json"
FABRIC = "fabric.yaml"
INVENTORY = "inventory.json"
"""Written when the campaign begins or goes on, as the hosts are at that time."""

Files = Mapping[str, str]
"""Texts by path in the folder."""

PROFILES = ("base", "baseline", "expert")


def frozen(session: Session, principal: Principal, fabric: Fabric, spec: Mapping[str, Any]) -> dict[str, str]:
    """The folder of a campaign on that fabric, whose workloads have no hosts there yet: `settled` gives them some. Raises
    NotFound for a name that nobody knows, and BadInputError for one that is a path."""
    document = dict(spec)
    if document.get("fabric") is not None:
        raise BadInputError(
            f"fabric is {document['fabric']!r:.80} in the document; a campaign of the service runs on '{fabric.name}'"
        )
    if document.get("warm_start"):
        raise BadInputError(
            f"warm_start is {document['warm_start']!s:.60}; storages are places of the service's machine, which no request "
            "names. Clone a campaign with `starts` to begin with what it found"
        )
    files: dict[str, str] = {}
    for key in PROFILES:
        if isinstance(document.get(key), str):
            document[key] = profile_file(session, principal, document[key], files, fabric)
    starts = document.get("start_from", [])
    if isinstance(starts, list):
        document["start_from"] = [
            start if start == PRESENT else profile_file(session, principal, start, files, fabric) for start in starts
        ]
    fabric_file(fabric, files)
    document["fabric"] = place_of(fabric, files)
    document["workloads"] = _workloads(session, principal, document.get("workloads"), fabric, files)
    for key in ("screening", "confirm_on"):
        part = document.get(key)
        if isinstance(part, dict) and part.get("workloads"):
            document[key] = part | {"workloads": _workloads(session, principal, part["workloads"], fabric, files)}
    files[DOCUMENT] = json.dumps(document, indent=1, ensure_ascii=False)
    return files


def settled(files: Files, setup: Setup, fabric: Fabric) -> dict[str, str]:
    """The folder with every workload on the hosts that it was given: a later release, which may choose others, changes no
    campaign. Scenarios keep the workloads' roles, which a challenge places elsewhere, and beside them the hosts that they have in
    each number and place. `setup`: of `files`."""
    document = json.loads(files[DOCUMENT])
    place = place_of(fabric, files)
    beside = with_subnet(f"../{FABRIC}" if place == FABRIC else place, setup.campaign.subnet)
    if setup.searches_scenarios:
        with_roles = dict(files)
        document["scenarios"] |= {"placed": list(_placed_roles(setup, beside, with_roles))}
        return {**with_roles, DOCUMENT: json.dumps(document, indent=1, ensure_ascii=False)}
    kept = {name: text for name, text in files.items() if not name.startswith("workloads/")}

    def workloads(references: list[str], placed: Sequence[Workload]) -> list[str]:
        return [_placed_file(one, workload, beside, kept) for one, workload in zip(references, placed, strict=True)]

    document["workloads"] = workloads(document["workloads"], setup.workloads)
    for key, placed in (("screening", setup.screening_workloads), ("confirm_on", setup.confirmation_workloads)):
        part = document.get(key)
        if isinstance(part, dict) and part.get("workloads"):
            document[key] = part | {"workloads": workloads(part["workloads"], placed)}
    document["hypervolume_reference"] = dict(setup.campaign.hypervolume_reference)
    if not document.get("space"):
        document |= _of_devices(document, setup, kept)
    for key in ("fabric", "subnet", "roles"):
        document.pop(key, None)
    return kept | {DOCUMENT: json.dumps(document, indent=1, ensure_ascii=False)}


def _of_devices(document: Mapping[str, Any], setup: Setup, files: dict[str, str]) -> dict[str, Any]:
    """What follows from the devices of the fabric, written down."""
    campaign = setup.campaign
    found: dict[str, Any] = {
        "space": {path: one.model_dump(mode="json", exclude_defaults=True) for path, one in campaign.space.items()},
        "variants": {name: dict(settings) for name, settings in campaign.variants.items()},
    }
    for key, profile in (("base", setup.space.base), ("expert", setup.expert)):
        if key not in document:
            found[key] = f"profiles/of-devices-{key}.yaml"
            files[found[key]] = profile.to_yaml()
    return found


def _placed_roles(setup: Setup, fabric: str, files: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yields the hosts of each workload in each number of contributors and at each place, and adds their files."""
    placed: dict[tuple[str, int | None, int], Workload] = {(own.name, None, 1): own for own in setup.workloads}
    per_workload = len(setup.scenarios) // len(setup.workloads)
    for number, scenario in enumerate(setup.scenarios):
        own = setup.workloads[number // per_workload]
        placed[own.name, scenario.point.contributors, scenario.point.place] = scenario.placed
    for number, ((name, contributors, place), workload) in enumerate(placed.items(), start=1):
        path = f"placed/{number}.json"
        document = workload.model_dump(mode="json", exclude_none=True) | {"fabric": fabric}
        files[path] = json.dumps(document, indent=1, ensure_ascii=False)
        yield {"workload": name, "contributors": contributors, "place": place, "file": path}


def _placed_file(reference: str, workload: Workload, fabric: str, files: dict[str, str]) -> str:
    """A reference to a workload as it runs: its name if it comes with ibcc and runs as it comes."""
    if not catalogue.is_path(reference):
        as_it_comes = load_workload(reference)
        if workload.model_dump() == as_it_comes.model_dump(exclude={"roles"}) | {"fabric": workload.fabric}:
            return reference
    path = f"workloads/{workload.name}.json"
    document = workload.model_dump(mode="json", exclude_none=True) | {"fabric": fabric}
    files[path] = json.dumps(document, indent=1, ensure_ascii=False)
    return path


def write_files(files: Files, folder: Path) -> Path:
    """Puts the folder on disk, as it was; the document's path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / DOCUMENT


def setup_of(files: Files, model: Mapping[str, Any], folder: Path, hosts: Sequence[str] | None = None) -> Setup:
    """Ready to run. `model`: parameters of simulated devices, `ca.becn_carrier`. `hosts`: as prepare. Raises BadInputError."""
    return prepare(*load_campaign(write_files(files, folder)), backend_settings=model, hosts=hosts)


def identities_of(setup: Setup, folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The setup's identity and its former ones, the same in whatever folder of whatever machine the campaign's files were put for
    this run."""

    def placeless(identity: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(json.dumps(identity).replace(json.dumps(f"{folder.absolute()}/")[1:-1], ""))
        return result

    return placeless(setup.identity()), [placeless(one) for one in setup.former_identities()]


def checked(files: Files, model: Mapping[str, Any], hosts: Sequence[str] | None = None) -> Setup:
    """Checks a campaign before anybody stores it, and returns its setup. Raises BadInputError, without places of this machine."""
    try:
        return checked_in_place(files, model, hosts)
    except BadInputError as error:
        raise BadInputError(error.sentence) from error


def checked_in_place(files: Files, model: Mapping[str, Any], hosts: Sequence[str] | None = None) -> Setup:
    """Does what checked() does; an error names the path in `files`, and the line there."""
    with tempfile.TemporaryDirectory(prefix="ibcc-campaign-") as folder:
        try:
            setup = setup_of(files, model, Path(folder), hosts)
            setup.identity()  # reads every parameter of the devices
            return setup
        except BadInputError as error:
            source = None if error.source is None else error.source.replace(f"{folder}/", "")
            raise BadInputError(error.sentence.replace(f"{folder}/", ""), source=source, line=error.line) from error


def place_of(fabric: Fabric, files: Files) -> str:
    """Returns the campaign's fabric as documents beside the campaign's name it: a file in the folder, or the name of a
    packaged fabric."""
    return FABRIC if FABRIC in files else str(fabric.options["fabric"])


def required_name(value: object, what: str) -> str:
    if not isinstance(value, str) or catalogue.is_path(value):
        raise BadInputError(f"{what} is {value!r:.100}; it must be the name of one that the service has, not a path")
    return value


def profile_file(session: Session, principal: Principal, reference: object, files: dict[str, str], fabric: Fabric) -> str:
    name = required_name(reference, "a profile")
    if name in builtin_profiles():
        return name
    path = f"profiles/{name}.yaml"
    profile = get_profile(session, name)
    require_usable(principal, "profile", name, "spec", profile.belongs_to, fabric.name)
    files[path] = profile.document
    return path


def fabric_file(fabric: Fabric, files: dict[str, str]) -> str:
    """Returns the fabric as workloads in the folder `workloads` name it; adds its document, if it has one, to `files`."""
    options = fabric.options
    if isinstance(options.get("document"), str):
        files[FABRIC] = options["document"]
        return f"../{FABRIC}"
    if isinstance(options.get("fabric"), str):
        return str(options["fabric"])
    raise BadInputError(
        f"the wiring of fabric '{fabric.name}' is unknown to the service, so no campaign can run on it; "
        "give it as options.document (ibcc fabric import)"
    )


def _workloads(session: Session, principal: Principal, references: object, fabric: Fabric, files: dict[str, str]) -> list[str]:
    if not isinstance(references, list):
        raise BadInputError(f"workloads is {references!r:.100}; a list of names is expected")
    found = [workload_reference(session, principal, one, fabric) for one in references]
    return [_as_written(one, fabric, files) for one in found]


def _as_written(one: AnyWorkload, fabric: Fabric, files: dict[str, str]) -> str:
    """A reference to the workload for the fabric that its document names."""
    if one.builtin:
        own = builtin_workloads()[one.name].workload
        if any(getattr(pattern, "file", None) is not None for pattern in own.patterns) and own.fabric != fabric.options.get(
            "fabric"
        ):
            raise BadInputError(f"workload '{one.name}' reads a trace, which it does only on the fabric '{own.fabric}'")
        return one.name
    path = f"workloads/{one.name}.json"
    files[path] = json.dumps(parse_document(one.document, source=f"workload {one.name}").value, indent=1, ensure_ascii=False)
    return path


def workload_reference(session: Session, principal: Principal, reference: object, fabric: Fabric) -> AnyWorkload:
    """Raises NotFound, BadInputError for a path, and InvalidInput for one of another fabric."""
    one = get_workload(session, required_name(reference, "a workload"))
    require_usable(principal, "workload", one.name, "spec", one.belongs_to, fabric.name)
    return one


def workload_file(one: AnyWorkload, fabric: str, files: dict[str, str]) -> str:
    """A reference to the workload on that fabric."""
    if one.builtin and builtin_workloads()[one.name].workload.fabric == fabric:
        return one.name
    document = parse_document(one.document, source=f"workload {one.name}")
    read = validate(Workload, document)
    if any(getattr(pattern, "file", None) is not None for pattern in read.patterns):
        raise BadInputError(f"workload '{one.name}' reads a trace, which it does only on the fabric '{read.fabric}'")
    assert isinstance(document.value, dict)
    path = f"workloads/{one.name}.json"
    files[path] = json.dumps(document.value | {"fabric": fabric}, indent=1, ensure_ascii=False)
    return path
