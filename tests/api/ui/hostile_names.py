# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics whose nodes have names that somebody chose to do harm, and what a browser must not find on a page that shows them."""

import json
from typing import Any

from tests.api.ui.visitor import Visitor, eventually

NAMES = [
    '<img src=x onerror="alert(1)">',
    "<script>alert(2)</script>",
    "</script></style><style>*{display:none}</style>",
    '" onmouseover="alert(3)" x="',
    "javascript:alert(4)",
    "leaf\u202egnp.exe",
    "\u2066iso\u2069\u200blate",
    "esc\x1b[2J\x1b]0;x\x07",
    "line\r\nBcc: everybody@example.org\r\n\r\n.\r\nQUIT",
    "tab\there",
    '=HYPERLINK("http://evil.example","x")',
    "${7*7} {{7*7}} %s%n $(reboot) `id`",
    "'; DROP TABLE fabrics; --",
    "../../../etc/passwd",
    "__proto__",
    "a,b;c|d\\e",
    "ß漢字💥e\u0301",
    "Z\u0351\u036b\u0353\u036a\u0302\u036b\u033d\u034f" * 3,
    'x"} 1\n# HELP evil',
    "W" * 64,
    "twin",
    "twin",
]
"""Names of at most 64 bytes each, so that devices can have them."""

ENDLESS = "x" * 65536

SEEN = r"""(unwanted) => {
  const found = [];
  const bad = new RegExp(unwanted, "u");
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.currentNode; node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.parentElement.closest(".cm-editor") && bad.test(node.data)) found.push(`text ${JSON.stringify(node.data)}`);
      continue;
    }
    for (const { name, value } of node.attributes) {
      if (name.startsWith("on")) found.push(`handler ${name}`);
      if (bad.test(value)) found.push(`${name}=${JSON.stringify(value)}`);
      if ((name === "href" || name === "src") && /^\s*(javascript|data|http:\/\/evil)/i.test(value)) found.push(value);
    }
    if (node.matches("img[src=x], iframe, object, script:not([src])")) found.push(node.outerHTML);
  }
  return found;
}"""
UNWANTED = r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"

WIDER = """() => {
  const edge = document.documentElement.clientWidth + 1;
  const holds = (element) => {
    for (let one = element.parentElement; one; one = one.parentElement) {
      if (getComputedStyle(one).overflowX !== "visible" && one !== document.body && one !== document.documentElement) return true;
    }
    return false;
  };
  return [...document.body.querySelectorAll("*")]
    .filter((one) => one.getBoundingClientRect().right > edge && !one.closest("svg") && !holds(one)
      && getComputedStyle(one).position !== "fixed")
    .map((one) => one.outerHTML.slice(0, 200));
}"""


def document(names: list[str]) -> str:
    """A fabric document, as JSON: two switches with the first two names, and the others are hosts of one or the other."""
    first, second, *hosts = names
    guids = [f"guid:0x{number:x}" for number in range(0x10, 0x10 + len(names))]
    links = [{"a": f"{guids[0]}/1", "b": f"{guids[1]}/1", "rate": "4xEDR"}]
    links += [{"a": f"{guids[n % 2]}/{n}", "b": f"{guid}/1", "rate": "4xEDR"} for n, guid in enumerate(guids[2:], start=2)]
    values: dict[str, Any] = {
        "ibcc_fabric": 1,
        "name": "hostile",
        "mtu_bytes": 2048,
        "switches": [{"name": name, "guid": 0x10 + n, "ports": 40} for n, name in enumerate((first, second))],
        "hosts": [{"name": name, "guid": 0x12 + n} for n, name in enumerate(hosts)],
        "links": links,
    }
    return json.dumps(values, ensure_ascii=False)  # YAML has no pairs of escapes


def expect_harmless(visitor: Visitor) -> None:
    """Nothing of the names is markup, control characters are visible escapes, and nothing is wider than the page."""
    eventually(lambda: visitor.page.evaluate(SEEN, UNWANTED), [])
    visitor.expect_no_overflow()
    eventually(lambda: visitor.page.evaluate(WIDER), [])
