# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from ccsim.policy import Profile
from tests.tuner.backends.conformance import BackendConformance
from tests.tuner.backends.standing import SITE, Standing
from tuner.backends.emulated import EmulatedBackend
from tuner.backends.registry import create_backend
from tuner.campaign.fabric_facts import FabricFacts
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.emulator.client import ControlClient
from tuner.errors import ApplyFailedError, BadInputError, UnreachableError
from tuner.measuring.backend import Backend
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions

SHORT = load_workload("scenario-1").scaled(0.05)
TRIED = load_profile("gran-2010").with_settings({"ca.ccti_timer": 60, "switch.marking_rate": 2})

pytestmark = pytest.mark.usefixtures("infiniband_programs", "library")


class TestEmulated(BackendConformance):
    """Each with fabrics of its own."""

    name = "emulated"

    def create(self) -> Backend:
        return EmulatedBackend(BackendOptions())

    def workload(self) -> Workload:
        return SHORT


class TestAttached(BackendConformance):
    """All on one fabric that runs already."""

    name = "emulated"

    @pytest.fixture(autouse=True)
    def _on(self, standing: Standing) -> None:
        self.standing = standing
        with standing.client() as client:  # a base under which the victim suffers, as the suite wants it
            client.subscribe(["applied"])
            job = client.apply(load_profile("off").to_yaml()).job
            assert job is not None
            assert client.wait(job)["state"] == "done"

    def create(self) -> Backend:
        return EmulatedBackend(BackendOptions(settings=self.standing.settings()))

    def workload(self) -> Workload:
        return SHORT


def attached(standing: Standing, **more: object) -> EmulatedBackend:
    return EmulatedBackend(BackendOptions(settings=standing.settings(), owner="a test", **more))  # type: ignore[arg-type]


def measured(name: str, options: BackendOptions | None = None, *, seed: int = 3) -> Measurement:
    """Returns a measurement of the profile TRIED."""
    backend = create_backend(name, options)
    try:
        backend.open()
        backend.apply(TRIED)
        return backend.measure(SHORT, seed=seed)
    finally:
        backend.restore()
        backend.close()


@pytest.mark.parametrize("settings", [{}, {"model.ca.becn_carrier": "ack", "model.switch.input_buffer_bytes": 32768}])
def test_the_series_are_the_simulated_ones_to_the_last_digit(settings: dict[str, object]) -> None:
    options = BackendOptions(settings=settings)
    emulated, simulated = measured("emulated", options), measured("simulated", options)
    assert emulated.gbps.tolist() == simulated.gbps.tolist()
    assert emulated.metrics == simulated.metrics
    assert (emulated.fabric, emulated.profile) == (simulated.fabric, simulated.profile)
    assert emulated.gbps.tolist() != measured("simulated", options, seed=4).gbps.tolist()


def test_profiles_go_to_the_devices_and_the_base_comes_back(standing: Standing) -> None:
    backend = attached(standing)
    try:
        backend.open()
        assert standing.holds(SITE)
        assert backend.measure(SHORT, seed=1).profile == "site"
        for profile in (TRIED, load_profile("off"), TRIED):
            backend.apply(profile)
            assert standing.holds(profile)
        backend.restore()
        assert standing.holds(SITE)
        assert not standing.is_free()
    finally:
        backend.close()
    assert standing.is_free()
    assert standing.holds(SITE)


def test_a_device_that_does_not_take_a_profile_is_named_and_the_base_is_back(standing: Standing) -> None:
    backend = attached(standing)
    try:
        backend.open()
        with ControlClient(standing.name) as control:
            # Refused once: the base, which comes next, is taken again.
            control.add_fault(
                "status", "H3", status=0x1C, class_="CCA", attribute="CongestionControlTable", method="set", count=1
            )
        weak = TRIED.with_settings({"cct.curve.full_scale_us": 9.0})
        with pytest.raises(
            ApplyFailedError, match=r"'H3' port 1 .*CongestionControlTable.*base profile 'site' is in force again"
        ):
            backend.apply(weak)
        assert standing.holds(SITE)
        backend.apply(TRIED)
        assert standing.holds(TRIED)
    finally:
        backend.close()
    assert standing.holds(SITE)


