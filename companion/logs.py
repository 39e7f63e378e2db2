"""What the service writes down about itself: for people as lines, for machines as one JSON object a line.

Logs name games and entries by their ids only, never people, and hold no address of a device.
"""

import contextlib
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime

log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """A record as a JSON object: when, how grave, who says it, what; and the traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
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
    """Sets logging up for this process; again with another form when asked twice."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


@contextlib.contextmanager
def only_logged(what: str) -> Iterator[None]:
    """Writes down that `what` failed, and goes on: for what follows something that is done and told as done."""
    try:
        yield
    except Exception:
        log.exception("%s failed", what)
