# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL hosts`: the hosts of a service's fabric, and whether they are ready to be measured."""

from pathlib import Path
from typing import Annotated, Any

import typer

from api.cli.server.connect import FabricOption, connect, ended, print_list, print_one, the_fabric
from api.client import RefusedError
from api.documents.host_paths import HostPathsOut
from tuner.cli import common, hosts_output, hosts_ping_output
from tuner.cli.common import Output
from tuner.cli.hosts_options import HostCheckOptions, NodesOption
from tuner.cli.option_classes import with_option_classes
from tuner.documents import catalogue
from tuner.documents.node_sets import expand
from tuner.errors import BadInputError

app = typer.Typer(no_args_is_help=True, help="Check the hosts of a service's fabric, and manage its inventory.")


@app.command("list")
def list_hosts(fabric: FabricOption = None, output: common.OutputOption = Output.TABLE) -> None:
    """List the hosts of a fabric's inventory, with the result of the last check."""
    with connect() as service:
        columns = ("node", "host", "address", "device", "ib_port", "verdict", "checked_at")
        print_list(output, columns, service.hosts(the_fabric(service, fabric)))


@app.command()
@with_option_classes
def check(
    shared: HostCheckOptions,
    fabric: FabricOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Check through their agents whether all hosts are ready for measurements, and print the findings.

    Exit codes are those of `ibcc hosts check`: 1 if a host has a fault, 3 if a host is
    unreachable.

    Example: `ibcc --server URL hosts check --fabric cluster --nodes 'node[01-04]'`
    """
    wanted = None if shared.nodes is None else _expanded(shared.nodes)
    with connect() as service:
        name = the_fabric(service, fabric)
        ended(service, service.check_hosts(name, nodes=shared.nodes, patience_s=shared.patience_s))
        found = [one for one in service.hosts(name) if wanted is None or one.node in wanted]
        inventory = service.hosts_check(name).inventory
    summaries = [one for host in found if (one := host.summary()) is not None]
    hosts_output.show(inventory, [host.model_dump(mode="json") for host in found], summaries, output, output_file)


@app.command()
def ping(
    nodes: NodesOption = None,
    triggered: Annotated[
        bool, typer.Option("--triggered", help="Test busy hosts too, because their counters ask for it.")
    ] = False,
    fabric: FabricOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Have the service test the paths inside hosts by loop-back, and print what it found, also of hosts that were tested before.

    Exit codes are those of `ibcc hosts ping`: 1 if a host has a slow link, and 3 if none has and one was not measured.

    Example: `ibcc --server URL hosts ping --fabric cluster --nodes 'node[01-04]'`
    """
    wanted = None if nodes is None else _expanded(nodes)
    with connect() as service:
        name = the_fabric(service, fabric)
        ended(service, service.ping_hosts(name, nodes=nodes, triggered=triggered))
        rows = [row for row in service.all_host_paths(name) if row.verdict is not None and (wanted is None or row.node in wanted)]
        found = [_document(service.host_paths(name, row.node)) for row in rows]
        inventory = service.fleet(name).inventory
    hosts_ping_output.show(inventory or "", found, output, output_file)


@app.command()
def triggers(
    seconds: Annotated[int, typer.Option(help="Length of the watch of the switches' ports, in seconds.", min=1, max=300)] = 10,
    test: Annotated[bool, typer.Option("--test", help="Then test the hosts whose counters ask for it.")] = False,
    fabric: FabricOption = None,
    output: common.OutputOption = Output.TABLE,
) -> None:
    """Have the service watch the switches' ports to hosts, and print the hosts whose counters ask for tests.

    The exit code is 1 if there is such a host.
    """
    with connect() as service:
        name = the_fabric(service, fabric)
        ended(service, service.watch_hosts(name, seconds=seconds, test=test))
        asking = [row for row in service.all_host_paths(name) if row.trigger is not None]
    print_list(output, ("node", "host", "trigger", "verdict", "sentence"), asking)
    if asking:
        raise typer.Exit(1)


def _document(found: HostPathsOut) -> dict[str, Any]:
    """As tuner.hostping.ping_document has it, as far as a service tells it."""
    plain = found.model_dump(mode="json")
    slow = [[cell["adapter"], cell["endpoint"]] for cell in plain["cells"] if cell["state"] == "abnormal"]
    return {**plain, "slow_paths": slow, "degraded": plain["remarks"], "redirected": []}


@app.command()
def get(fabric: FabricOption = None, output_file: common.OutputFileOption = None) -> None:
    """Print the fabric's inventory (YAML), as it was written."""
    with connect() as service:
        common.write_text(service.inventory(the_fabric(service, fabric)).document, output_file)


@app.command()
def put(
    file: Annotated[
        Path, typer.Argument(help="Inventory document. Its `fabric` is the service's name of the fabric, or is omitted.")
    ],
    fabric: FabricOption = None,
) -> None:
    """Store or change the fabric's inventory. Only administrators may do so; no host is contacted."""
    text = catalogue.find("inventory", file).read_text(encoding="utf-8")
    with connect() as service:
        name = the_fabric(service, fabric)
        try:
            old = service.inventory(name)
        except RefusedError as error:
            if error.status != 404:
                raise
            print_one(service.create_inventory(name, text))
        else:
            print_one(service.change_inventory(old, text))


def _expanded(nodes: str) -> frozenset[str]:
    try:
        return frozenset(expand(nodes))
    except ValueError as error:
        raise BadInputError(f"the set of nodes {error}") from error