def test_a_profile_that_makes_no_sense_here_is_bad_input_and_changes_nothing(standing: Standing) -> None:
    backend = attached(standing)
    try:
        backend.open()
        backend.apply(TRIED)
        contradiction = {"overrides": [{"match": {"node": "H1"}, "ca": {"ccti_min": 128}}]}
        with pytest.raises(BadInputError, match="profile 'gran-2010'.*ccti_min"):
            backend.apply(Profile.from_dict(TRIED.to_dict() | contradiction))
        assert standing.holds(TRIED)
    finally:
        backend.close()


def test_who_ends_the_experiment_ends_the_measurement(standing: Standing) -> None:
    backend = attached(standing)
    try:
        backend.open()
        backend.apply(TRIED)
        with standing.client() as administrator:
            administrator.rollback(administrator.status()["experiment"]["revision"])
        with pytest.raises(ApplyFailedError, match="no longer in force: IBCC0714: there is no trial run"):
            backend.measure(SHORT, seed=1)
        backend.restore()  # has nothing to undo, and undoes nothing
    finally:
        backend.close()
    standing.await_restored()
    assert standing.holds(SITE)


def test_a_fabric_that_is_not_there_is_unreachable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with pytest.raises(UnreachableError, match=r"no emulated fabric at .*nowhere\.sock"):
        EmulatedBackend(BackendOptions(settings={"backend.socket": "nowhere"})).open()


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        ("opensm", r"the program opensm is not installed; Debian's package opensm has it"),
        ("plugin", r"IBCC_PLUGIN is '/nowhere/libibcc\.so', and there is no such file"),
    ],
)
def test_what_is_missing_is_said(missing: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing == "opensm":
        monkeypatch.setattr("tuner.backends.emulated_host.client_path", lambda: "/nowhere")
    else:
        monkeypatch.setenv("IBCC_PLUGIN", "/nowhere/libibcc.so")
    with pytest.raises(UnreachableError, match=sentence):
        EmulatedBackend(BackendOptions()).open()


def test_a_fabric_or_a_parameter_that_is_wrong_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no-such-fabric"):
        EmulatedBackend(BackendOptions(fabric="no-such-fabric")).open()
    broken = tmp_path / "broken.yaml"
    broken.write_text(catalogue.find("fabric", "two-switch").read_text().replace("ports: 36", "ports: 3"))
    with pytest.raises(BadInputError, match=r"broken\.yaml"):
        EmulatedBackend(BackendOptions(fabric=str(broken))).open()
    with pytest.raises(BadInputError, match=r"model\.switch\.nonsense"):
        EmulatedBackend(BackendOptions(fabric="two-switch", settings={"model.switch.nonsense": 1})).open()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            BackendOptions(settings={"backend.sockets": "x"}),
            r"unknown setting 'backend\.sockets'; did you mean 'backend\.socket'",
        ),
        (BackendOptions(settings={"backend.ttl_s": 0}), r"backend\.ttl_s is 0; it must be from 1 to 86400"),
        (BackendOptions(settings={"backend.plugin": "/x"}), r"backend\.plugin is '/x'.*backend\.socket"),
        (
            BackendOptions(settings={"backend.socket": "a", "model.switch.read_ports": 2}),
            r"model\.switch\.read_ports cannot be set of the emulated fabric 'a'",
        ),
        (BackendOptions(later=[(1.0, TRIED)]), "changes no profile in the middle of a run"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: BackendOptions, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        EmulatedBackend(options)


def test_a_standing_fabric_tells_its_present_profile_and_what_its_devices_can_hold(standing: Standing) -> None:
    backend = attached(standing)
    backend.open()
    try:
        assert backend.present() == SITE
        devices = {device.name: device for device in backend.devices()}
        assert isinstance(backend, FabricFacts)
    finally:
        backend.close()
    assert (devices["S1"].kind, devices["S1"].cct_entries) == ("switch", None)
    assert (devices["H1"].kind, devices["H1"].port, devices["H1"].cct_entries) == ("ca", 1, 255 * 64)
    assert standing.is_free()
