"""Commits one row after the other and tells of each, until it is killed."""

import sys

from orch.db import engine
from orch.db.repositories import outbox
from tests.functional.db import test_outbox


def write(url: str) -> None:
    database = engine.Database(url)
    number = 0
    while True:
        with database.write() as conn:
            outbox.insert_many(conn, [test_outbox._make(number)])
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    write(sys.argv[1])
