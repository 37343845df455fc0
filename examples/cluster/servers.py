"""A Redis and a PostgreSQL of one's own on free loopback ports, with all they hold in one folder; started again there, they go on."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Self

START_SECONDS = 60
USER, DATABASE = "crawler", "pages"


class MissingError(Exception):
    """A server is not installed, or does not start: one line."""


def program(*names: str) -> str:
    """The first of these programs that there is; Debian has those of PostgreSQL beside PATH, a folder a version."""
    for name in names:
        versions = sorted(
            Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[4])
        )
        if found := shutil.which(name) or (str(versions[-1]) if versions else None):
            return found
    raise MissingError(f"{names[0]} is not installed; apt-get install redis-server postgresql")


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


class Redis:
    """With an append-only file."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> Self:
        import redis

        self._folder.mkdir(parents=True, exist_ok=True)
        command = [
            program("redis-server", "valkey-server"), "--bind", "127.0.0.1", "--port", str(self._port), "--dir", str(self._folder),
            "--save", "", "--appendonly", "yes", "--logfile", "log",
        ]  # fmt: skip
        self._process = subprocess.Popen(command, start_new_session=True)  # Ctrl-C is not for it
        tries = redis.retry.Retry(redis.backoff.ConstantBackoff(0.1), START_SECONDS * 10)
        faults = [redis.exceptions.ConnectionError, redis.exceptions.BusyLoadingError]
        with redis.Redis.from_url(self.url, retry=tries, retry_on_error=faults) as client:
            client.ping()
        return self

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()  # it writes what it has
            self._process.wait()


class Postgres:
    """It refuses to run as root: another user has its folder then."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._port = folder, free_port()
        self._data = folder / "data"
        self.password = ""
        self.url = f"postgresql://{USER}@127.0.0.1:{self._port}/{DATABASE}"
        self._as_other: dict[str, Any] = {}
        if os.getuid() == 0:
            other = _user("postgres") or _user("nobody")
            if other is not None:
                self._as_other = {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}

    def start(self) -> Self:
        is_new = not (self._data / "PG_VERSION").exists()
        secret = self.folder / "password"
        if is_new:
            self.folder.mkdir(parents=True, exist_ok=True)
            secret.write_text(secrets.token_urlsafe(24))
            secret.chmod(0o600)
            for place in (self.folder, secret):
                os.chown(place, self._as_other.get("user", -1), self._as_other.get("group", -1))
            given = (
                "-U",
                USER,
                "--encoding=UTF8",
                "--locale=C",
                "--auth=scram-sha-256",
                f"--pwfile={secret}",
            )
            self._run("initdb", "-D", self._data, *given)
        self.password = secret.read_text()
        options = f"-c listen_addresses=127.0.0.1 -c port={self._port} -c unix_socket_directories="
        log = ("-l", self.folder / "log")
        self._run("pg_ctl", "-D", self._data, *log, "-w", "-t", START_SECONDS, "-o", options, "start")
        if is_new:
            import psycopg

            address = self.url.replace(f"/{DATABASE}", "/postgres")
            with psycopg.connect(address, password=self.password, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {DATABASE}")
        return self

    def stop(self) -> None:
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "-D", self._data, "-m", "fast", "-w", "stop")

    def _run(self, name: str, *words: object) -> None:
        """The server that pg_ctl leaves behind must not hold our pipes, nor hear Ctrl-C."""
        done = subprocess.run(
            [program(name), *map(str, words)],
            **self._as_other,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            start_new_session=True,
            check=False,
        )
        if done.returncode:
            log = self.folder / "log"
            last = log.read_text(errors="replace").splitlines()[-1:] if log.exists() else []
            why = f": {last[0]}" if last else "; all folders above it must be open to the server's user"
            raise MissingError(f"{name} failed in {self.folder}{why}")


def _user(name: str) -> pwd.struct_passwd | None:
    with suppress(KeyError):
        return pwd.getpwnam(name)
    return None
