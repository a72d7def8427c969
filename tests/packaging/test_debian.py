# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The Debian packages of the OpenSM plugin and for hosts: what is in them, and on what they depend."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ibcc_agent.join import joined

from tuner.opensm.preload import client_path

pytestmark = pytest.mark.thorough

TOOLS = ("dpkg-buildpackage", "dh", "cmake", "pkg-config")


HOST_PROGRAMS = ("ibcc_agent.py", "ibcc_host_setup", "ibcc_host_test", "libibcc_meter.so", "slurm_prolog")


def output(*words: object) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def require(condition: bool, reason: str) -> None:
    if not condition and os.environ.get("CI"):
        pytest.fail(reason)
    if not condition:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def packages(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of them."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    require(
        not missing, f"{', '.join(missing)} not installed: `make deb` needs Debian's debhelper, dpkg-dev, cmake and pkg-config"
    )
    for header, brings in (("opensm/osm_config.h", "libopensm-dev"), ("verbs.h", "libibverbs-dev")):
        path = Path("/usr/include/infiniband", header)
        require(path.exists(), f"no {path}: Debian's {brings} has it")
    folder = tmp_path_factory.mktemp("debian")
    quickly = os.environ | {"DEB_BUILD_OPTIONS": "noopt noautodbgsym"}  # no test looks at optimised code or at symbols
    subprocess.run([root / "build_tools/debian_package.sh", folder], check=True, env=quickly)
    return folder


@pytest.fixture(scope="module")
def package(packages: Path) -> Path:
    """The plugin's."""
    (package,) = packages.glob("ibcc-opensm-plugin_*.deb")
    return package


@pytest.fixture(scope="module")
def host_package(packages: Path) -> Path:
    (package,) = packages.glob("ibcc-host_*.deb")
    return package


def extracted(package: Path) -> Path:
    folder = package.with_suffix(".unpacked")
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    return folder


@pytest.fixture(scope="module")
def unpacked(package: Path) -> Path:
    return extracted(package)


@pytest.fixture(scope="module")
def host_unpacked(host_package: Path) -> Path:
    return extracted(host_package)


def test_it_depends_on_exactly_the_opensm_that_it_was_built_for(package: Path) -> None:
    built_for = output("dpkg-query", "--show", "--showformat=${source:Version}", "libopensm-dev")
    relations = re.findall(r"(?:^|, )opensm \((>=|<<) ([^)]+)\)", output("dpkg-deb", "--field", package, "Depends"))

    def fits(version: str) -> bool:
        words = {">=": "ge", "<<": "lt"}
        return all(
            subprocess.run(["dpkg", "--compare-versions", version, words[relation], bound], check=False).returncode == 0
            for relation, bound in relations
        )

    assert len(relations) == 2
    assert fits(built_for)
    assert fits(f"{built_for}+b1"), "a rebuild of the same source"
    assert not fits(f"{built_for}+deb13u1"), "a change of Debian's, which may move what is in OpenSM's structures"
    upstream, _, revision = built_for.rpartition("-")
    newer = int(revision.partition(".")[0]) + 1  # without that of somebody else's upload, such as 3.1
    assert not fits(f"{upstream}-{newer}"), "another source, which may be built with other options"
    assert not fits(f"{upstream}.1-1")
    assert not fits(f"{upstream}~rc1-1")


def test_it_depends_on_the_libraries_that_it_is_linked_with(package: Path) -> None:
    depends = output("dpkg-deb", "--field", package, "Depends")
    for library in ("libopensm", "libibumad", "libjansson", "libc6"):
        assert library in depends
    assert "libyaml" not in depends


def test_the_plugin_is_where_opensm_finds_it_and_exports_one_symbol(unpacked: Path) -> None:
    machine = output("dpkg-architecture", "--query", "DEB_HOST_MULTIARCH").strip()
    library = unpacked / "usr/lib" / machine / "libibcc.so"
    assert output("nm", "--dynamic", "--defined-only", "--format=just-symbols", library).split() == ["osm_event_plugin"]


