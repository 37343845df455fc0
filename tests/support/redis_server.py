"""A real redis-server with a folder and a socket of its own, that tests may kill and start again."""

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

import pytest
import redis

SERVER = shutil.which("redis-server") or shutil.which("valkey-server")
PATIENCE_SECONDS = 20.0


class ServerEndedError(Exception):
    """It ended before it answered: its log. Another process may have its port."""


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
        end = time.monotonic() + PATIENCE_SECONDS
        while not self._answers():
            if self.process.poll() is not None:
                raise ServerEndedError((Path(self.folder.name) / "log").read_text(errors="replace")[-500:])
            assert time.monotonic() < end
            time.sleep(0.02)
        return self

    def _answers(self) -> bool:
        with self.client() as client:
            try:
                return bool(client.ping())
            except redis.exceptions.AuthenticationError:
                return True  # it asks for a password
            except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
                return False

    def kill(self) -> None:
        """As a crash does."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self) -> None:
        """End it and forget what it held."""
        self.kill()
        self.folder.cleanup()
