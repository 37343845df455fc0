"""A real redis-server with a folder and a socket of its own, that tests may kill and start again."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest
import redis

SERVER = shutil.which("redis-server") or shutil.which("valkey-server")
PATIENCE_SECONDS = 20.0


class RedisServer:
    """Reached by a unix socket; what it holds is in an append-only file."""

    def __init__(self, *options: str) -> None:
        if SERVER is None:
            pytest.skip("no redis-server is installed (.ci/run installs Debian's)")
        self.folder = tempfile.TemporaryDirectory(prefix="redis")  # short: a socket's path has 100 characters
        self._socket = Path(self.folder.name) / "s"
        self._options = options
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For REDIS_URL."""
        return f"unix://{self._socket}"

    def client(self) -> redis.Redis:
        """A client of the tests' own."""
        return redis.Redis(unix_socket_path=str(self._socket))

    def start(self) -> Self:
        """Start it, with what it held before, and wait until it answers."""
        self._socket.unlink(missing_ok=True)
        command = [
            str(SERVER), "--port", "0", "--unixsocket", str(self._socket), "--dir", self.folder.name, "--save", "",
            "--appendonly", "yes", "--logfile", "log", *self._options,
        ]  # fmt: skip
        self.process = subprocess.Popen(command)
        retry = redis.retry.Retry(redis.backoff.ConstantBackoff(0.02), int(PATIENCE_SECONDS / 0.02))
        faults = [
            redis.exceptions.ConnectionError,
            redis.exceptions.BusyLoadingError,
            redis.exceptions.TimeoutError,
        ]
        client = redis.Redis(unix_socket_path=str(self._socket), retry=retry, retry_on_error=faults)
        with client, suppress(redis.exceptions.AuthenticationError):  # it asks for a password: it answers
            client.ping()
        return self

    def kill(self) -> None:
        """As a crash does."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self) -> None:
        """End it and forget what it held."""
        self.kill()
        self.folder.cleanup()
