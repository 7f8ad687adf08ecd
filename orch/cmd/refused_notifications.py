"""``orch-manage notification``: those that the bus refuses."""

import argparse
import functools
import sys
import typing

from oslo_config import cfg

from orch import clock
from orch.cmd import tables
from orch.db.repositories import refused_notifications

_MAX_SHOWN: typing.Final = 1000
_BATCH: typing.Final = 100


def list_refused(conf: cfg.ConfigOpts) -> list[tuple[str, ...]]:
    """Return the rows that show them, the oldest first; a head line first.

    Where there are more than it shows it says so on standard error.
    """
    found, total = tables.open_ready(conf).query(
        lambda conn: (
            refused_notifications.list_(conn, _MAX_SHOWN),
            refused_notifications.count(conn),
        )
    )
    if total > len(found):
        print(f"the oldest {len(found)} of {total} are shown", file=sys.stderr)
    return [
        ("STACK", "SEQUENCE", "EVENT TYPE", "REFUSED", "REASON"),
        *(
            (
                each.stack_id,
                str(each.sequence),
                each.event_type,
                clock.isoformat(each.refused_at),
                each.reason,
            )
            for each in found
        ),
    ]


def resend_refused(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    """Let a worker send them again."""
    database = tables.open_ready(conf)
    total = 0
    # Not those that are refused again meanwhile.
    left = database.query(refused_notifications.count)
    while left > 0:
        some = min(left, _BATCH)
        gone = database.run(
            functools.partial(refused_notifications.send_again, limit=some)
        )
        total += gone
        left = left - gone if gone else 0
    print(f"{total} are sent again")
    return 0


def delete_refused(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    """Remove all of them."""
    print(f"{delete_old_refused(conf, 0.0)} forgotten")
    return 0


def delete_old_refused(conf: cfg.ConfigOpts, older_than_s: float) -> int:
    """Remove those that were refused so long ago; return how many."""
    database = tables.open_ready(conf)
    total = 0
    while gone := database.run(
        lambda conn: refused_notifications.forget(conn, older_than_s, _BATCH)
    ):
        total += gone
    return total
