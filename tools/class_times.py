"""How long the slowest test classes take, for a first run.

stestr gives each worker as much to do by the times of earlier runs, and where
it has none by the number of classes: then one worker is busy for long after
the others. ``class_times.json`` holds what it needs for that. A class stands
there by one of its tests; one that is missing counts as quick.

``python -m tools.class_times`` writes the file anew, from the last runs.
"""

import collections
import dbm.dumb
import json
import pathlib
import typing

from stestr.repository import file as repositories

from tools import durations

PLACE: typing.Final = pathlib.Path(__file__).with_name("class_times.json")
_LEAST_S = 4.0


def seed(directory: pathlib.Path = pathlib.Path()) -> None:
    """Give stestr these times, where it has run nothing yet."""
    if (directory / ".stestr").exists():
        return
    repositories.RepositoryFactory().initialise(str(directory))
    with _open(directory) as times:
        for test, time_s in json.loads(PLACE.read_text("utf-8")).items():
            times[test] = str(time_s)


def read(directory: pathlib.Path = pathlib.Path()) -> dict[str, float]:
    """Return the seconds of each slow class, by one of its tests."""
    first: dict[str, str] = {}
    taken: collections.Counter[str] = collections.Counter()
    with _open(directory) as times:
        for test in sorted(key.decode() for key in times):
            name = durations.class_name(test)
            taken[name] += float(times[test])
            first.setdefault(name, test)
    return {
        first[name]: round(time_s, 1)
        for name, time_s in sorted(taken.items())
        if time_s >= _LEAST_S
    }


def _open(directory: pathlib.Path) -> typing.Any:
    return dbm.dumb.open(str(directory / ".stestr/times.dbm"), "c")


if __name__ == "__main__":
    PLACE.write_text(json.dumps(read(), indent=1) + "\n", "utf-8")
