# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What our files in C and C++ include, and which header of C++'s library each name of `std` comes from.

The library's headers include each other, and in no two releases alike: GCC 14's <string> lacks names that GCC 12's brought along.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

HEADERS = {
    "algorithm": """adjacent_find all_of any_of binary_search clamp copy copy_n count count_if equal fill fill_n find find_if
        for_each is_sorted lower_bound max max_element min min_element minmax none_of pop_heap push_heap ranges reverse rotate
        search sort stable_sort unique upper_bound""",
    "array": "array",
    "atomic": "atomic",
    "bit": "bit_ceil bit_floor bit_width countr_zero popcount",
    "bitset": "bitset",
    "cctype": "isdigit",
    "charconv": "from_chars",
    "chrono": "chrono chrono_literals",
    "clocale": "setlocale",
    "cmath": "abs ceil exp2 fabs floor isfinite isnan ldexp llround log log2 nan pow round sqrt",
    "condition_variable": "condition_variable",
    "csignal": "signal",
    "cstddef": "ptrdiff_t size_t",
    "cstdint": "int16_t int32_t int64_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstdio": "fprintf fputs printf size_t snprintf",
    "cstdlib": "abort abs aligned_alloc atof atoi calloc free getenv malloc realloc size_t strtoul system",
    "cstring": "memchr memcmp memcpy memset size_t strchr strcmp strcpy strlen strncmp strncpy strstr",
    "ctime": "clock clock_t size_t",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr make_exception_ptr rethrow_exception",
    "filesystem": "filesystem",
    "fstream": "ifstream ios ofstream",
    "functional": "cref function greater identity ref",
    "future": "async future future_status launch promise",
    "initializer_list": "initializer_list",
    "ios": "fixed ios left right",
    "iomanip": "setw",
    "iostream": "cout fixed flush ios ostream ws",
    "istream": "ws",
    "iterator": "begin end istreambuf_iterator next size",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "allocator const_pointer_cast make_shared make_unique make_unique_for_overwrite shared_ptr unique_ptr",
    "mutex": "lock_guard mutex unique_lock",
    "new": "bad_alloc",
    "numeric": "accumulate iota",
    "optional": "nullopt optional",
    "ostream": "flush ostream",
    "queue": "priority_queue",
    "random": "minstd_rand mt19937 mt19937_64 random_device uniform_real_distribution",
    "regex": "regex regex_search smatch",
    "set": "set",
    "span": "span",
    "sstream": "istringstream ostringstream",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error",
    "string": "getline stod stoll stoul stoull string string_literals to_string",
    "string_view": "string_view",
    "system_error": "errc error_code generic_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "get tie tuple",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "declval exchange get make_pair move pair swap",
    "variant": "get get_if holds_alternative variant",
    "vector": "vector",
}
"""Header: the names that it has. One that several have may come from any of them."""

_RANGES = (
    "array",
    "deque",
    "list",
    "map",
    "regex",
    "set",
    "span",
    "string",
    "string_view",
    "unordered_map",
    "unordered_set",
    "vector",
)
for _header in _RANGES:
    HEADERS[_header] += " begin end size initializer_list erase_if"
HEADERS["array"] += " get to_array"

BRINGS = {
    name: {header for header, names in HEADERS.items() if name in names.split()}
    for text in HEADERS.values()
    for name in text.split()
}
"""Name: the headers that have it."""

FOLDERS = ("ccpolicy", "simulator", "opensm_plugin", "perftest_mods/meter", "benchmarks", "tests")
KINDS = (".c", ".h", ".cc", ".cpp", ".hpp")
"""Where files in C and C++ are, and the ends of their names."""

_COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
_INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
_NAME = re.compile(r"\bstd::(\w+)")


class Sources:
    """Our files, by their paths below the repository's root. The paths are texts: pathlib would take most of the time."""

    def __init__(self, root: Path) -> None:
        self._texts = {
            file.relative_to(root).as_posix(): file.read_text()
            for folder in FOLDERS
            for kind in KINDS
            for file in (root / folder).rglob(f"*{kind}")
        }
        self._included = {
            file: [self._resolved(file, name) for name in _INCLUDE.findall(text)] for file, text in self._texts.items()
        }

    @property
    def others(self) -> set[str]:
        """Others' headers that any of them includes, as <name>."""
        return {one for included in self._included.values() for one in included if one.startswith("<")}

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._texts))

    def included(self, file: str) -> list[str]:
        """What a file includes itself, in its order: paths of files of ours, and others' headers as <name>."""
        return self._included[file]

    def others_headers(self, file: str) -> set[str]:
        """The names of others' headers that it includes, itself or through ours."""
        return {one[1:-1] for one in self._closure(file) if one.startswith("<")}

    def ours(self, file: str) -> set[str]:
        """Files of ours that it includes, itself or through others."""
        return {one for one in self._closure(file) - {file} if not one.startswith("<")}

    def _closure(self, file: str) -> set[str]:
        seen, left = {file}, [file]
        while left:
            for one in self._included.get(left.pop(), ()):
                if one not in seen:
                    seen.add(one)
                    left.append(one)
        return seen

    def std_names(self, file: str) -> set[str]:
        text = self._texts[file]
        return set(_NAME.findall(_COMMENT_OR_TEXT.sub(" ", text))) if "std::" in text else set()

    def _resolved(self, file: str, name: str) -> str:
        paths = (os.path.normpath(f"{folder}/{name}") for folder in (os.path.dirname(file), *search_path(file)))
        return next((path for path in paths if path in self._texts), f"<{name}>")


def search_path(file: str) -> list[str]:
    """The folders in which CMakeLists.txt has the compiler look for what a file includes, besides its own."""
    part, *rest = file.split("/")
    folders = []
    if part == "tests":
        part = rest[0] if rest[1:] else ""
        folders = ["tests", f"tests/{part}"] if part else ["tests"]
    if part == "opensm_plugin_simulation":
        part = "opensm_plugin"
        folders.append("tests/opensm_plugin")
    elif part in ("perftest_mods", "benchmarks"):
        part = "perftest_mods/meter"
        folders.append("tests/perftest_mods/meter")
    return [*folders, *([f"{part}/src"] if part else []), "ccpolicy/include"]
