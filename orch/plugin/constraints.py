"""Named checks of values that a service of the cloud makes.

Parameters and properties name them (``custom_constraint: nova.flavor``). A
package brings tables of them by entry points of the group
``orch.constraints``: each names a map of :data:`Check` by name. Checks that
need no cloud are part of the language.
"""

import collections.abc
import functools
import logging
import typing

from orch import errors
from orch.plugin import registry

if typing.TYPE_CHECKING:
    from openstack import connection

LOG = logging.getLogger(__name__)

GROUP: typing.Final = "orch.constraints"


class NotAccepted(errors.Invalid):
    """The cloud does not accept the value; the text is the reason."""

    code = "orch.constraint.not_accepted"


Check = collections.abc.Callable[["connection.Connection", str], None]
"""Raises NotAccepted if a value is wrong.

It takes a connection that acts for the caller, and the value. It raises
another :class:`orch.errors.OrchError` where the value cannot be checked now.
"""

Table = collections.abc.Mapping[str, Check]


@functools.cache
def load_constraints() -> Table:
    """Return the checks of all installed packages, by name.

    Of two packages that declare one name, ours gives way. A table that
    cannot be loaded is left out, and the log says so.
    """
    found: dict[str, Check] = {}
    for entry in sorted(
        registry.entry_points(GROUP), key=registry.is_third_party
    ):
        try:
            table = dict(entry.load())
        except (Exception, SystemExit) as error:
            LOG.error(
                "the constraints of %s are left out: %s: %s",
                entry.value,
                type(error).__name__,
                error,
            )
            continue
        found.update(table)
    return found
