"""Find entries of a document that do not fit the template."""

import collections.abc
import dataclasses

from orch import errors
from orch import redacted
from orch.model import adoption
from orch.template.resources import declaration as declarations

Entries = collections.abc.Mapping[str, adoption.Entry]
Declared = collections.abc.Mapping[str, declarations.Declaration]

_MAX_LISTED = 500


class Mismatched(errors.Invalid):
    """The adopted resources do not fit the template."""

    code = "orch.adoption.mismatched"


@dataclasses.dataclass(frozen=True, slots=True)
class Misfits:
    """What does not fit.

    :ivar unused: names and ids of what the template does not declare
    :ivar types: the type of an entry, by the name of a resource whose
        template says another one
    """

    unused: collections.abc.Mapping[str, str]
    types: collections.abc.Mapping[str, str]

    def to_options(self) -> dict[str, object]:
        """Return the options of the operation that tells of them."""
        options = {
            adoption.UNUSED: self.unused,
            adoption.OTHER_TYPES: self.types,
        }
        return {key: dict(found) for key, found in options.items() if found}


def find_misfits(
    declared: Declared, entries: Entries, options: adoption.Values
) -> Misfits:
    """Return the entries that do not fit the template.

    :param options: those of the operation that adopts them
    :raises Mismatched: there are any, and the adoption is to refuse them
    """
    found = Misfits(
        {
            name: entry.physical_id or ""
            for name, entry in entries.items()
            if name not in declared and entry.has_something
        },
        {
            name: entry.type_name
            for name, entry in entries.items()
            if _is_of_other_type(declared.get(name), entry)
        },
    )
    if adoption.Verify.of(options) is adoption.Verify.REFUSE:
        _refuse(declared, found)
    return found


def _is_of_other_type(
    declared: declarations.Declaration | None, entry: adoption.Entry
) -> bool:
    return (
        declared is not None
        and bool(entry.type_name)
        and entry.type_name not in (declared.declared_type, declared.type_name)
    )


def _refuse(declared: Declared, found: Misfits) -> None:
    """Raise Mismatched if anything does not fit.

    :raises Mismatched: it does not
    """
    told = {
        name: f"resources.{name} is of type {declared[name].declared_type},"
        f" and what is to be adopted is of type {type_name}"
        for name, type_name in found.types.items()
    }
    told.update(
        (name, f"the template has no resource {name[:255]}")
        for name in found.unused
    )
    if told:
        listed = redacted.cut("; ".join(told.values()), _MAX_LISTED)
        raise Mismatched(
            f"What is to be adopted does not fit the template: {listed}.",
            [
                errors.Problem(text, f"resources.{name}")
                for name, text in told.items()
            ],
        )
