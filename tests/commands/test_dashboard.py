"""How `scrapy dashboard` refuses; what it serves is tested in tests/dashboard and tests/end_to_end."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_a_folder_that_is_none_and_a_port_that_is_taken_are_reported_in_one_line(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        runs = [
            command("dashboard", "--no-open", "--data", str(file)),
            command("dashboard", "--no-open", "--data", str(tmp_path / "none")),
            command("dashboard", "--no-open", "--data", str(tmp_path), "--port", port),
        ]
    assert [(ran.code, ran.err.count("\n")) for ran in runs] == [(1, 1)] * 3
    assert all("--data DIR" in ran.err for ran in runs[:2])
    assert runs[2].err.startswith("127.0.0.1 port ")
    assert "--port" in runs[2].err
