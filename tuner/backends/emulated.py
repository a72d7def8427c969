# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The emulated backend: the simulated devices behind a real OpenSM with the real plugin, so that each profile goes the whole
way of control: the plugin's socket, MADs of class 0x21, the devices' tables."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from ccsim.policy import Profile
from tuner.backends.emulated_host import EmulatedHost, require_programs
from tuner.backends.registry import BACKENDS
from tuner.document_base.model import DocumentModel, Within
from tuner.documents.profile import profile_revision
from tuner.documents.workload import Workload
from tuner.emulator.client import ControlClient
from tuner.emulator.names import control_socket
from tuner.errors import BadInputError, InterruptedRunError, UnreachableError
from tuner.measuring.backend import Capabilities
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.measuring.settings import model_settings, own_settings
from tuner.opensm.held_fabric import HeldFabric
from tuner.opensm.observed_fabric import ObservedFabric, is_tried
from tuner.opensm.plugin_client import default_socket
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError
from tuner.search.device_support import DeviceSupport, from_plugin

_STOP_POLL_S = 0.1
_STOP_S = 60.0
"""A sample interval of the largest fabrics takes seconds."""


class EmulatedSettings(DocumentModel):
    socket: str | None = None
    """Name of an emulated fabric that runs already (`ibcc emulate --socket NAME --plugin`), or the path of its control socket;
    without it, one of its own."""
    plugin: str | None = None
    """Path of the plugin's socket in that fabric; without it, $IBCC_SOCKET or where OpenSM has it by default."""
    ttl_s: Annotated[int, Within(1, 86400)] = 60
    """Seconds without a sign of life from here after which the base profile comes back."""


@dataclass(frozen=True)
class Site:
    """One emulated fabric that is up."""

    control: Path
    held: HeldFabric | ObservedFabric
    host: EmulatedHost | None
    """None: it is not ours to end."""


