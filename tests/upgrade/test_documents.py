# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents that release 0.1 wrote are read, with one warning where they have an old key; `ibcc upgrade` rewrites them."""

import difflib
import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tuner.backends.recording_log import entries
from tuner.documents.campaign import load_campaign
from tuner.documents.fabric import load_fabric
from tuner.documents.inventory import load_inventory
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import OldKeyWarning

READERS: dict[str, Callable[[Path], Any]] = {
    "campaign": load_campaign,
    "clone": load_campaign,
    "fabric": load_fabric,
    "inventory": load_inventory,
    "profile": load_profile,
    "workload": load_workload,
}
OLD_KEYS = {
    "campaign": "'variants.*.model.hca' is now 'variants.*.model.ca'",
    "clone": "'variants.*.model.hca' is now 'variants.*.model.ca'",
    "fabric": "'model.hca' is now 'model.ca'",
    "inventory": (
        "'harm' is now 'abort_if', 'abort_if.canaries' is now 'abort_if.jobs', "
        "'abort_if.jobs.*.fresh_s' is now 'abort_if.jobs.*.max_age_s'"
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_a_document_is_read_with_one_warning_if_it_has_old_keys(name: str, old: Path) -> None:
    path = old / f"{name}.yaml"
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        READERS[name](path)
    sentences = [str(one.message) for one in heard]
    if name in OLD_KEYS:
        rest = f"old keys are read until ibcc 0.3; 'ibcc upgrade {path}' rewrites the file"
        assert sentences == [f"{path}: {OLD_KEYS[name]}; {rest}"]
    else:
        assert sentences == []


def test_the_values_are_those_of_the_old_keys(old: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OldKeyWarning)
        assert load_fabric(old / "fabric.yaml").model == {"ca": {"becn_delay_ns": 600}}
        assert load_campaign(old / "campaign.yaml")[0].variants == {"acks": {"model.ca.becn_carrier": "ack"}}
        abort_if = load_inventory(old / "inventory.yaml").abort_if
    assert abort_if.counters[0].name == "port_xmit_wait"
    assert (abort_if.jobs[0].name, abort_if.jobs[0].max_age_s) == ("allreduce p99 us", 30)


@pytest.mark.long
def test_ibcc_upgrade_rewrites_them_and_no_more_than_the_keys(old: Path, ibcc: Path) -> None:
    files = sorted(old.glob("*.yaml"))
    before = {file: file.read_text() for file in files}

    def upgrade(*arguments: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([ibcc, "upgrade", *map(str, arguments)], capture_output=True, text=True, check=False)

    checked = upgrade("--check", *files)
    assert checked.returncode == 1
    assert len(checked.stderr.splitlines()) == len(OLD_KEYS)
    shown = upgrade("--diff", *files)
    assert shown.returncode == 0
    assert "+model: {ca: {becn_delay_ns: 600}}  # measured\n" in shown.stdout
    assert {file: file.read_text() for file in files} == before
    done = upgrade(*files)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"ibcc: {old}/fabric.yaml: 'model.hca' is now 'model.ca'\n" in done.stderr
    for file in files:
        changed = [line for line in difflib.ndiff(before[file].splitlines(), file.read_text().splitlines()) if line[0] in "+-"]
        assert len(changed) == {"inventory": 6}.get(file.stem, 2 if file.stem in OLD_KEYS else 0)
        if file.stem in OLD_KEYS:
            assert file.with_name(f"{file.name}~").read_text() == before[file]
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                READERS[file.stem](file)
    again = upgrade(*files)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert upgrade("--check", *files).returncode == 0


@pytest.mark.long
def test_ibcc_upgrade_changes_nothing_if_one_of_the_files_is_no_document(old: Path, ibcc: Path) -> None:
    before = (old / "fabric.yaml").read_text()
    other = old / "other.yaml"
    for text, sentence in (
        ("services: {}\n", "is no document of ibcc; a document has one of the keys ibcc_campaign,"),
        ("a: [", "not valid YAML"),
    ):
        other.write_text(text)
        done = subprocess.run([ibcc, "upgrade", old / "fabric.yaml", other], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert (old / "fabric.yaml").read_text() == before


@pytest.mark.long
def test_a_command_shows_the_warning_once(old: Path, ibcc: Path) -> None:
    done = subprocess.run([ibcc, "fabric", "show", old / "fabric.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    path = old / "fabric.yaml"
    rest = f"old keys are read until ibcc 0.3; 'ibcc upgrade {path}' rewrites the file"
    assert done.stderr == f"ibcc: {path}: 'model.hca' is now 'model.ca'; {rest}\n"
    shutil.copy(path, old / "both.yaml")
    (old / "both.yaml").write_text(path.read_text().replace("{hca:", "{ca: {}, hca:"))
    done = subprocess.run([ibcc, "fabric", "show", old / "both.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{old}/both.yaml:" in done.stderr
    assert "'hca' is the old name of 'ca', and both are given; delete 'hca'" in done.stderr


def test_a_recording_is_found_under_the_new_names(old: Path) -> None:
    found = entries(old / "recording.jsonl", on_warning=pytest.fail)
    models = [entry.conditions["model"] for one in found.values() for entry in one]
    assert models
    assert all(model == {"ca.cnp_spacing_ns": 10000} for model in models)
