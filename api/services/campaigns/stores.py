# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns' own stores beside the rows of their trials: a store that was lost or taken from another moment has fewer trials."""

from pathlib import Path

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from api.base.problems import StoreBehind
from api.database.models.campaign import StoredCampaign, Trial, TrialSeries
from tuner.campaign.stored import most_records

STORE = "trials.sqlite3"


def folder_of(state_folder: Path, campaign: str) -> Path:
    return state_folder / "campaigns" / campaign


def row_count(session: Session, campaign: str) -> int:
    return session.scalar(select(func.count()).select_from(Trial).where(Trial.campaign == campaign)) or 0


def require_store(session: Session, campaign: StoredCampaign, state_folder: Path) -> None:
    """For SQLite, where the stores are files beside the database. Raises StoreBehind."""
    rows = row_count(session, campaign.id)
    if rows and (kept := most_records(folder_of(state_folder, campaign.id) / STORE)) < rows:
        raise StoreBehind(behind_sentence(campaign.name, campaign.id, kept, rows), kept=kept, trials=rows)


def behind_sentence(name: str, campaign: str, kept: int, rows: int) -> str:
    """Says what is missing, and what would be right."""
    return (
        f"The store of campaign '{name}' has {kept} of its {rows} trials, so the others would be measured again and their rows "
        f"replaced. Restore the folder campaigns/{campaign} from the database's backup, or resume with measure_again."
    )


def drop_missing(session: Session, campaign: str, numbers: set[int]) -> None:
    """Deletes the rows of trials that the store does not have."""
    for table in (Trial, TrialSeries):
        session.execute(delete(table).where(table.campaign == campaign, table.number.not_in(numbers)))