class EmulatedBackend:
    """Starts a fabric of its own for each that workloads name, or uses one that runs already (`backend.socket`), which then
    is the only one, and of which the plugin sees to it that one campaign alone changes it."""

    name = "emulated"

    def __init__(self, options: BackendOptions) -> None:
        self._settings = own_settings(self.name, options.settings, EmulatedSettings)
        self._model = model_settings(options.settings)
        if options.later:
            raise BadInputError(f"backend '{self.name}' changes no profile in the middle of a run; backend 'simulated' does")
        if self._settings.socket is None and self._settings.plugin is not None:
            raise BadInputError(
                f"backend.plugin is '{self._settings.plugin}', the plugin's socket in a running fabric; give that "
                "fabric's name with backend.socket"
            )
        if self._attached and self._model:
            key = next(iter(self._model))
            raise BadInputError(
                f"model.{key} cannot be set of the emulated fabric '{self._settings.socket}', which runs already; "
                "give it to `ibcc emulate`"
            )
        self._options = options
        self._sites: dict[str, Site] = {}
        self._ends = ExitStack()
        self._profile: Profile | None = None

    @property
    def sites(self) -> tuple[Site, ...]:
        """The fabrics in use by now."""
        return tuple(self._sites.values())

    @property
    def _attached(self) -> bool:
        return self._settings.socket is not None

    def open(self) -> Capabilities:
        """As Backend.open; what must be there is looked for now, and fabrics of its own start when they are first needed."""
        if self._attached:
            self._site("")
        else:
            require_programs()
            if self._options.fabric is not None:
                self._site(self._options.fabric)
        return Capabilities(name=self.name, concurrent=not self._attached, deterministic=True)

    def apply(self, profile: Profile) -> str:
        """Returns when all devices hold it."""
        self._profile = None
        for site in self._sites.values():
            _held(site).put(profile)
        self._profile = profile
        return profile_revision(profile)

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        """As Backend.measure; `should_stop` is called by another thread. Raises ApplyFailedError too: what was in force is
        not."""
        if should_stop():
            raise InterruptedRunError(f"workload '{workload.name}' was stopped before it began")
        site = self._site("" if self._attached else self._options.fabric or workload.fabric)
        site.held.check()
        document = workload.model_dump(mode="json")
        with ControlClient(path=site.control) as control, _stopping(site.control, should_stop):
            try:
                measurement = control.run_workload(
                    document,
                    seed=seed,
                    allow_credit_loops=self._options.allow_credit_loops,
                    on_sample=lambda t_s, first, gbps: on_progress(min(1.0, t_s / workload.duration_s)),
                )
            except RpcError as error:
                raise _failure(error, workload) from error
            except BaseException:  # of `on_progress`, say: the workload goes on without its client for a moment
                _stop(site.control)
                raise
        site.held.check()  # all the time, or what was measured is of no known profile
        on_progress(1.0)
        name = self._profile.name if self._profile else site.held.base
        in_force = profile_revision(self._profile or Profile.from_text(site.held.base_document))
        return replace(measurement, profile=name, in_force=in_force)

    def present(self) -> Profile | None:
        """As FabricFacts.present; of a fabric of its own None."""
        return _held(self._site("")).present() if self._attached else None

    def devices(self) -> list[DeviceSupport]:
        """As FabricFacts.devices; of a fabric of its own nothing, since its devices have room for any table."""
        return from_plugin(_held(self._site("")).devices()) if self._attached else []

    def restore(self) -> None:
        self._profile = None
        for site in self._sites.values():
            site.held.restore()

    def close(self) -> None:
        self._sites = {}
        self._ends.close()

    def _site(self, reference: str) -> Site:
        """With the profile in force; `reference`: of a fabric of one's own."""
        if reference not in self._sites:
            with ExitStack() as ends:
                site = self._attach(ends) if self._attached else self._start(reference, ends)
                ends.callback(site.held.release)
                site.held.take()
                for profile in self._options.profiles:
                    _held(site).require(profile)
                if self._profile is not None:
                    _held(site).put(self._profile)
                self._ends.push(ends.pop_all())
            self._sites[reference] = site
        return self._sites[reference]

    def _start(self, reference: str, ends: ExitStack) -> Site:
        host = EmulatedHost(reference, self._model, plugin_options="--nvidia-write")
        ends.callback(host.close)
        return Site(host.control_socket, self._hold(host.plugin_socket), host)

    def _attach(self, ends: ExitStack) -> Site:
        assert self._settings.socket is not None
        where = self._settings.socket
        path = Path(where) if "/" in where else control_socket(where)
        with ControlClient(path=path) as control:
            fabric = control.status()["fabric"]
        if self._options.fabric is not None and self._options.fabric != fabric:
            raise UnreachableError(f"the emulated fabric '{self._settings.socket}' is {fabric}, not '{self._options.fabric}'")
        plugin = default_socket(self._settings.plugin)
        as_it_is = self._options.as_it_is and is_tried(plugin)
        return Site(path, ObservedFabric(plugin) if as_it_is else self._hold(plugin), None)

    def _hold(self, plugin: Path) -> HeldFabric:
        return HeldFabric(plugin, what=self._options.owner, ttl_s=self._settings.ttl_s, on_warning=self._options.on_warning)


def _held(site: Site) -> HeldFabric:
    """Who measures a fabric as it is applies no profile to it."""
    assert isinstance(site.held, HeldFabric), "the fabric is measured as it is"
    return site.held


def _failure(error: RpcError, workload: Workload) -> Exception:
    match error.code:
        case rpc.STOPPED:
            return InterruptedRunError(error.message)
        case rpc.INVALID_PARAMS:
            return BadInputError(error.message)
        case rpc.BUSY:
            return UnreachableError(f"workload '{workload.name}' cannot run: {error.message}")
        case _:
            return error


def _stop(control: Path) -> None:
    """Returns when no workload runs, or when there is nobody to ask."""
    deadline_s = time.monotonic() + _STOP_S
    with suppress(UnreachableError, RpcError), ControlClient(path=control) as client:
        while client.status()["workload"] is not None and time.monotonic() < deadline_s:
            client.stop_workload()
            time.sleep(_STOP_POLL_S / 10)  # it ends with the interval that it is in; nobody tells when


@contextmanager
def _stopping(control: Path, should_stop: Callable[[], bool]) -> Iterator[None]:
    """Has the workload inside stopped soon after `should_stop()` is true; it may not have begun by then, so it is asked again."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_STOP_POLL_S):
            if should_stop():
                with suppress(UnreachableError, RpcError), ControlClient(path=control) as client:  # gone is stopped too
                    client.stop_workload()

    watching = threading.Thread(target=watch, name="watches for a stop", daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


BACKENDS.add(EmulatedBackend.name, EmulatedBackend)
