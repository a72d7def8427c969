# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where settings come from, and what is refused."""

from pathlib import Path

import pytest

from api.configuration.settings import Settings, load_settings
from tuner.errors import BadInputError


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"IBCC_{name.upper()}", raising=False)
    monkeypatch.setattr("api.configuration.settings.DEFAULT_CONFIG", tmp_path / "none.toml")


def test_nothing_beyond_loopback_is_listened_to_by_default() -> None:
    settings = load_settings()
    assert settings.host == "127.0.0.1"
    assert set(settings.hosts) == {"127.0.0.1", "::1", "localhost"}


def test_a_flag_goes_before_a_variable_that_before_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "ibcc.toml"
    file.write_text('port = 1001\nworkers = 7\nhost = "192.0.2.1"\n')
    monkeypatch.setenv("IBCC_CONFIG", str(file))
    monkeypatch.setenv("IBCC_PORT", "1002")
    monkeypatch.setenv("IBCC_HOST", "192.0.2.2")
    settings = load_settings(port=None, host="192.0.2.3")
    assert (settings.workers, settings.port, settings.host) == (7, 1002, "192.0.2.3")


def test_the_state_folder_is_systemds_or_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert load_settings().database == "sqlite:////somewhere/ibcc/ibcc.db"
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/ibcc")
    assert load_settings().state_folder == Path("/var/lib/ibcc")


@pytest.mark.parametrize("name", ["ibcc.db", "campaigns"])
def test_a_service_does_not_begin_anew_beside_what_it_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    """The folder of the units for systemd was the one above."""
    folder = tmp_path / "service"
    folder.mkdir()
    monkeypatch.setenv("STATE_DIRECTORY", str(folder))
    assert load_settings().state_folder == folder
    (tmp_path / name).touch()
    with pytest.raises(BadInputError, match=rf"^{tmp_path}/{name} is from before .* has no {name}; move it there"):
        load_settings()
    (tmp_path / name).rename(folder / name)
    assert load_settings().state_folder == folder


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("prot = 1", "there is no setting 'prot'; there are allowed_hosts, body_limit_bytes"),
        ("port = 70000", "setting port = 70000: must be at most 65535"),
        ('workers = "many"', "setting workers = 'many'"),
        ("port = ", "the settings cannot be read"),
        ('tls_key = "/k.pem"', "tls_certificate and tls_key belong together"),
        ('log_format = "xml"', "setting log_format = 'xml': .*'auto', 'json' or 'console'"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "ibcc.toml").write_text(text)
    monkeypatch.setenv("IBCC_CONFIG", str(tmp_path / "ibcc.toml"))
    with pytest.raises(BadInputError, match=sentence):
        load_settings()


def test_a_file_that_is_named_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IBCC_CONFIG", "/nowhere/ibcc.toml")
    with pytest.raises(BadInputError, match="/nowhere/ibcc.toml: there is no such file"):
        load_settings()


@pytest.mark.parametrize("url", ["mysql://u:hunter2@h/d", "hunter2", "postgresql//hunter2"])
def test_a_databases_password_is_not_repeated(url: str) -> None:
    with pytest.raises(BadInputError, match="neither postgresql://USER@HOST/DATABASE nor sqlite") as raised:
        load_settings(database_url=url)
    assert "hunter2" not in str(raised.value)


def test_any_name_is_a_host_when_all_addresses_are_listened_to() -> None:
    assert load_settings(host="0.0.0.0").hosts == ["*"]
    assert load_settings(host="0.0.0.0", allowed_hosts=["cc.example.org"]).hosts == ["cc.example.org"]
