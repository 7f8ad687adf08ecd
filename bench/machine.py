"""What the figures were measured on."""

import importlib.metadata
import os
import pathlib
import platform
import time

SERVERS = ("postgres", "mariadbd", "beam.smp")
LIBRARIES = (
    "SQLAlchemy",
    "oslo.db",
    "oslo.messaging",
    "taskflow",
    "falcon",
    "waitress",
    "orjson",
)


def describe() -> dict[str, object]:
    """Return the machine, its software and the day."""
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "cores": os.cpu_count(),
        "processor": _first_line_with("/proc/cpuinfo", "model name"),
        "memory": _first_line_with("/proc/meminfo", "MemTotal"),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "libraries": {
            name: importlib.metadata.version(name) for name in LIBRARIES
        },
    }


def read_servers_cpu_s() -> dict[str, float]:
    """Return what database and broker have used, seconds by program.

    All servers of the machine count, with their children that have ended.
    """
    used = dict.fromkeys(SERVERS, 0.0)
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, tail = status.read_text("utf-8").rpartition(")")
        except OSError:
            continue  # it has just ended
        name = head.partition("(")[2]
        if name in used:
            used[name] += sum(map(int, tail.split()[11:15])) / 100
    return used


def _first_line_with(path: str, word: str) -> str:
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith(word):
            return line.partition(":")[2].strip()
    return "unknown"
