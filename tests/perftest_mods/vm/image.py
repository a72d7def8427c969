# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kernel and initial file system of the virtual machine, made once and kept in build/vm.

The kernel is Debian's own, downloaded and unpacked, never installed: what runs the tests need not have soft RoCE itself. Its root
is the host's, read-only, so all programs that are there are the host's; the initial file system only gets so far.
"""

import fcntl
import lzma
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

INIT = Path(__file__).with_name("init.sh")
# Loaded in this order, each after what it depends on.
MODULES = ("virtio_pci", "virtio_net", "9p", "9pnet_virtio", "overlay", "crc32_generic", "rdma_rxe", "rdma_ucm", "ib_umad")
XZ = b"\xfd7zXZ\0"


class NoImageError(Exception):
    """There can be no virtual machine here. Its message says what is missing."""


@dataclass(frozen=True)
class Image:
    kernel: Path
    initrd: Path


def build(folder: Path) -> Image:
    """Returns the image that `folder` keeps, and makes it first if there is none. Raises NoImageError if a program is missing or
    the kernel cannot be downloaded."""
    missing = [program for program in ("apt-get", "dpkg-deb", "cpio", "modprobe", "depmod", "busybox") if not _which(program)]
    if missing:
        raise NoImageError(
            f"{', '.join(missing)} not installed: Debian's packages cpio, kmod and busybox-static have what is missing"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder / "lock"):
        kernel = folder / "vmlinux"
        tree = folder / "kernel"
        if not kernel.exists():
            shutil.rmtree(tree, ignore_errors=True)
            _unpack(_download(folder), tree)
            (image,) = tree.glob("boot/vmlinuz-*")
            partial = kernel.with_suffix(".partial")
            partial.write_bytes(_decompressed(image.read_bytes()))
            partial.rename(kernel)
        initrd = folder / "initrd"
        if not initrd.exists() or initrd.stat().st_mtime < max(INIT.stat().st_mtime, Path(__file__).stat().st_mtime):
            _make_initrd(tree, initrd)
        return Image(kernel, initrd)


def _which(program: str) -> str | None:
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Processes that test at the same time make one image between them."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _output(*words: str, cwd: Path | None = None) -> str:
    try:
        return subprocess.run(words, check=True, capture_output=True, text=True, cwd=cwd).stdout
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()
        raise NoImageError(f"`{' '.join(words)}` failed: {said[-1] if said else error.returncode}") from None


def _download(folder: Path) -> Path:
    """The newest generic kernel of this Debian. The cloud kernels have no soft RoCE."""
    depends = _output("apt-cache", "depends", "--no-recommends", "--no-suggests", "linux-image-amd64")
    found = re.search(r"Depends: (linux-image-\S+)", depends)
    if found is None:
        raise NoImageError("apt knows no package linux-image-amd64, whose kernel the virtual machine runs")
    _output("apt-get", "--quiet", "download", found[1], cwd=folder)
    return next(folder.glob(f"{found[1]}_*.deb"))


def _unpack(package: Path, tree: Path) -> None:
    tree.mkdir()
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as archive:
        subprocess.run(
            ["tar", "--extract", "--directory", tree, "--wildcards", "./boot/vmlinuz-*", "./*lib/modules/*"],
            check=True,
            stdin=archive.stdout,
        )
    package.unlink()
    if not (tree / "lib").exists():  # Debian 13 has them in /usr/lib; its tools look there too
        (tree / "lib").symlink_to("usr/lib")
    (modules,) = tree.glob("lib/modules/*")
    _output(_which("depmod") or "depmod", "-b", str(tree), modules.name)


def _decompressed(image: bytes) -> bytes:
    """The ELF kernel inside of a bzImage: QEMU starts it as it is, and no emulated processor has to run xz. What is packed
    otherwise is left as it is: Debian 13 takes zstd, which is little work for an emulated processor."""
    at = image.find(XZ)
    while at >= 0:
        try:
            kernel = lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(image[at:])
        except lzma.LZMAError:
            kernel = b""
        if kernel.startswith(b"\x7fELF"):
            return kernel
        at = image.find(XZ, at + 1)
    return image


def _make_initrd(tree: Path, initrd: Path) -> None:
    root = initrd.with_name("root")
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "proc", "sys", "dev", "modules"):
        (root / name).mkdir(parents=True)
    shutil.copy(_which("busybox") or "busybox", root / "bin/busybox")
    shutil.copy(INIT, root / "init")
    (root / "init").chmod(0o755)
    order: list[str] = []
    (version,) = (path.name for path in tree.glob("lib/modules/*"))
    for module in MODULES:
        needed = _output(_which("modprobe") or "modprobe", "-d", str(tree), "-S", version, "--show-depends", module)
        for path in re.findall(r"^insmod (\S+)", needed, re.MULTILINE):
            file = Path(path)
            name = file.name.removesuffix(".xz")
            if name not in order:
                order.append(name)
                # Decompressed here, as the kernel: Debian 13's are compressed.
                packed = file.read_bytes()
                (root / "modules" / name).write_bytes(lzma.decompress(packed) if file.suffix == ".xz" else packed)
    (root / "modules/order").write_text("\n".join(order) + "\n")
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*"))) + "\n"
    partial = initrd.with_suffix(".partial")
    with partial.open("wb") as archive:
        subprocess.run(
            ["cpio", "--create", "--format=newc", "--quiet", "--owner=0:0"],
            check=True,
            cwd=root,
            input=names.encode(),
            stdout=archive,
        )
    partial.rename(initrd)
