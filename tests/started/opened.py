# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What tests open while they run: files of the repository that they read, folders of it that they list, programs that they start.

`make test` chooses the tests that a change can break by this, beside imports (build_tools/lanes). Each process appends lines to a
file of its own in build/lanes/opened as it goes, so that nothing is lost when it is killed:

    OPENER  KIND  NAME      separated by tabs; KIND is "file", "folder" or "program"

The opener is the test file that runs. A helper of the tests or a part of the product that opens something for it is an opener
too, as it may keep what it read for the tests that follow; a module that opens something while it is imported is the only one.

conftest.py loads this plugin, which does so where IBCC_OPENED_FOLDER names the folder. A Python that a test starts does so by
sitecustomize.py, beside this file, unless somebody took the variable TESTS_OPENED out of its environment: a test that starts one
without it is an opener of the program "python".

Imports that the process of the tests makes are not lines, as build_tools/lanes reads them in the sources: here each module is
imported once, by whichever test is the first. Those that a function makes are lines of its file.
"""

from __future__ import annotations  # the host agent is tested on older Pythons

import os
import sys
from types import FrameType
from typing import Any

FOLDER_VARIABLE = "IBCC_OPENED_FOLDER"
"""Environment variable of who runs pytest: the folder of these files."""
VARIABLE = "TESTS_OPENED"
"""Environment variable for what tests start: the folder of these files, a colon, and the test file that runs."""

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_INSIDE = ROOT + os.sep
_HERE = os.path.dirname(os.path.realpath(__file__))
_PASSED_OVER = tuple(
    _INSIDE + name
    for name in (".git/", ".venv/", "build/", ".mypy_cache/", ".pytest_cache/", ".hypothesis/", "api/ui/node_modules/")
)
_BUILT = (_INSIDE + "build/plugin/", _INSIDE + "build/meter/")
_IMPORTING = "<frozen importlib._bootstrap_external>"
_WRITING = os.O_WRONLY | os.O_RDWR


class Recorder:
    """Writes each line once. `test` is the test file that runs, relative to the root."""

    def __init__(self, folder: str, test: str | None, *, tests_process: bool) -> None:
        self.test = test
        self._folder = folder
        self._is_tests_process = tests_process
        self._seen: set[tuple[str, str, str]] = set()
        self._file: int | None = None
        self._pid = 0

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An audit hook of Python (PEP 578). It raises nothing: what it does not understand it passes over."""
        if event == "open":
            path, mode, flags = arguments
            if isinstance(mode, str) and mode[:1] in "wax":
                return
            if mode is None and isinstance(flags, int) and flags & _WRITING:
                return
            self._on_path("file", path)
        elif event in ("os.listdir", "os.scandir"):
            self._on_path("folder", "." if arguments[0] is None else arguments[0])
        elif event == "import":
            if arguments[1] is not None:  # the file of what is not written in Python
                self._on_path("file", arguments[1])
        elif event == "ctypes.dlopen":
            if arguments[0]:
                self._on_path("file", arguments[0])
        elif event == "subprocess.Popen":
            executable, words, _, environment = arguments
            self._on_program(executable, words, environment)
        elif event in ("os.exec", "os.posix_spawn"):
            self._on_program(*arguments)

    def _on_path(self, kind: str, path: object) -> None:
        name = _inside(path)
        if name is None:
            return
        opener, importing = _openers(sys._getframe(1))
        if kind == "file" and os.path.isdir(os.path.join(ROOT, name)):  # to delete what is in it
            return
        if kind == "folder" and (importing or name.endswith("__pycache__")):  # it looks for a module there
            return
        if not self._is_tests_process:
            self.write(self.test, kind, name)
            return
        if importing:
            # By a statement at the top of a module: build_tools/lanes reads it there.
            if opener and not opener.startswith("<module>"):
                self.write(opener, kind, name)
            return
        if opener and opener.startswith("<module>"):
            self.write(opener.removeprefix("<module>"), kind, name)
            return
        self.write(self.test, kind, name)
        if opener and opener != self.test and (opener.startswith("tests/") or not name.startswith("tests/")):
            self.write(opener, kind, name)

    def _on_program(self, executable: object, words: object, environment: object) -> None:
        texts = [_text(word) for word in words] if isinstance(words, (list, tuple)) else [_text(words)]
        program = _text(executable) or (texts[0] if texts else "")
        name = os.path.basename(program)
        own = os.path.dirname(program) == os.path.dirname(sys.executable)
        if own and not _says_what_it_opens(texts, environment):
            name = "python"
        self.write(self.test, "program", name)
        for text in texts:
            for part in (text, text.partition("=")[2], text[2:]):  # as in --option=PATH and -IPATH
                if os.sep in part and os.path.exists(part):
                    self._on_path("tree" if os.path.isdir(part) else "file", part)

    def write(self, opener: str | None, kind: str, name: str) -> None:
        if opener is None or (opener, kind, name) in self._seen:
            return
        if self._pid != os.getpid():  # the first line, or the first after a fork
            self._pid = os.getpid()
            path = os.path.join(self._folder, f"{self._pid}-{os.urandom(4).hex()}.tsv")
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._seen.add((opener, kind, name))
        assert self._file is not None
        os.write(self._file, f"{opener}\t{kind}\t{name}\n".encode("utf-8", "surrogateescape"))


