"""All that a table and a hub load until they are ready, and the templates of a table. The nursery imports this."""

import tempfile
from pathlib import Path

import web.hub.app
import web.serving.front
import web.serving.server  # noqa: F401
from companion.house.host import Host
from companion.journal.store import Journal
from tests import compiled_templates  # noqa: F401
from web.app import create_app

with tempfile.TemporaryDirectory() as folder:
    host = Host(Journal(Path(folder) / "journal.sqlite3"))
    templates = create_app(host).jinja_env
    for name in templates.list_templates():
        templates.get_template(name)
    host.close()
