# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Settings of the service. A flag takes precedence over an `IBCC_…` variable, that over the file, and that over the default.

The file is /etc/ibcc/ibcc.toml, or the one that IBCC_CONFIG names; an unknown key in it is refused.
"""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from api.base.validation_words import complaint
from api.configuration import notification_addresses as addresses
from api.configuration.notification_addresses import MOST_ADDRESSES, Address, AddressName
from tuner.errors import BadInputError

CONFIG_VARIABLE = "IBCC_CONFIG"
DEFAULT_CONFIG = Path("/etc/ibcc/ibcc.toml")

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _state_folder() -> Path:
    """Returns the folder that systemd gives a service (StateDirectory=), or else `ibcc` in the user's XDG_STATE_HOME."""
    if folder := os.environ.get("STATE_DIRECTORY"):
        return Path(folder.partition(":")[0])
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "ibcc"


class Settings(BaseSettings):
    """All settings, with their defaults. Times in seconds, sizes in bytes."""

    model_config = SettingsConfigDict(env_prefix="IBCC_", extra="forbid", env_ignore_empty=True, validate_default=True)

    host: str = Field(
        "127.0.0.1", description="Address to listen on. Anything beyond loopback should have TLS, here or in a proxy."
    )
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8480, description="Port to listen on; 0 takes any free one.")
    state_folder: Path = Field(
        default_factory=_state_folder, description="Folder of the database, of campaigns and of the files of emulated fabrics."
    )
    database_url: str = Field(
        "", description="`postgresql://USER@HOST/DATABASE`, or `sqlite:////PATH`; by default ibcc.db in the state folder."
    )
    tls_certificate: Path | None = Field(None, description="PEM file of the certificate, with its chain: serve HTTPS.")
    tls_key: Path | None = Field(None, description="PEM file of the certificate's key.")
    trusted_proxies: list[str] = Field(
        default_factory=list, description="Addresses of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed."
    )
    allowed_hosts: list[str] = Field(
        default_factory=list,
        description="Names that requests may give as Host; by default loopback's and `host`, or any when `host` is a wildcard.",
    )
    body_limit_bytes: Annotated[int, Field(ge=1024)] = Field(8 * 2**20, description="Largest body of a request.")

    connections: Annotated[int, Field(ge=1)] = Field(1000, description="Most connections at once.")
    connections_of_address: Annotated[int, Field(ge=1)] = Field(
        300, description="Most connections of one address, or of one /64 of IPv6; those of trusted_proxies are not counted."
    )
    streams_of_person: Annotated[int, Field(ge=1)] = Field(100, description="Most event streams of one person at once.")
    request_head_s: Annotated[float, Field(gt=0)] = Field(
        10.0, description="Seconds within which the request line and the headers of a request must have arrived."
    )
    transfer_s: Annotated[float, Field(gt=0)] = Field(
        30.0,
        description="Seconds after which a connection ends whose body comes at less than 1 KiB/s, or whose answer nobody reads.",
    )

    import_limit_bytes: Annotated[int, Field(ge=1024)] = Field(
        64 * 2**20, description="Largest file of a fabric's import, as it is sent, perhaps packed by gzip."
    )
    import_unpacked_limit_bytes: Annotated[int, Field(ge=1024)] = Field(
        512 * 2**20, description="Most bytes that such a file may have when it is unpacked."
    )
    import_memory_bytes: Annotated[int, Field(ge=64 * 2**20)] = Field(
        2 * 2**30, description="Most memory of the process that reads an import."
    )
    import_time_s: Annotated[float, Field(ge=1, le=86400)] = Field(
        600.0, description="Seconds after which the process that reads an import is ended."
    )
    import_kept_s: Annotated[int, Field(ge=60)] = Field(
        86400, description="Seconds after which an import that nobody has kept as a fabric is deleted."
    )
    twin_memory_bytes: Annotated[int, Field(ge=512 * 2**20)] = Field(
        4 * 2**30, description="Most memory of the process that makes a twin."
    )
    twin_time_s: Annotated[float, Field(ge=10, le=86400)] = Field(
        3600.0, description="Seconds after which the process that makes a twin is ended."
    )

    session_idle_s: Annotated[int, Field(ge=60)] = Field(
        8 * 3600, description="Seconds without use after which a browser session ends."
    )
    session_lifetime_s: Annotated[int, Field(ge=60)] = Field(
        7 * 86400, description="Seconds after which a browser session ends anyway."
    )
    token_lifetime_s: Annotated[int, Field(ge=60)] = Field(366 * 86400, description="Longest lifetime of a token.")
    login_failures: Annotated[int, Field(ge=1)] = Field(
        10, description="Failed logins of one name from one address within login_window_s after which further ones are refused."
    )
    login_window_s: Annotated[int, Field(ge=1)] = Field(900, description="See login_failures.")

    second_person: bool = Field(False, description="A promotion to production needs the approval of a second operator.")

    experiment_limit_s: Annotated[int, Field(ge=0, le=86400)] = Field(
        4 * 3600,
        description="Total seconds of trial runs on a fabric in any 24 hours, where a second person is required, as nobody "
        "approves trial runs.",
    )

    inventory_programs: bool = Field(
        False,
        description="Inventories may say which programs run on this machine, as the service's user: the launcher `local`, and "
        "`program` and `options` of the others. Who may write inventories, an admin, can then run anything here.",
    )

    host_watch_s: Annotated[int, Field(ge=0, le=7 * 86400)] = Field(
        0,
        description="Seconds after which the ports to the hosts of a fabric's inventory are watched again, for 10 s, and hosts "
        "whose counters ask for it are tested by loop-back; 0: only when somebody asks. 300 or more is right.",
    )

    workers: Annotated[int, Field(ge=0, le=64)] = Field(
        2, description="Jobs that run at once inside the server; 0 leaves them to `ibcc-worker`."
    )
    lease_s: Annotated[float, Field(ge=1, le=3600)] = Field(
        30.0, description="Seconds after which a job of a worker that is not responding is given to another."
    )
    events_kept_s: Annotated[int, Field(ge=60)] = Field(7 * 86400, description="Seconds for which event streams can be resumed.")
    open_metrics: bool = Field(False, description="Answer /metrics to anybody, not only to a token or session of a viewer.")
    notify: Annotated[dict[AddressName, Address], Field(max_length=MOST_ADDRESSES)] = Field(
        default_factory=dict, description="Addresses that are notified of events, by name; in the file only: [notify.NAME]."
    )
    log_format: Literal["auto", "json", "console"] = Field(
        "auto", description="Log lines; auto: console on a terminal, else JSON."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Lowest level that is logged.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        named = os.environ.get(CONFIG_VARIABLE)
        file = Path(named) if named else DEFAULT_CONFIG
        if named and not file.is_file():
            raise BadInputError(
                f"{CONFIG_VARIABLE}={named}: there is no such file; give the path of a TOML file with ibcc's settings"
            )
        if os.environ.get("IBCC_NOTIFY"):
            raise BadInputError(
                "IBCC_NOTIFY is set; the addresses of notifiers stand in the settings file only, as [notify.NAME]"
            )
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=file)

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: str) -> str:
        if url:
            try:
                backend = make_url(url).get_backend_name()
            except ArgumentError:  # whose own sentence may hold the password
                backend = ""
            if backend not in ("sqlite", "postgresql"):
                raise ValueError("it is neither postgresql://USER@HOST/DATABASE nor sqlite:////PATH")
        return url

    @model_validator(mode="after")
    def _whole_pair(self) -> "Settings":
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("tls_certificate and tls_key belong together; give both or none")
        return self

    @property
    def database(self) -> str:
        """The database's URL, with the default filled in."""
        return self.database_url or f"sqlite:///{self.state_folder / 'ibcc.db'}"

    @property
    def hosts(self) -> list[str]:
        """Names that requests may give as Host; `*` is any. This is what keeps a page of another site that gives its own name
        loopback's address (DNS rebinding) from reading a service that listens on loopback only."""
        if self.allowed_hosts:
            return self.allowed_hosts
        if self.host in ("0.0.0.0", "::", ""):
            return ["*"]
        return sorted({*LOOPBACK, self.host})


