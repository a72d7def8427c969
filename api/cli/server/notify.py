# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL notify`: the addresses of the settings file, and whether messages reach them."""

import time
from itertools import islice
from typing import Annotated

import typer

from api.cli.server.connect import connect, print_list
from api.client import Client
from api.client.connection import FailedError
from api.documents.notifications import DeliveryDocument
from tuner.cli import common

app = typer.Typer(no_args_is_help=True, help="Show and test the addresses that a service notifies.")

_POLL_S = 0.5
_NEWEST = 50


@app.command(name="list")
def list_addresses(output: common.OutputOption = common.Output.TABLE) -> None:
    """List the addresses of the service's settings file."""
    with connect() as service:
        print_list(output, ("name", "kind", "where", "minimum", "open"), service.notification_addresses())


@app.command(name="test")
def send_tests(
    addresses: Annotated[list[str] | None, typer.Argument(help="Names of addresses; all by default.", show_default=False)] = None,
    timeout_s: Annotated[float, typer.Option(help="Longest time to wait for the first attempts, in seconds.", min=0)] = 60.0,
    output: common.OutputOption = common.Output.TABLE,
) -> None:
    """Send a test message to each address, and print the result of the first attempt. Exit code 1: an attempt failed, or none was
    made in time."""
    with connect() as service:
        names = addresses or [one.name for one in service.notification_addresses()]
        open_ = [service.test_notification(name) for name in names]
        end = time.monotonic() + timeout_s
        found = [_attempted(service, one, end) for one in open_]
        print_list(output, ("address", "state", "attempts", "problem"), found)
    failed = [one.address for one in found if one.state != "sent"]
    if failed:
        raise FailedError(f"no test message has reached {', '.join(failed)}; the service repeats attempts that failed")


def _attempted(service: Client, delivery: DeliveryDocument, end: float) -> DeliveryDocument:
    """Returns the delivery after its first attempt, or as it is at that moment of the monotonic clock."""
    while delivery.state != "sent" and delivery.problem is None and time.monotonic() < end:
        time.sleep(_POLL_S)
        # Messages of events may have come meanwhile, but not many.
        newest = islice(service.notification_deliveries(delivery.address), _NEWEST)
        delivery = next((one for one in newest if one.id == delivery.id), delivery)
    return delivery
