"""gunicorn's threaded worker, but that it gives away a connection whose response says so (`web.pump`)."""

import ssl
from concurrent.futures import Future
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from web.pump import HandedOver


class Worker(ThreadWorker):
    """Forgets a connection that was handed over, instead of closing it when its request ends."""

    def handle_request(self, req: Any, conn: Any) -> Any:
        if isinstance(conn.sock, ssl.SSLSocket):  # by companion.https; gunicorn's own setting would be for every socket
            req.scheme = "https"
        try:
            return super().handle_request(req, conn)
        except HandedOver as handed:
            conn.handed_over = True
            handed.take(conn.sock)
            return False

    def finish_request(self, conn: Any, fs: Future[Any]) -> None:
        if getattr(conn, "handed_over", False):
            self.nr_conns -= 1
        else:
            super().finish_request(conn, fs)