def load_settings(**flags: Any) -> Settings:
    """The settings in force; a flag that is None was not given. Raises BadInputError, one sentence, without secrets."""
    try:
        settings = Settings(**{key: value for key, value in flags.items() if value is not None})
    except ValidationError as error:
        raise BadInputError("; ".join(_sentence(problem) for problem in error.errors())) from None
    except ValueError as error:  # a file that is not TOML, a list that is not JSON
        raise BadInputError(f"the settings cannot be read: {error}") from error
    _require_moved(settings.state_folder)
    return settings


def _require_moved(folder: Path) -> None:
    """Refuses to begin anew beside the data of a service that ran with the units of version 0.1 for systemd, whose folder was the
    one above. Raises BadInputError."""
    if "STATE_DIRECTORY" not in os.environ or folder.name != "service":
        return
    for name in ("ibcc.db", "campaigns"):
        former = folder.parent / name
        if os.path.exists(former) and not os.path.exists(folder / name):
            raise BadInputError(
                f"{former} is from before the units for systemd gave the service the folder {folder}, which has no {name}; "
                "move it there with all else of the service, as docs/operate/service.md says under Upgrade"
            )


def _sentence(problem: Any) -> str:
    if problem["loc"][:1] == ("notify",) and len(problem["loc"]) > 1:
        return addresses.sentence(problem)
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"there is no setting '{name}'; there are {', '.join(sorted(Settings.model_fields))}"
    # A URL may hold a password: never shown.
    given = "" if name in ("", "database_url") else f" = {problem['input']!r}"
    return f"setting {name}{given}: {complaint(problem)}" if name else complaint(problem)
