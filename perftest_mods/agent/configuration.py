# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The administrator's configuration, /etc/ibcc/agent.json, over the defaults."""

import ipaddress
import os

from ibcc_agent.values import NAME, RefusedError, integer, parse_json, port, shown, text

CONFIG = "/etc/ibcc/agent.json"
DEFAULTS = {
    "programs": {name: "/usr/bin/" + name for name in ("ib_write_bw", "ib_send_bw", "ib_read_bw")},
    "meter": "/usr/lib/ibcc/libibcc_meter.so",
    "devices": None,
    "max_seconds": 3600,
    "max_processes": None,
    "max_qps": None,
    "max_bytes": None,
    "ports": [18515, 20000],
    "peers": None,
    "run_folder": None,
    "systemd_run": None,
    "sysfs": "/sys/class/infiniband",
}


def parse_config(values):
    """The administrator's settings over the defaults. Raises RefusedError."""
    if not isinstance(values, dict) or not set(values) <= set(DEFAULTS):
        raise RefusedError("the configuration must be an object with keys among {}".format(", ".join(DEFAULTS)))
    config = dict(DEFAULTS, **values)
    config["set"] = tuple(key for key, value in values.items() if value is not None)
    path = text(r"/[^\x00\n]{1,4095}", "an absolute path")
    name = text(NAME, "a name")
    if not isinstance(config["programs"], dict) or not config["programs"]:
        raise RefusedError("programs is {}; names with their paths are expected".format(shown(config["programs"])))
    for program, where in config["programs"].items():
        name(program, "a name in programs")
        path(where, "programs." + program)
    path(config["meter"], "meter")
    path(config["sysfs"], "sysfs")
    if config["devices"] is not None and not isinstance(config["devices"], list):
        raise RefusedError("devices is {}; a list of names, or null for all, is expected".format(shown(config["devices"])))
    for device in config["devices"] or ():
        name(device, "devices")
    integer(1, 86400)(config["max_seconds"], "max_seconds")
    for key, most in (("max_processes", 1024), ("max_qps", 1 << 20), ("max_bytes", 1 << 46)):
        if config[key] is not None:
            integer(1, most)(config[key], key)
    if config["run_folder"] is not None:
        path(config["run_folder"], "run_folder")
    if config["systemd_run"] not in (None, "none"):
        path(config["systemd_run"], "systemd_run")
    if config["peers"] is not None:
        if not isinstance(config["peers"], list) or len(config["peers"]) > 256:
            raise RefusedError("peers is {}; a list of networks, or null, is expected".format(shown(config["peers"])))
        for network in config["peers"]:
            try:
                ipaddress.ip_network(text(r"[0-9A-Fa-f:./]{2,64}", "a network such as 10.1.0.0/16")(network, "peers"))
            except ValueError as error:
                raise RefusedError(f"peers has {shown(network)}, which is no network: {ascii(str(error))[1:-1]}") from None
    ports = config["ports"]
    if not isinstance(ports, list) or len(ports) != 2 or not all(port(p, "ports") for p in ports) or ports[0] > ports[1]:
        raise RefusedError(f"ports is {shown(ports)}; the first and the last port are expected")
    return config


def read_config(path):
    """Returns the configuration in a file, or the defaults where no file was named and there is none."""
    try:
        with open(path or CONFIG, "rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o002:
                raise RefusedError("anybody may write to it, and so have the agent do anything")
            return dict(parse_config(parse_json(file.read(1 << 20))), path=path or CONFIG)
    except FileNotFoundError:
        if path is None:
            return dict(DEFAULTS)
        raise RefusedError(f"the configuration '{path}' does not exist") from None
    except OSError as error:
        raise RefusedError(f"the configuration '{path or CONFIG}' cannot be read: {error.strerror}") from None
    except RefusedError as error:
        raise RefusedError(f"the configuration '{path or CONFIG}': {error}") from None


def set_in(config, name):
    """Returns the origin of a limit, for a sentence."""
    path = config.get("path", CONFIG)
    return f"{name} of {path}" if name in config.get("set", ()) else f"the default of {name}, which {path} can set"