def _says_what_it_opens(words: list[str], environment: Any) -> bool:
    """Whether a Python imports sitecustomize.py. One without any site-packages (-S) has nothing of ours but what it is given."""
    flags = "".join(word[1:] for word in words[1:3] if word[:1] == "-" and word[1:2] not in "-cm")
    if "S" in flags:
        return True
    if "I" in flags or "E" in flags:
        return False
    if environment is None:
        return True
    named = {_text(key): _text(value) for key, value in dict(environment).items()}
    return VARIABLE in named and _HERE in named.get("PYTHONPATH", "").split(os.pathsep)


def _text(value: object) -> str:
    try:
        return os.fsdecode(value)  # type: ignore[arg-type]
    except TypeError:
        return ""


def _inside(path: object) -> str | None:
    """The path relative to the root, of a source where it is compiled; None for what is not in the repository."""
    text = _text(path)
    if not text:
        return None
    if not text.startswith("/"):
        text = os.path.join(os.getcwd(), text)
        if not os.path.lexists(text):  # it may be relative to another folder, that a descriptor is open of
            return None
    if text == ROOT:
        return "."
    if not text.startswith(_INSIDE):
        return None
    text = os.path.normpath(text)
    if text.startswith(_PASSED_OVER) and not text.startswith(_BUILT):
        return None
    folder, name = os.path.split(text)
    if os.path.basename(folder) == "__pycache__":
        text = os.path.join(os.path.dirname(folder), name.partition(".")[0] + ".py")
    return text[len(_INSIDE) :] or "."


def _openers(frame: FrameType | None) -> tuple[str | None, bool]:
    """The file of ours that asks for something, after "<module>" where one of the callers is the top of a module, and whether the
    import system asks for it."""
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    importing = frame is not None and frame.f_code.co_filename == _IMPORTING
    nearest = None
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_INSIDE) and not code.co_filename.startswith(_PASSED_OVER):
            if code.co_name == "<module>":
                return f"<module>{code.co_filename[len(_INSIDE) :]}", importing
            if nearest is None:
                nearest = code.co_filename[len(_INSIDE) :]
        frame = frame.f_back
    return nearest, importing


class Plugin:
    """Tells the recorder which test file runs."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.abspath(folder)
        os.makedirs(self._folder, exist_ok=True)
        self._recorder = Recorder(self._folder, None, tests_process=True)
        sys.addaudithook(self._recorder.hook)

    def pytest_collection_finish(self, session: Any) -> None:
        """Fixtures stand for what no process of Python opens: a library that OpenSM loads, a virtual machine's files."""
        for item in session.items:
            for name in getattr(item, "fixturenames", ()):
                self._recorder.write(_inside(item.path), "fixture", name)

    def pytest_runtest_protocol(self, item: Any) -> None:
        test = _inside(item.path)
        if test is not None and test != self._recorder.test:
            self._recorder.test = test
            self._recorder.write(test, "file", test)  # so that it is known to have run
            os.environ[VARIABLE] = f"{self._folder}:{test}"


def pytest_configure(config: Any) -> None:
    """The process that hands out tests to others runs none, and a pytest that a test starts is that test's."""
    folder = os.environ.get(FOLDER_VARIABLE)
    hands_out = config.pluginmanager.hasplugin("dsession")
    if folder and not hands_out and VARIABLE not in os.environ:
        config.pluginmanager.register(Plugin(folder), "opened-by-tests")


def record_this_process() -> None:
    """In a program that a test has started."""
    folder, _, test = os.environ[VARIABLE].rpartition(":")
    sys.addaudithook(Recorder(folder, test, tests_process=False).hook)
