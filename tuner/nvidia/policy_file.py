# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile as a congestion control policy file of NVIDIA's OpenSM, as far as its grammar is public.

The block `ca_algo_import` is: UFM's manuals show it (page "OpenSM Configuration" of versions 6.17 to 6.22). The file can say
more, as the structs of OpenSM's osm_congestion_control.h show, but no public text has the keywords; such parts are left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ccsim
from ccsim.policy import Profile
from tuner.errors import BadInputError

_NO_KEYWORD = "no public source has the keyword by which a policy file says it"
_ANNEX_A10 = "NVIDIA's OpenSM is not known to set annex A10's attributes"
_PORT_GROUPS = "no public source shows how a policy file gives some devices other values"
_NOT_VALUES = ("ibcc_profile", "name", "enable", "link", "overrides")
"""Keys of a profile that no device holds, and those that are looked at one by one."""


@dataclass(frozen=True)
class LeftOut:
    """Keys of the profile that the file does not say, and the reason."""

    keys: tuple[str, ...]
    reason: str

    @property
    def sentence(self) -> str:
        return f"left out: {', '.join(self.keys)}: {self.reason}"


@dataclass(frozen=True)
class PolicyFile:
    text: str
    left_out: tuple[LeftOut, ...]


def policy_file(profile: Profile, algorithm_files: Mapping[str, str], fabric: ccsim.Fabric | None = None) -> PolicyFile:
    """`algorithm_files`: the file's name in OpenSM's folder ppcc_algo_dir, by the algorithm's name, or by ID.MAJOR.MINOR.
    `fabric`: to count the devices that an override is for.

    Raises BadInputError for a profile without the section `nvidia`, for a file's name that the policy cannot hold, and for an
    algorithm that the profile does not have.
    """
    document = profile.to_dict()
    if "nvidia" not in document:
        raise BadInputError(
            f"profile {profile.name} has no section nvidia; `ibcc profile opensm` writes the options of OpenSM's own manager"
        )
    slots = document["nvidia"].get("adapter", {}).get("ppcc", [])
    _check(algorithm_files, [_algorithm(slot) for slot in slots])
    blocks: list[list[str]] = []
    left_out: list[LeftOut] = []
    if profile.enable:
        for number, slot in enumerate(slots):
            block, missing = _block(f"nvidia.adapter.ppcc.{number}", slot, len(blocks) + 1, algorithm_files)
            blocks += [block] if block else []
            left_out += missing
        left_out += _other_values(document)
    left_out += _overrides(profile, fabric)
    return PolicyFile(_text(profile, blocks), tuple(left_out))


def _text(profile: Profile, blocks: list[list[str]]) -> str:
    head = f"# Profile {profile.name} for NVIDIA's OpenSM"
    if not profile.enable:
        lines = [f"{head}, in which congestion control is off. In opensm.conf:", "#   mlnx_congestion_control 1"]
    elif not blocks:
        lines = [
            f"{head}: a policy file is not known to take any of its values.",
            "# With mlnx_congestion_control 2 in opensm.conf, devices would get values of OpenSM's.",
        ]
    else:
        lines = [
            f"{head}. In opensm.conf:",
            "#   mlnx_congestion_control 2",
            "#   congestion_control_policy_file PATH_OF_THIS_FILE",
            "#   ppcc_algo_dir FOLDER_OF_THE_ALGORITHM_FILES",
            "ca_algo_import_start",
            *(line for block in blocks for line in block),
            "ca_algo_import_end",
        ]
    return "".join(f"{line}\n" for line in lines)


def _block(path: str, slot: Mapping[str, Any], number: int, files: Mapping[str, str]) -> tuple[list[str], list[LeftOut]]:
    """The lines of one algorithm, perhaps none, and what they do not say."""
    algorithm = _algorithm(slot)
    if algorithm not in files:
        reason = f"the file of algorithm {algorithm} is not known; give it by --algorithm-file {algorithm}=FILE"
        return [], [LeftOut((path,), reason)]
    left_out = [LeftOut((f"{path}.sls",), _NO_KEYWORD)]
    parameters = slot.get("parameters", {})
    named = {name: value for name, value in parameters.items() if not name.isdigit()}
    if unnamed := [f"{path}.parameters.{index}" for index in parameters if index.isdigit()]:
        left_out.append(LeftOut(tuple(unnamed), "a policy file gives parameters by name"))
    lines = ["    algo_start", f"        algo_id: {number}", f"        algo_file_name: {files[algorithm]}"]
    if named:
        lines.append("        parameters: " + ",".join(f"({name},{value})" for name, value in named.items()))
    return [*lines, "    algo_end"], left_out


def _other_values(document: Mapping[str, Any]) -> Iterator[LeftOut]:
    nvidia = {part: dict(values) for part, values in document["nvidia"].items()}
    nvidia.get("adapter", {}).pop("ppcc", None)
    if keys := tuple(_leaves("nvidia", nvidia)):
        yield LeftOut(keys, _NO_KEYWORD)
    rest = {key: value for key, value in document.items() if key != "nvidia" and key not in _NOT_VALUES}
    if keys := tuple(key for section, values in rest.items() for key in _leaves(section, values)):
        yield LeftOut(keys, _ANNEX_A10)


def _overrides(profile: Profile, fabric: ccsim.Fabric | None) -> Iterator[LeftOut]:
    overrides = profile.to_dict().get("overrides", [])
    for number, override in enumerate(overrides):
        counted = "" if fabric is None else f", and {_devices(profile, override, fabric)} of this fabric would get them"
        yield LeftOut((f"overrides.{number}",), _PORT_GROUPS + counted)


def _devices(profile: Profile, override: object, fabric: ccsim.Fabric) -> str:
    """The number of devices that hold other values for an override, in words."""
    plain = profile.with_settings({"overrides": None}).resolve(fabric)
    changed = profile.with_settings({"overrides": [override]}).resolve(fabric)
    pairs = [*zip(plain.switches, changed.switches, strict=True), *zip(plain.cas, changed.cas, strict=True)]
    count = sum(before != after for before, after in pairs)
    return f"{count} device{'' if count == 1 else 's'}"


def _leaves(path: str, value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        for number, inner in enumerate(value):
            yield from _leaves(f"{path}.{number}", inner)
    else:
        yield path


def _algorithm(slot: Mapping[str, Any]) -> str:
    if "algorithm" in slot:
        return str(slot["algorithm"])
    return f"{slot['algo_id']}.{slot['major']}.{slot['minor']}"


def _check(files: Mapping[str, str], algorithms: list[str]) -> None:
    for algorithm, file in files.items():
        if algorithm not in algorithms:
            known = f"its algorithms are {', '.join(algorithms)}" if algorithms else "it has no algorithms"
            raise BadInputError(f"the profile has no algorithm '{algorithm}'; {known}")
        if not file or not file.isprintable() or set(file) & set(" /#"):
            raise BadInputError(
                f"'{file}' is no name of an algorithm file; give one of OpenSM's folder ppcc_algo_dir, without a path"
            )
