"""Errors of a database, as those of search."""

import collections.abc
import contextlib

import sqlalchemy as sa
from oslo_db import exception
from sqlalchemy import exc

from orch import errors


def place_of(url: str) -> str:
    """Return the address of a database without its password."""
    return sa.make_url(url).render_as_string(hide_password=True)


@contextlib.contextmanager
def translated(url: str) -> collections.abc.Iterator[None]:
    """Raise ``Unavailable`` for what a database raises in the block."""
    try:
        yield
    except (exc.SQLAlchemyError, exception.DBError, OSError) as e:
        raise errors.Unavailable(
            f"The search index {place_of(url)} gives no answer:"
            f" {str(e).partition(chr(10))[0]}. Nothing was changed."
        ) from e
