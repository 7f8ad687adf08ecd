"""What must stand after a row of operations, worked out anew from them."""

import collections.abc
import dataclasses

from tests.scenarios import shapes

_BRINGING = ("CREATE", "UPDATE", "RESTORE")


@dataclasses.dataclass(frozen=True, slots=True)
class Ran:
    """One operation, as the rows tell of it.

    :ivar state: ``COMPLETE``, ``FAILED``, ``SUPERSEDED`` or an open one
    """

    action: str
    state: str


def standing(
    ran: collections.abc.Sequence[Ran],
    asked: collections.abc.Sequence[shapes.Shape | None],
) -> shapes.Shape | None:
    """Return what stands now, or ``None`` when nothing complete can be said.

    :param ran: all operations, the oldest first; rollbacks among them
    :param asked: what each of them but the rollbacks was to bring about, in
        the same order; ``None`` for one that changes nothing of that
    """
    wishes = iter(asked)
    good: shapes.Shape | None = None
    wanted: shapes.Shape = {}
    before: shapes.Shape = {}
    undone = ""
    result: shapes.Shape | None = {}
    for each in ran:
        if each.action == "ROLLBACK":
            if undone == "CREATE":
                target: shapes.Shape = {}
            else:
                target = wanted = good if good is not None else before
        else:
            wish = next(wishes)
            target = wanted if wish is None else wish
            if each.action in _BRINGING:
                before, wanted, undone = wanted, target, each.action
        is_complete = each.state == "COMPLETE"
        result = target if is_complete else None
        is_empty = each.action == "ROLLBACK" and undone == "CREATE"
        brings = each.action in (*_BRINGING, "ROLLBACK")
        if is_complete and brings and not is_empty:
            good = target
    return result
