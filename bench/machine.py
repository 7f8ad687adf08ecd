"""What the figures were measured on."""

import importlib.metadata
import os
import pathlib
import platform
import time

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


def _first_line_with(path: str, word: str) -> str:
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith(word):
            return line.partition(":")[2].strip()
    return "unknown"
