"""The two databases of a hub, so that the same tests run on both: SQLite, and Debian's PostgreSQL, started here.

A module of tests says `pytestmark = on_both`. Then each folder in which a test opens a record is on PostgreSQL a
database of its own. Where PostgreSQL cannot be had, these are skipped and say so.
"""

import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAMS = [str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
INITDB, POSTGRES, PSQL = (shutil.which(name, path=":".join(PROGRAMS)) for name in ("initdb", "postgres", "psql"))
MISSING = "PostgreSQL or psycopg is not here, so that the hub keeps its record there stays unshown: make broker"
READY_S = 60

on_both = pytest.mark.usefixtures("each_database")


class Server:
    """A PostgreSQL of the tests' own, at a socket in its folder; from `start` to `stop`."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        self._process, self._made = None, set()

    def start(self):
        user = {}
        if os.geteuid() == 0:  # it refuses to run as root
            account = pwd.getpwnam("postgres")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        data = self.folder / "data"
        made = [INITDB, "-D", str(data), "-U", "hub", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync"]
        subprocess.run(made, check=True, capture_output=True, cwd=self.folder, **user)
        settings = ("listen_addresses=", f"unix_socket_directories={self.folder}", "fsync=off", "max_connections=100")
        command = [POSTGRES, "-D", str(data), *(part for setting in settings for part in ("-c", setting))]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder, **user
        )
        for line in self._process.stderr:
            if "ready to accept connections" in line:
                break
        self._drain = subprocess.Popen(["cat"], stdin=self._process.stderr, stdout=subprocess.DEVNULL)
        self.sql("postgres", "CREATE DATABASE template_hub")
        from companion.hub.database import Database  # the extra `hub` is not there for every test

        Database(self.folder, self.url("template_hub")).close()

    def sql(self, database, statement):
        command = [
            PSQL,
            "-h",
            str(self.folder),
            "-U",
            "hub",
            "-d",
            database,
            "-qAt",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            statement,
        ]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd="/").stdout

    def url(self, name):
        return f"postgresql+psycopg://hub@/{name}?host={self.folder}"

    def url_of(self, folder):
        """The database that stands for a folder, made at first with all of its tables."""
        name = "hub_" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
        if name not in self._made:
            self._made.add(name)
            self.sql("postgres", f"CREATE DATABASE {name} TEMPLATE template_hub")
        return self.url(name)

    def stop(self):
        if self._process:
            self._process.send_signal(2)  # ends at once, and cleanly
            self._process.wait(timeout=READY_S)
            self._drain.wait(timeout=READY_S)
            self._process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server():
    if not (INITDB and POSTGRES and PSQL and find_spec("psycopg")):
        pytest.skip(MISSING)
    server = Server()
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def each_database(request, monkeypatch):
    """Whatever record a test opens is on this one; its URL for a folder, "" on SQLite."""
    if request.param == "SQLite":
        yield lambda _folder: ""
        return
    server = request.getfixturevalue("postgres_server")
    from companion.hub import record as record_module
    from companion.hub.database import Database

    opened = []

    def at(folder, url=""):
        opened.append(Database(folder, url or server.url_of(folder)))
        return opened[-1]

    monkeypatch.setattr(record_module, "Database", at)
    yield server.url_of
    for database in opened:
        database.close()
