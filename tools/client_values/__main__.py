"""Writes the values of the client: ``python -m tools.client_values``.

With ``--check`` nothing is written, and the exit code is 1 where they are
older than the contract.
"""

import argparse
import collections.abc
import pathlib
import sys
import typing

from tools.client_values import classes
from tools.client_values import source

FOLDER: typing.Final = source.ROOT / "orchclient/orchclient/values"


def main(
    arguments: collections.abc.Sequence[str] | None = None,
    folder: pathlib.Path = FOLDER,
) -> int:
    """Write what is not as the contract says, or say that it is not."""
    parser = argparse.ArgumentParser(
        description="Write the values of the client from the contract."
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing, fail if stale"
    )
    asked = parser.parse_args(arguments)
    stale = find_stale(folder, source.write_modules(classes.VALUES))
    if asked.check and stale:
        names = ", ".join(path.name for path in stale)
        print(
            f"{names} in {folder} are not as the contract says:"
            " run `make values`."
        )
        return 1
    for path, text in stale.items():
        if text:
            path.write_text(text, encoding="utf-8")
        else:
            path.unlink()
    return 0


def find_stale(
    folder: pathlib.Path, modules: collections.abc.Mapping[str, str]
) -> dict[pathlib.Path, str]:
    """Return what to write by path; empty for a file that has to go."""
    wanted = {folder / f"{name}.py": text for name, text in modules.items()}
    written = {
        path: text
        for path in sorted(folder.glob("*.py"))
        if (text := path.read_text(encoding="utf-8")).startswith(
            source.FIRST_LINE
        )
    }
    return {
        path: wanted.get(path, "")
        for path in sorted({*wanted, *written})
        if wanted.get(path) != written.get(path)
    }


if __name__ == "__main__":
    sys.exit(main())
