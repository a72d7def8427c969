# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""This module checks requests: it has the operations, and the values that each of them takes."""

from ibcc_agent.configuration import set_in
from ibcc_agent.limits import limits, require_limits
from ibcc_agent.values import (
    NAME,
    REQUIRED,
    RefusedError,
    fields,
    integer,
    number,
    one_of,
    parse_json,
    peer,
    port,
    schedule,
    shown,
    text,
    true_or_false,
)

REQUEST_S = 30.0
MAX_NUMA_NODES = 1024
MAX_GPUS = 64
# Each key's check, its value where it is left out, and perftest's option for it (`perftest --help`; the same in all versions).
PROCESS = {
    "id": (text(r"[A-Za-z0-9._:-]{1,64}", "a name of 1 to 64 letters, digits, '.', '_', ':' and '-'"), REQUIRED, None),
    "program": (text(NAME, "a program's name"), REQUIRED, None),
    "side": (one_of("server", "client"), REQUIRED, None),
    "device": (text(NAME, "a device's name"), REQUIRED, "-d"),
    "ib_port": (integer(1, 254), 1, "-i"),
    "gid_index": (integer(0, 255), None, "-x"),
    "tcp_port": (port, REQUIRED, "-p"),
    "peer": (peer, None, None),
    "message_bytes": (integer(1, 1 << 31), REQUIRED, "-s"),
    "qps": (integer(1, 16384), 1, "-q"),
    "sl": (integer(0, 15), 0, "-S"),
    "mtu": (one_of(256, 512, 1024, 2048, 4096), None, "-m"),
    "tx_depth": (integer(1, 32768), None, "-t"),
    "numa_node": (integer(0, MAX_NUMA_NODES - 1), None, None),
    "use_cuda": (integer(0, MAX_GPUS - 1), None, "--use_cuda"),
    "use_rocm": (integer(0, MAX_GPUS - 1), None, "--use_rocm"),
    "start_ns": (integer(0, (1 << 63) - 1), None, None),
    "schedule": (schedule, "0=max", None),
    "stop_s": (number(0.001, 86400), REQUIRED, None),
    "interval_ms": (integer(10, 60000), 100, None),
}


def parse_request(data, config, now_ns):
    """Returns the request that one line holds, all of it checked: {"op": ..., ...}. Raises RefusedError."""
    request = parse_json(data)
    if not isinstance(request, dict):
        raise RefusedError(f"the request is {shown(request)}; an object is expected")
    op = request.get("op")
    if not isinstance(op, str) or op not in OPERATIONS:
        raise RefusedError("the request's op is {}; there are {}".format(shown(op), ", ".join(sorted(OPERATIONS))))
    return OPERATIONS[op](request, config, now_ns)


def of_op(known):
    return dict(known, op=(one_of(*OPERATIONS), REQUIRED, None))


def parse_check(request, config, now_ns):
    return fields(request, of_op({}), "check")


def parse_clock(request, config, now_ns):
    return fields(request, of_op({"count": (integer(1, 10000), 20, None)}), "clock")


def parse_listen(request, config, now_ns):
    found = fields(request, of_op({"tcp_port": (port, REQUIRED, None)}), "listen")
    require_port(found["tcp_port"], config, "listen.tcp_port")
    return found


def parse_connect(request, config, now_ns):
    found = fields(request, of_op({"tcp_port": (port, REQUIRED, None), "peer": (peer, REQUIRED, None)}), "connect")
    require_port(found["tcp_port"], config, "connect.tcp_port")
    return found


def parse_topology(request, config, now_ns):
    return fields(request, of_op({}), "topology")


def parse_use(request, config, now_ns):
    return fields(request, of_op({"seconds": (number(0.05, 10), 1.0, None)}), "use")


def parse_run(request, config, now_ns):
    known = {
        "time_limit_s": (number(1, config["max_seconds"]), config["max_seconds"], None),
        "processes": (lambda v, _: v, REQUIRED, None),
        "alone": (true_or_false, False, None),
    }
    found = fields(request, of_op(known), "run")
    most = limits(config)["max_processes"]
    if not isinstance(found["processes"], list) or not 1 <= len(found["processes"]) <= most:
        where = set_in(config, "max_processes")
        raise RefusedError(
            f"run.processes must be a list of 1 to {most} processes, as many as are allowed on this host ({where})"
        )
    found["processes"] = [
        parse_process(process, config, now_ns, f"run.processes[{i}]") for i, process in enumerate(found["processes"])
    ]
    for key, taken in (("id", found["processes"]), ("tcp_port", [p for p in found["processes"] if p["side"] == "server"])):
        values = [process[key] for process in taken]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise RefusedError(f"run.processes have the {key} {shown(twice)} twice")
    require_limits(found["processes"], config)
    return found


def parse_process(values, config, now_ns, where):
    process = fields(values, PROCESS, where)
    if process["program"] not in config["programs"]:
        allowed = ", ".join(sorted(config["programs"]))
        raise RefusedError("{}.program is {}; allowed are {}".format(where, shown(process["program"]), allowed))
    if config["devices"] is not None and process["device"] not in config["devices"]:
        raise RefusedError(
            "{}.device is {}; allowed are {}".format(where, shown(process["device"]), ", ".join(config["devices"]))
        )
    require_port(process["tcp_port"], config, where + ".tcp_port")
    if (process["side"] == "client") != (process["peer"] is not None):
        raise RefusedError(f"{where}: a client has a peer, and a server has none")
    if process["use_cuda"] is not None and process["use_rocm"] is not None:
        raise RefusedError(f"{where} has use_cuda and use_rocm; a program's memory is on one GPU")
    latest = config["max_seconds"]
    if process["stop_s"] > latest:
        sentence = "{}.stop_s is {}; {:g} at most is allowed".format(where, shown(process["stop_s"]), latest)
        raise RefusedError("{} ({})".format(sentence, set_in(config, "max_seconds")))
    if process["start_ns"] is not None and abs(process["start_ns"] - now_ns) > latest * 10**9:
        sentence = f"this host's clock is {now_ns}, and they may be {latest} s apart"
        raise RefusedError(f"{where}.start_ns is {process['start_ns']}; {sentence}")
    return process


def require_port(value, config, where):
    first, last = config["ports"]
    if not first <= value <= last:
        raise RefusedError(f"{where} is {value}; allowed are {first} to {last}")


OPERATIONS = {
    "check": parse_check,
    "clock": parse_clock,
    "connect": parse_connect,
    "listen": parse_listen,
    "run": parse_run,
    "topology": parse_topology,
    "use": parse_use,
}
