# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Each error and refusal of the plugin and of its commands has an id, and docs/operate/plugin-messages.md explains each id."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/operate/plugin-messages.md"
PLUGIN = sorted((ROOT / "opensm_plugin/src").rglob("*.c"))
COMMANDS = [
    *(ROOT / f"tuner/cli/{name}.py" for name in ("fabric_downgrade", "fabric_handover", "fabric_live", "plugin_connection")),
    *(ROOT / f"tuner/cli/{name}.py" for name in ("profile_adopt", "profile_import", "profile_live")),
    *(
        ROOT / f"tuner/opensm/{name}.py"
        for name in ("adopted_profile", "base_file", "downgrade", "key_file", "manager_options", "plugin_client")
    ),
]
_ERROR = re.compile(r"\b(ApplyFailed|BadInput|NeedsPerson|Rpc|Unreachable)Error\b")
_ID = re.compile(r"\bIBCC\d{4}\b")


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_the_page_explains_each_id_and_no_other() -> None:
    told = Counter(re.findall(r"^\| (IBCC\d{4}) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    used = {
        one for path in [*PLUGIN, *COMMANDS, ROOT / "tuner/cli/fabric_held.py"] for one in _ID.findall(path.read_text("utf-8"))
    }
    assert sorted(set(told) ^ used) == []
    assert [one for one, times in told.items() if times > 1] == []


def test_each_row_says_what_to_do() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| IBCC")]
    assert [row[0] for row in rows if len(row) != 3 or not row[1].strip() or not row[2].strip(" |")] == []


def test_no_error_of_the_log_is_without_an_id() -> None:
    wrong = []
    for path in PLUGIN:
        for call in re.findall(r"IBCC_LOG_ERROR,\s*(\S.{0,40})", without_comments(path.read_text("utf-8"))):
            if not re.match(r'"IBCC\d{4}: ', call):
                wrong.append(f"{path.name}: {call}")
    assert wrong == []


def test_no_refusal_is_without_an_id() -> None:
    wrong = []
    for path in PLUGIN:
        text = without_comments(path.read_text("utf-8"))
        for call in re.findall(r"(?:ibcc_rpc_fail|turn_away)\(\s*[&\w]+,\s*[\w.\[\]]+,\s*(\S.{0,40})", text):
            if not re.match(r'"IBCC\d{4}: |"%s: |"%s", sentence|const char|refusal\)', call):
                wrong.append(f"{path.name}: {call}")
    assert wrong == []


def sentences(path: Path) -> Iterator[ast.expr]:
    """What errors that the file makes say. A sentence that is handed on has its id from where it was made."""
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(call, ast.Call) and call.args and _ERROR.search(ast.unparse(call.func)):
            sentence = call.args[1 if ast.unparse(call.func) == "RpcError" else 0]
            if isinstance(sentence, ast.JoinedStr | ast.Constant):
                yield sentence


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.name)
def test_no_error_of_a_command_is_without_an_id(path: Path) -> None:
    said = list(sentences(path))
    assert said or path.name in ("plugin_connection.py", "fabric_downgrade.py", "profile_adopt.py", "manager_options.py")
    assert [ast.unparse(one) for one in said if not re.match(r"f?['\"]IBCC\d{4}: ", ast.unparse(one))] == []
