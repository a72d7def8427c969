# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Notifications: the addresses of the settings file, and the messages to them. No request can name another address."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path, Query, Response

from api.access.dependencies import Admin, CurrentSettings, Reading, Writing
from api.base import patterns
from api.base.problems import Conflict
from api.documents.notifications import AddressDocument, DeliveryDocument
from api.http.openapi import also
from api.http.pages import Page, Paging
from api.routes.fields import Text
from api.services import notifications
from api.states.deliveries import DeliveryState

router = APIRouter(tags=["notifications"])

AddressName: TypeAlias = Annotated[
    str, Path(min_length=1, max_length=32, pattern=patterns.NAME, description="Name of the address.", examples=["log"])
]


@router.get("/notifications/addresses", response_model=Page[AddressDocument])
def list_notification_addresses(principal: Admin, session: Reading, settings: CurrentSettings, page: Paging) -> object:
    """List the addresses of the server's settings file by name."""
    items, cursor = notifications.list_addresses(session, principal, settings, page)
    return {"items": items, "next_cursor": cursor}


@router.get("/notifications/deliveries", response_model=Page[DeliveryDocument])
def list_deliveries(
    principal: Admin,
    session: Reading,
    page: Paging,
    address: Annotated[Text | None, Query(max_length=32)] = None,
    state: DeliveryState | None = None,
) -> object:
    """List the messages, newest first. They are kept for `events_kept_s`."""
    items, cursor = notifications.list_deliveries(session, principal, page, address=address, state=state)
    return {"items": items, "next_cursor": cursor}


@router.post("/notifications/addresses/{address}/test", status_code=202, responses=also(Conflict))
def create_notification_test(
    principal: Admin, session: Writing, settings: CurrentSettings, address: AddressName, response: Response
) -> DeliveryDocument:
    """Send a message that says that it is a test to an address."""
    response.headers["Location"] = f"/api/v1/notifications/deliveries?address={address}"
    return notifications.create_test(session, principal, settings, address)
