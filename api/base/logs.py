# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service's log: JSON lines for a journal, columns for a terminal; uvicorn's lines and Python's warnings go the same way."""

import logging
import sys
from typing import Literal

import structlog
from structlog.typing import Processor

_SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def configure(how: Literal["auto", "json", "console"], level: str) -> None:
    """Sets up logging to standard error, for the whole process. Tracebacks are without the values of variables: those hold
    passwords and tokens."""
    console = how == "console" or (how == "auto" and sys.stderr.isatty())
    last: list[Processor] = (
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if console
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    use_logging()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=list(_SHARED), processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last]
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    logging.captureWarnings(True)
    for name in ("alembic", "httpcore2", "httpx2"):
        logging.getLogger(name).setLevel(logging.WARNING)


def use_logging() -> None:
    """Has structlog's lines go through Python's logging, whatever becomes of them there."""
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
