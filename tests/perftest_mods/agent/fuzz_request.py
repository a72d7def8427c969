# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Any bytes are a request whose every value is safe in a list of arguments, or refused by a sentence."""

import importlib

configuration, programs, requests, values = (
    importlib.import_module(f"ibcc_agent.{name}") for name in ("configuration", "programs", "requests", "values")
)

INSTRUMENT = ["ibcc_agent"]
CONFIG = dict(configuration.DEFAULTS)
NOW_NS = 1_800_000_000 * 10**9


def one_input(data: bytes) -> None:
    try:
        request = requests.parse_request(data, CONFIG, NOW_NS)
    except values.RefusedError as refused:
        sentence = str(refused)
        assert sentence.isascii()
        assert sentence.isprintable()
        return
    for process in request.get("processes", ()):
        argv = programs.command_line(process, CONFIG)
        assert argv[0] in CONFIG["programs"].values()
        options = argv[3:] if process["peer"] is None else argv[3:-1]
        assert all(option in ("-d", "-i", "-x", "-p", "-s", "-q", "-S", "-m", "-t") for option in options[::2])
        assert not any(word.startswith("-") for word in (*options[1::2], argv[-1] if process["peer"] else ""))
        assert all(word.isprintable() and word.isascii() for word in argv)
        assert all(value.isprintable() and value.isascii() for value in programs.environment(process, CONFIG, 3).values())
        assert CONFIG["ports"][0] <= process["tcp_port"] <= CONFIG["ports"][1]