def test_documents_and_examples_come_along(unpacked: Path, root: Path) -> None:
    folder = unpacked / "usr/share/doc/ibcc-opensm-plugin"
    assert (folder / "examples/plugin.conf").read_text() == (root / "configs/opensm/plugin.conf").read_text()
    assert (folder / "examples/gran-2010.yaml").exists()
    assert {path.name.split(".")[0] for path in folder.iterdir()} >= {"plugin", "profiles", "copyright", "changelog"}


def test_nothing_else_is_in_it(unpacked: Path) -> None:
    files = {path.relative_to(unpacked).parts[:3] for path in unpacked.rglob("*") if path.is_file()}
    assert files == {
        ("usr", "lib", output("dpkg-architecture", "--query", "DEB_HOST_MULTIARCH").strip()),
        ("usr", "share", "doc"),
        ("usr", "share", "lintian"),
        ("usr", "share", "man"),
    }
    pages = sorted(path.name for path in (unpacked / "usr/share/man").rglob("*") if path.is_file())
    assert pages == ["ibcc-opensm-plugin.8.gz", "ibcc-profile.5.gz"]


def test_opensm_loads_what_is_in_it(unpacked: Path) -> None:
    """The library is of the same version as this machine's OpenSM, as the package asks for."""
    opensm = shutil.which("opensm", path=client_path())
    require(opensm is not None, "no opensm: Debian's package opensm has it")
    (library,) = unpacked.glob("usr/lib/*/libibcc.so")
    said = output(opensm, "--version")
    (version,) = re.findall(r"OpenSM \d[\w.]*", said)
    assert version.encode() + b"\0" in library.read_bytes()


def test_hosts_need_only_the_c_library_python_and_useradd(host_package: Path) -> None:
    depends = output("dpkg-deb", "--field", host_package, "Depends").strip()
    assert sorted(re.sub(r" \(.*?\)", "", one) for one in depends.split(", ")) == ["libc6", "passwd", "python3:any"]
    assert output("dpkg-deb", "--field", host_package, "Recommends").strip() == "perftest"


def test_hosts_get_the_agent_the_meter_their_test_and_an_example_and_nothing_else(host_unpacked: Path, root: Path) -> None:
    files = {path.relative_to(host_unpacked) for path in host_unpacked.rglob("*") if path.is_file()}
    documents = {path for path in files if path.is_relative_to("usr/share/doc/ibcc-host")}
    assert files - documents == {
        *(Path("usr/lib/ibcc", name) for name in HOST_PROGRAMS),
        Path("etc/ibcc/agent.json"),
        *(path for path in files if path.name == "ibcc-host-test.service" and path.parts[-3:-1] == ("systemd", "system")),
    }
    assert len(files - documents) == len(HOST_PROGRAMS) + 2
    assert {path.name.removesuffix(".gz") for path in documents} == {
        "main.yml",
        "agent.json",
        "changelog",
        "copyright",
        "hosts.md",
        "hostping.md",
        "meter.md",
    }
    example = host_unpacked / "usr/share/doc/ibcc-host/examples/agent.json"
    assert example.read_text() == (root / "configs/hosts/agent.json").read_text()
    agent = (host_unpacked / "usr/lib/ibcc/ibcc_agent.py").read_text()
    assert agent.partition("\n")[0] == "#!/usr/bin/python3"
    assert (host_unpacked / "usr/lib/ibcc/ibcc_host_test").read_text().startswith("#!/usr/bin/python3\n")
    assert agent.partition("\n")[2] == joined().partition("\n")[2]


def test_the_agent_of_the_package_answers_and_loads_its_meter(host_unpacked: Path, tmp_path: Path) -> None:
    """As an administrator does after installing, but that everything lies below another root."""
    require(Path("/usr/bin/ib_write_bw").exists(), "no ib_write_bw: Debian's perftest has it")
    config = json.loads((host_unpacked / "usr/share/doc/ibcc-host/examples/agent.json").read_text())
    meter = host_unpacked / config["meter"].removeprefix("/")
    (tmp_path / "agent.json").write_text(json.dumps({**config, "meter": str(meter)}))
    ended = subprocess.run(
        [host_unpacked / "usr/lib/ibcc/ibcc_agent.py", "--config", tmp_path / "agent.json"],
        input='{"op":"check"}\n',
        check=True,
        capture_output=True,
        text=True,
    )
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [event["event"] for event in events] == ["hello", "check", "done"]
    assert events[1]["meter"] == {"path": str(meter), "works": True, "error": None}


