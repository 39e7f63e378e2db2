"""The service's logs: lines of text for people, or one JSON object a line for machines.

Logs name games and entries by their ids, never people, and hold no address of a device.
"""

import contextlib
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime

log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object: time, level, logger, message, and the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def prepare(as_json: bool = False) -> None:
    """Sets logging up for this process; may be called again to change the format."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


@contextlib.contextmanager
def only_logged(what: str) -> Iterator[None]:
    """Logs that `what` failed, and goes on. For follow-up work after something done and acknowledged."""
    try:
        yield
    except Exception:
        log.exception("%s failed", what)
