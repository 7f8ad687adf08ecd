"""``OS::Heat::ResourceGroup``: a number of resources of one definition."""

import collections.abc
import dataclasses
import itertools
import typing

from orch.plugin import call_context
from orch.plugin import members as members_
from orch.plugin import nested_stack
from orch.plugin import type_files
from orch.resources.groups import attributes as group_attributes
from orch.resources.groups import membership
from orch.resources.groups import update_policies

Values = collections.abc.Mapping[str, object]

_REMOVED: typing.Final = "name_blacklist"
"""Names that are given to no member any more, joined by commas; the word is
Heat's, so that its documents of groups can be adopted."""

_MAX_GAPS: typing.Final = 10_000
"""Names that a document without a list of them may have lost."""


@type_files.described("OS::Heat::ResourceGroup")
class ResourceGroup(nested_stack.NestedStackResource):
    """Resources that differ only in their number.

    A member that was removed by name leaves its number for ever, unless
    ``removal_policies_mode`` says otherwise.
    """

    def data_of(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> Values:
        """Return the names that no member has any more, and the first size."""
        names = _removed(context, members)
        data = update_policies.initial_data(
            context, members, _count(context.properties)
        )
        data.pop(_REMOVED, None)
        if names:
            data[_REMOVED] = ",".join(sorted(names))
        return data

    def adopted_data(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> Values:
        """Return the data of a group that has the members of a document.

        Heat's documents do not tell which names were removed; the gaps
        between those of the members do.
        """
        there = {member.name for member in members}
        known = _stored_names(context.data) | _gaps(
            there, _count(context.properties)
        )
        data = {**context.data, _REMOVED: ",".join(sorted(known))}
        return self.data_of(dataclasses.replace(context, data=data), members)

    def stages(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the next batch, and all members as they shall be."""
        removed = _stored_names(context.data)
        desired = _count(context.properties)
        named = membership.NamedMembers(
            [
                member
                for member in membership.current_members(members)
                if member.name not in removed
            ],
            lambda count: _names(removed, count),
            desired,
            _define(context.properties),
        )
        pace = update_policies.change_batch_policy(context)
        if pace is not None and named.is_outdated:
            return membership.build_stages(named, pace)
        pace = update_policies.first_batch_policy(context)
        if pace is not None and named.is_short:
            return membership.build_stages(named, pace)
        return [membership.build_last_stage(named.end())]

    def read(
        self,
        context: call_context.Context,
        path: nested_stack.Path,
        view: nested_stack.ChildView,
    ) -> object:
        """Return an attribute of the group, or of each member a list."""
        key, *rest = path
        if key == "removed_rsrc_list":
            return nested_stack.find_part(
                sorted(_stored_names(context.data)), rest
            )
        return update_policies.read_attribute(
            self.type_name, context.name, path, view
        )


def _count(properties: Values) -> int:
    return int(typing.cast("int", properties.get("count") or 0))


def _names(removed: collections.abc.Collection[str], count: int) -> list[str]:
    """Return the first numbers, without those that were removed."""
    numbers = (str(number) for number in itertools.count())
    free = (name for name in numbers if name not in removed)
    return list(itertools.islice(free, count))


def _gaps(there: collections.abc.Collection[str], count: int) -> set[str]:
    """Return the numbers that so many members leap over.

    :returns: none where there are fewer members: then some are just missing
    """
    numbers = sorted(int(name) for name in there if _is_number(name))
    if not 0 < count <= len(numbers):
        return set()
    last = numbers[count - 1]
    # A wild number is no sign of so many removals.
    if last > _MAX_GAPS + count:
        return set()
    return {str(number) for number in range(last)} - set(there)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and str(int(name)) == name


def _define(properties: Values) -> membership.Define:
    given = typing.cast("Values", properties["resource_def"])
    definition = membership.without_missing(given)
    index = str(properties.get("index_var") or "")

    def define(name: str) -> membership.Definition:
        if not index or "properties" not in definition:
            return definition
        own = members_.with_number(definition["properties"], index, name)
        return {**definition, "properties": own}

    return define


def _stored_names(data: Values) -> set[str]:
    return set(filter(None, str(data.get(_REMOVED) or "").split(",")))


def _removed(
    context: call_context.Context,
    members: collections.abc.Sequence[nested_stack.Member],
) -> set[str]:
    """Return the names of members that were removed, and shall be."""
    known = _stored_names(context.data)
    is_kept = context.properties.get("removal_policies_mode") != "update"
    found = set(known) if is_kept else set()
    there = membership.current_members(members)
    names = {member.name for member in there}
    by_reference = {
        str(one): name
        for name, one in group_attributes.member_references(there).items()
    }
    by_id = {
        member.physical_id: member.name
        for member in there
        if member.physical_id is not None
    }
    for policy in _maps(context.properties.get("removal_policies")):
        for each in _list(policy.get("resource_list")):
            text = str(each)
            if context.physical_id is None or text in names | known:
                found.add(text)
            elif text in by_reference or text in by_id:
                found.add(by_reference.get(text) or by_id[text])
    return found


def _maps(found: object) -> list[Values]:
    return [one for one in _list(found) if isinstance(one, dict)]


def _list(found: object) -> list[object]:
    return found if isinstance(found, list) else []