ON_TOP = """
set -eu
mkdir upper work host
mount -t overlay overlay -o lowerdir=/,upperdir=$PWD/upper,workdir=$PWD/work host
mount -t proc proc host/proc
mount --rbind /dev host/dev
cp "$1" host/host.deb
chroot host /bin/sh -eu <<'EOF'
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
say() { echo "== $*"; }
as_user() { setpriv --reuid ibcc --regid ibcc --clear-groups "$@"; }
folders='/etc/ssh/authorized_keys.d /run/ibcc-agent /usr/lib/ibcc /var/lib/ibcc-host'
own='/etc/security/limits.d/ibcc.conf /etc/tmpfiles.d/ibcc-agent.conf /etc/ssh/sshd_config.d/ibcc.conf'
dpkg --force-depends --install /host.deb
say user; getent passwd ibcc
say files; ls /etc/ibcc/agent.json $own
say folders; stat --format '%n %U %a' /etc/ssh/authorized_keys.d /run/ibcc-agent
say writable; as_user find /etc/ibcc /usr/lib/ibcc /etc/ssh -writable 2>/dev/null || true
say agent; echo '{"op":"check"}' | as_user /usr/bin/python3 -IS /usr/lib/ibcc/ibcc_agent.py
dpkg --remove ibcc-host
say left; ls -d /etc/ibcc/agent.json $own $folders 2>/dev/null || true
say user-left; getent passwd ibcc || true
dpkg --purge ibcc-host
say purged; ls -d /etc/ibcc 2>/dev/null || true
EOF
"""
"""Installs, uses, removes and purges the package on top of this machine's files, in a namespace that ends with it."""


def test_installing_it_makes_a_host_ready_and_removing_it_takes_that_back(host_package: Path, tmp_path: Path) -> None:
    words = ["unshare", "--mount", "--propagation", "private"]
    can = subprocess.run([*words, "mount", "-t", "tmpfs", "none", tmp_path], check=False, capture_output=True).returncode == 0
    require(can, "mounts need root")
    done = subprocess.run(
        [*words, "bash", "-c", ON_TOP, "bash", host_package], check=False, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    told = {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in done.stdout.split("== ")[1:]}
    assert re.fullmatch(r"ibcc:x:\d+:\d+::/:/bin/sh", told["user"])
    assert len(told["files"].splitlines()) == 4
    assert told["folders"].splitlines() == ["/etc/ssh/authorized_keys.d root 755", "/run/ibcc-agent ibcc 700"]
    assert told["writable"] == ""
    events = [json.loads(line) for line in told["agent"].splitlines() if line.startswith("{")]
    check = next(event for event in events if event["event"] == "check")
    assert check["run_folder"] == {"error": None}
    assert (check["setup"]["has_config"], check["setup"]["writable"]) == (True, [])
    assert told["left"].partition("\n")[0] == "/etc/ibcc/agent.json"
    assert told["left"].count("\n") == 0
    assert "ibcc:x" not in told["user-left"]
    assert told["purged"] == ""


@pytest.mark.parametrize("name", ["ibcc-opensm-plugin", "ibcc-host"])
def test_lintian_has_nothing_against_it(packages: Path, name: str) -> None:
    require(shutil.which("lintian") is not None, "lintian is not installed")
    # It is not in Debian's archive, closes none of its bugs, and who publishes it puts their own address.
    suppressed = (
        "initial-upload-closes-no-bugs,bad-distribution-in-changes-file,bogus-mail-host,bogus-mail-host-in-debian-changelog"
    )
    (package,) = packages.glob(f"{name}_*.deb")
    found = subprocess.run(
        ["lintian", "--fail-on", "error,warning", "--suppress-tags", suppressed, package],
        check=False,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stdout
