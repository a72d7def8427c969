# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc backup` while a campaign runs, and `ibcc restore`: nothing is missing, and what is no backup changes nothing."""

import gzip
import hashlib
import io
import json
import shutil
import sqlite3
import stat
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.access.principal import machine_user
from api.backups.archive import MANIFEST
from api.backups.restoring import restore_backup
from api.base import logs
from api.configuration.settings import Settings
from api.jobs import campaign_watch
from tests.api.campaign_service import act, created, seen
from tests.api.fabric_service import run_jobs, with_default_fabric
from tests.api.service import Service
from tests.postgresql import Server
from tuner.cli.main import run


@pytest.fixture
def command(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs `ibcc` with these words in this process; returns what it prints, on one line."""
    monkeypatch.setenv("IBCC_STATE_FOLDER", str(settings.state_folder))
    monkeypatch.setattr(logs, "configure", lambda *_: None)

    def run_command(*words: object, code: int = 0) -> str:
        capsys.readouterr()
        result = run([str(word) for word in words])
        said = " ".join("".join(capsys.readouterr()).split())
        assert result == code, said
        return said

    return run_command


@pytest.fixture
def backup(service: Service, command: Callable[..., str], tmp_path: Path) -> Path:
    """Returns a backup of a service that has three people."""
    for role in ("viewer", "operator", "admin"):
        service.as_role(role)
    command("backup", tmp_path / "a.backup")
    return tmp_path / "a.backup"


def paused_after(trials: int, service: Service, monkeypatch: pytest.MonkeyPatch) -> tuple[TestClient, dict[str, Any]]:
    """An operator, and a campaign of six trials that was paused."""
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator)
    job = act(operator, campaign, "start").json()["job"]
    original = campaign_watch.CampaignWatch.trial

    def trial(self: Any, record: Any, progress: Any) -> None:
        original(self, record, progress)
        if progress.finished == trials:
            assert act(operator, campaign, "pause").status_code == 202

    with monkeypatch.context() as pausing:
        pausing.setattr(campaign_watch, "_LOOK_S", 0)
        pausing.setattr(campaign_watch.CampaignWatch, "trial", trial)
        run_jobs(service, operator, job)
    assert (seen(operator, campaign)["state"], seen(operator, campaign)["trials_done"]) == ("paused", trials)
    return operator, campaign


def moved(settings: Settings, folder: Path) -> Settings:
    return settings.model_copy(update={"state_folder": folder})


@pytest.mark.thorough
def test_a_campaign_continues_from_a_backup_that_was_made_while_it_ran(
    service: Service, settings: Settings, command: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 4})
    job = act(operator, campaign, "start").json()["job"]
    (settings.state_folder / "id_ed25519").write_text("a key of the launcher ssh")
    (settings.state_folder / "id_ed25519").chmod(0o600)
    original = campaign_watch.CampaignWatch.trial

    def trial(self: Any, record: Any, progress: Any) -> None:
        original(self, record, progress)
        if progress.finished == 2:
            said = command("backup", tmp_path / "a.backup")
            assert "stores of campaigns: 1," in said

    monkeypatch.setattr(campaign_watch.CampaignWatch, "trial", trial)
    assert run_jobs(service, operator, job)["state"] == "done"
    finished = seen(operator, campaign, "/trials")["items"]
    monkeypatch.undo()
    there = tmp_path / "there"
    assert stat.S_IMODE((tmp_path / "a.backup").stat().st_mode) == 0o600
    assert run(["restore", str(tmp_path / "a.backup"), "--state-folder", str(there)]) == 0
    assert (there / "id_ed25519").read_text() == "a key of the launcher ssh"
    assert stat.S_IMODE((there / "id_ed25519").stat().st_mode) == 0o600
    assert not (there / ".restoring").exists()
    other = Service(moved(settings, there))
    try:
        operator = other.as_role("operator")
        before = seen(operator, campaign, "/trials")["items"]
        assert [one["number"] for one in before] == [0, 1]
        assert run_jobs(other, operator, job)["state"] == "done", "it was running, and continues by itself"
        after = seen(operator, campaign, "/trials")["items"]
        assert [one["params"] for one in after] == [one["params"] for one in finished]
        actions = [one["action"] for one in operator.get("/api/v1/audit?action=backup").json()["items"]]
        assert actions == ["backup.restore"], "the entry of the backup itself came after its copy"
    finally:
        other.close()
    actions = [one["action"] for one in service.as_role("operator").get("/api/v1/audit?action=backup").json()["items"]]
    assert actions == ["backup.create"]


@pytest.mark.thorough
@pytest.mark.long
def test_a_campaign_without_its_store_is_not_resumed_without_a_word(
    service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator, campaign = paused_after(3, service, monkeypatch)
    folder = settings.state_folder / "campaigns" / campaign["id"]
    kept = folder.rename(folder.with_name("kept"))
    refused = act(operator, campaign, "resume")
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/store-behind")
    assert (refused.json()["kept"], refused.json()["trials"]) == (0, 3)
    assert "has 0 of its 3 trials" in refused.json()["detail"]
    assert act(operator, campaign, "extend", {"trials": 9}).json()["type"] == "/problems/store-behind"
    assert [one["number"] for one in seen(operator, campaign, "/trials")["items"]] == [0, 1, 2]
    shutil.copytree(kept, folder)
    assert act(operator, campaign, "resume").status_code == 202, "as soon as the store is there again"
    act(operator, campaign, "pause")
    shutil.rmtree(folder)
    resumed = act(operator, campaign, "resume", {"measure_again": True})
    assert run_jobs(service, operator, resumed.json()["job"])["state"] == "done"
    assert [one["number"] for one in seen(operator, campaign, "/trials")["items"]] == list(range(6))


@pytest.mark.long
def test_a_campaign_that_continues_by_itself_stops_where_its_store_is_behind(
    service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restore of the database alone."""
    operator, campaign = paused_after(2, service, monkeypatch)
    again = act(operator, campaign, "resume").json()["job"]
    shutil.rmtree(settings.state_folder / "campaigns" / campaign["id"])
    ended = run_jobs(service, operator, again)
    assert (ended["state"], ended["exit_code"]) == ("failed", 5)
    assert "has 0 of its 2 trials" in ended["problem"]
    assert [one["number"] for one in seen(operator, campaign, "/trials")["items"]] == [0, 1]


def test_settings_and_the_files_that_they_name_are_in_it(
    service: Service, command: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, secret = tmp_path / "ibcc.toml", tmp_path / "ops.secret"
    secret.write_text("whsec_AAAA")
    config.write_text(
        f'second_person = true\n[notify.ops]\nkind = "webhook"\nurl = "https://ops.example.org/x"\nsecret_file = "{secret}"\n'
    )
    monkeypatch.setenv("IBCC_CONFIG", str(config))
    monkeypatch.setenv("IBCC_TOKEN", "ibcc_secret")
    command("backup", tmp_path / "a.backup")
    said = command("restore", tmp_path / "a.backup", "--state-folder", tmp_path / "there")
    folder = tmp_path / "there" / "settings-of-backup"
    assert f"{folder}/0-ibcc.toml was {config}" in said
    assert f"{folder}/1-ops.secret was {secret}" in said
    assert (folder / "0-ibcc.toml").read_text() == config.read_text()
    assert (folder / "1-ops.secret").read_text() == "whsec_AAAA"
    variables = (folder / "variables").read_text()
    assert "IBCC_STATE_FOLDER=" in variables
    assert "ibcc_secret" not in variables
    assert stat.S_IMODE((folder / "1-ops.secret").stat().st_mode) == 0o600
    # A backup of what was restored has the settings of then, not those of before.
    monkeypatch.setenv("IBCC_STATE_FOLDER", str(tmp_path / "there"))
    command("backup", tmp_path / "b.backup")
    command("restore", tmp_path / "b.backup", "--state-folder", tmp_path / "again")


def test_a_folder_that_is_not_empty_is_left_alone_unless_told(
    backup: Path, service: Service, settings: Settings, command: Callable[..., str]
) -> None:
    service.close()
    assert "is not empty (ibcc.db)" in command("restore", backup, code=2)
    people = command("user", "list", "--output", "csv")
    command("user", "link", "viewer")
    with closing(sqlite3.connect(settings.state_folder / "ibcc.db")) as connection, connection:
        connection.execute("DELETE FROM tokens")
    said = command("restore", backup, "--replace")
    assert "what was there before is in" in said
    assert command("user", "list", "--output", "csv") == people
    with closing(sqlite3.connect(settings.state_folder / "ibcc.db")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM tokens").fetchone() == (3,)
    (former,) = settings.state_folder.glob("before-restore-*")
    assert (former / "ibcc.db").is_file()
    command("backup", backup.with_name("b.backup"))
    with tarfile.open(backup.with_name("b.backup")) as tar:
        assert not [name for name in tar.getnames() if "before-restore" in name], "it has what is, not what was"


def test_a_damaged_database_is_a_sentence_and_a_backup_replaces_it(
    backup: Path, service: Service, settings: Settings, command: Callable[..., str]
) -> None:
    service.close()
    file = settings.state_folder / "ibcc.db"
    file.write_bytes(b"x" * 4096)
    sentence = "the database is damaged (file is not a database); restore a backup: `ibcc restore FILE --replace`"
    assert sentence in command("serve", "--port", "0", code=2)
    assert sentence in command("user", "list", code=2)
    assert sentence in command("backup", backup.with_name("b.backup"), code=2)
    command("restore", backup, "--replace")
    assert "admin" in command("user", "list")


def test_a_service_that_runs_keeps_its_database(backup: Path, service: Service, command: Callable[..., str]) -> None:
    with service.database.reading() as session:
        session.connection().exec_driver_sql("SELECT 1 FROM users")
        assert "is in use; stop the service" in command("restore", backup, "--replace", code=2)


def test_a_service_does_not_start_on_half_a_restore(
    backup: Path, settings: Settings, command: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"

    def crash(*arguments: object) -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as crashing:
        crashing.setattr("api.backups.restoring._place", crash)
        with pytest.raises(RuntimeError, match="power cut"):
            restore_backup(settings.model_copy(update={"state_folder": there}), backup, machine_user(), replace=False)
    assert "has not ended; repeat" in command("serve", "--port", "0", "--state-folder", there, code=2)
    command("restore", backup, "--state-folder", there, "--replace")
    assert "admin" in command("user", "list", "--database-url", f"sqlite:///{there}/ibcc.db")


def repacked(backup: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """The backup with other members."""
    with tarfile.open(backup) as tar:
        members = {one.name: tar.extractfile(one).read() for one in tar}  # type: ignore[union-attr]
    change(members)
    target = backup.with_name("other.backup")
    with tarfile.open(target, "w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return target


def with_manifest(all_members: dict[str, bytes], **changes: Any) -> None:
    all_members[MANIFEST] = json.dumps(json.loads(all_members[MANIFEST]) | changes).encode()


def without_manifest(members: dict[str, bytes]) -> None:
    members["x"] = members.pop(MANIFEST)


def of_another_schema(members: dict[str, bytes]) -> None:
    """As a newer version of ibcc would make it."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(members["database/ibcc.db"])
        file.flush()
        with closing(sqlite3.connect(file.name)) as connection, connection:
            connection.execute("UPDATE ibcc_schema SET version_num = '9999'")
        content = Path(file.name).read_bytes()
    known = json.loads(members[MANIFEST])["members"]
    known["database/ibcc.db"] |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    members["database/ibcc.db"] = content
    with_manifest(members, members=known)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (without_manifest, "does not begin with ibcc-backup.json; give a file of `ibcc backup`"),
        (lambda members: with_manifest(members, ibcc_backup=2), "in format 2, and this version of ibcc reads format 1"),
        (lambda members: with_manifest(members, made_at=None), "the manifest is damaged"),
        (lambda members: with_manifest(members, database="postgresql"), "is a backup of a service with postgresql"),
        (
            lambda members: with_manifest(members, members={"../x": {"bytes": 1, "sha256": "", "mode": 0}}),
            "outside of its folder",
        ),
        (lambda members: members.update({MANIFEST: b"[]"}), "the manifest is damaged"),
        (lambda members: members.pop("database/ibcc.db"), "lacks 'database/ibcc.db'"),
        (lambda members: members.update({"database/ibcc.db": b"x"}), "'database/ibcc.db' has another SHA-256"),
        (lambda members: members.update({"y": b"x"}), "has 'y', of which its manifest says nothing"),
        (of_another_schema, "of schema 9999, which this version of ibcc does not know"),
    ],
)
def test_a_backup_that_is_damaged_is_a_sentence_and_changes_nothing(
    backup: Path, command: Callable[..., str], tmp_path: Path, change: Callable[[dict[str, bytes]], object], sentence: str
) -> None:
    other = repacked(backup, change)
    there = tmp_path / "there"
    assert sentence in command("restore", other, "--state-folder", there, code=2)
    assert not there.exists() or list(there.iterdir()) == []


def test_what_is_no_backup_is_a_sentence(backup: Path, command: Callable[..., str], tmp_path: Path) -> None:
    there = tmp_path / "there"
    whole = backup.read_bytes()
    for name, content in {
        "cut": whole[: len(whole) // 2],
        "empty": b"",
        "text": b"ibcc",
        "packed": gzip.compress(b"ibcc"),
        "turned": whole[:2000] + bytes(one ^ 255 for one in whole[2000:2100]) + whole[2100:],
    }.items():
        (tmp_path / name).write_bytes(content)
        said = command("restore", tmp_path / name, "--state-folder", there, code=2)
        assert "ibcc: " in said
        assert "bug" not in said, name
        assert list(there.iterdir()) == [] if there.exists() else True
    assert "No such file" in command("restore", tmp_path / "none", "--state-folder", there, code=2)


def test_what_a_backup_refuses(backup: Path, command: Callable[..., str], tmp_path: Path) -> None:
    assert "already exists" in command("backup", backup, code=2)
    assert "there is no folder" in command("backup", tmp_path / "none" / "x", code=2)
    assert "there is no database" in command("backup", tmp_path / "x", "--state-folder", tmp_path / "none", code=2)
    assert {one.name for one in tmp_path.iterdir()} == {"a.backup", "state"}, "nothing is left"


@pytest.mark.thorough
def test_a_backup_of_postgresql(postgresql: Server, settings: Settings, command: Callable[..., str], tmp_path: Path) -> None:
    url = postgresql.address("backup_of")
    service = Service(settings.model_copy(update={"database_url": url}))
    service.as_role("admin")
    service.close()
    assert "postgresql database" in command("backup", tmp_path / "a.backup", "--database-url", url)
    empty = postgresql.address("restored_to")
    there = tmp_path / "there"
    assert "is a backup of a service with postgresql" in command(
        "restore", tmp_path / "a.backup", "--state-folder", there, code=2
    )
    command("restore", tmp_path / "a.backup", "--database-url", empty, "--state-folder", there)
    assert "admin" in command("user", "list", "--database-url", empty)
    said = command("restore", tmp_path / "a.backup", "--database-url", empty, "--state-folder", tmp_path / "other", code=2)
    assert "the database is not empty" in said
    command("restore", tmp_path / "a.backup", "--database-url", empty, "--state-folder", there, "--replace")
    assert "admin" in command("user", "list", "--database-url", empty)
