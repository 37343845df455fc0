"""A real PostgreSQL server with a folder and a socket of its own, that tests may kill, stop and start again."""

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest

PATIENCE_SECONDS = "60"
PASSWORD = "geheim-0815"  # noqa: S105 of a server that lives for a test
OPTIONS = (
    "listen_addresses=", "fsync=off", "max_connections=40", "shared_buffers=16MB", "max_wal_size=64MB", "autovacuum=off",
)  # fmt: skip

FULL_DISK = """CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END$$;
CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT ON topiccrawler.pages EXECUTE FUNCTION full_disk()"""
MORE_ROOM = "DROP TRIGGER full_disk ON topiccrawler.pages"


def program(name: str) -> Path | None:
    """One of the server's programs; Debian has them beside PATH, a folder a version."""
    if found := shutil.which(name):
        return Path(found)
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    return versions[-1] if versions else None


class PostgresqlServer:
    """Reached by a unix socket; user `crawler`, database `pages`. The server refuses to run as root: another user has the folder then."""

    def __init__(self) -> None:
        self._initdb, self._pg_ctl = program("initdb"), program("pg_ctl")
        if self._initdb is None or self._pg_ctl is None:
            pytest.skip("no PostgreSQL server is installed (.ci/run installs Debian's)")
        self._user: dict[str, Any] = {}
        place = tempfile.mkdtemp(prefix="pg")  # short: a socket's path has 100 characters
        self.folder = Path(place)
        if os.getuid() == 0:
            user = self._other_user()
            self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(place, user.pw_uid, user.pw_gid)
            self.folder.chmod(0o755)
        self._data = self.folder / "data"
        secret = self.folder / "secret"
        secret.write_text(f"{PASSWORD}\n")
        secret.chmod(0o644)
        self._run(
            self._initdb, "-D", self._data, "-U", "crawler", "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256",
            f"--pwfile={secret}", "--no-sync",
        )  # fmt: skip

    @staticmethod
    def _other_user() -> pwd.struct_passwd:
        with suppress(KeyError):
            return pwd.getpwnam("postgres")
        return pwd.getpwnam("nobody")

    def url(self, database: str = "pages", password: str = PASSWORD, user: str = "crawler") -> str:
        """For STORE_URL."""
        return f"postgresql://{user}{':' if password else ''}{password}@/{database}?host={self.folder}"

    def connect(self, database: str = "pages") -> Any:
        """A connection of the tests' own."""
        import psycopg

        return psycopg.connect(self.url(database), autocommit=True)

    def start(self) -> Self:
        """Start it, with what it held before, and wait until it answers."""
        is_new = not (self.folder / "begun").exists()
        options = " ".join(f"-c {option}" for option in (*OPTIONS, f"unix_socket_directories={self.folder}"))
        self._run(
            self._pg_ctl, "-D", self._data, "-l", self.folder / "log", "-t", PATIENCE_SECONDS, "-w", "-o", options, "start",
        )  # fmt: skip
        if is_new:
            with self.connect("postgres") as connection:
                connection.execute("CREATE DATABASE pages")
            (self.folder / "begun").touch()
        return self

    def kill(self) -> None:
        """As a crash does."""
        self._run(self._pg_ctl, "-D", self._data, "-m", "immediate", "-w", "stop")  # nothing is written

    def stop(self) -> None:
        """End it and forget what it held."""
        if (self._data / "postmaster.pid").exists():
            self._run(self._pg_ctl, "-D", self._data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder)

    def _run(self, *words: object) -> None:
        """pg_ctl leaves the server behind, which must not hold our pipes."""
        done = subprocess.run(
            list(map(str, words)),
            **self._user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            check=False,
        )
        assert done.returncode == 0, self._log()

    def _log(self) -> str:
        log = self.folder / "log"
        return log.read_text() if log.exists() else "it said nothing"
