"""Asks Heat's REST API for all that there is of some stacks.

Those around a stack, and those in it, tell what of it is hidden; they are
asked for once.
"""

import collections.abc
import dataclasses
import functools
import typing

from heatclient import exc

from orch.model import secret_types
from orch.search import document
from orch_search_heat import documents
from orch_search_heat import redaction

Found = redaction.Found
Find = collections.abc.Callable[[str], Found | None]
IsListed = collections.abc.Callable[[str], bool]

_DEEPEST: typing.Final = 20
_REASONS: typing.Final = 50
_USUAL: typing.Final = ("OS::", "AWS::")
"""How types begin that a service has; others may stand for any of them."""


class Untold(Exception):  # noqa: N818 - it is no mistake of anybody
    """No answer says whether a stack exists."""


@dataclasses.dataclass(frozen=True, slots=True)
class Contents:
    """The documents of a stack, and the names of what they leave out.

    A stack that is gone has such names for as long as it is shown.
    """

    documents: tuple[document.Document, ...] = ()
    redacted: frozenset[str] = document.UNKNOWN_REDACTION


class Reading:
    """Reads some stacks; those around them are asked for once."""

    def __init__(
        self,
        client: typing.Any,
        find: Find,
        is_listed: IsListed,
        hidden_tags: frozenset[str],
    ) -> None:
        """Ask for nothing yet.

        :param client: python-heatclient
        :param find: gives what the list of all projects says of a stack, or
            raises :class:`Untold`
        :param is_listed: answers whether those who do not ask for hidden
            stacks find a stack in the list; raises :class:`Untold` likewise
        :param hidden_tags: tags that hide a stack
        """
        self._client = client
        self._find = find
        self._is_listed = is_listed
        self._hidden_tags = hidden_tags
        self._hidden = (exc.HTTPNotFound, exc.HTTPForbidden)
        self._stacks: dict[str, Found | None] = {}
        self._resources: dict[str, list[Found]] = {}
        self._templates: dict[str, Found] = {}
        self._rules: dict[str, redaction.Rules] = {}
        self._holders: dict[str, frozenset[str]] = {}
        self._unlisted: dict[str, bool] = {}

    def read(self, stack_id: str) -> Contents | None:
        """Return the documents of a stack; none where it is gone.

        :returns: ``None`` where it is not known
        """
        shown = self._shown(stack_id)
        if shown is None:
            return self._read_listed(stack_id)
        rules = self._rules_of(shown)
        written = self._template(stack_id)
        if documents.is_gone(shown):
            return Contents((), documents.redacted(written, shown, rules))
        root, names = self._way(shown)
        place = documents.Place(
            root, tuple(names), is_hidden=self._is_hidden(shown, root)
        )
        around = documents.of_stack(
            shown, written, place, rules, self._failures(shown)
        )
        rows = self._listed(stack_id)
        return Contents(
            (
                around,
                *(
                    documents.of_resource(around, written, each, rules)
                    for each in rows
                ),
            ),
            documents.redacted(written, shown, rules, place, rows),
        )

    def _read_listed(self, stack_id: str) -> Contents | None:
        try:
            listed = self._find(stack_id)
        except Untold:
            return None
        if listed is None or documents.is_gone(listed):
            return Contents()
        place = documents.Place(
            listed, (), is_hidden=self._is_hidden(listed, listed)
        )
        rules = redaction.Rules({}, redaction.Around(), _nothing)
        return Contents(
            (documents.of_stack(listed, {}, place, rules, ()),),
            documents.redacted({}, listed, rules, place),
        )

    def _is_hidden(self, shown: Found, root: Found) -> bool:
        """Whether only administrators find a stack.

        The service alone knows all of its tags for that, and leaves those
        that have one out of its list. One whose list may not be read is
        taken for hidden: what is hidden must not be found.
        """
        tags = {*(shown.get("tags") or ()), *(root.get("tags") or ())}
        if not self._hidden_tags.isdisjoint(map(str, tags)):
            return True
        if root["id"] not in self._unlisted:
            try:
                self._unlisted[root["id"]] = not self._is_listed(root["id"])
            except Untold:
                self._unlisted[root["id"]] = True
        return self._unlisted[root["id"]]

    def _rules_of(self, shown: Found) -> redaction.Rules:
        """Return where hidden values may be in a stack."""
        stack_id = shown["id"]
        if stack_id not in self._rules:
            self._rules[stack_id] = redaction.Rules(
                self._template(stack_id),
                redaction.Around(
                    name=str(shown["stack_name"]),
                    given=self._given(shown),
                    physical_ids={
                        str(each["resource_name"]): str(
                            each.get("physical_resource_id") or ""
                        )
                        for each in self._listed(stack_id)
                    },
                    types=self._types(stack_id),
                    masked=documents.masked_parameters(shown),
                ),
                functools.partial(self._holds, stack_id),
            )
        return self._rules[stack_id]

    def _given(self, shown: Found) -> frozenset[str] | None:
        """Return parameters that the stack around gives hidden values."""
        outer_id = shown.get("parent")
        if not outer_id:
            return frozenset()
        outer = self._shown(outer_id)
        if outer is None:
            return None
        return self._rules_of(outer).given(
            self._held_as(outer_id, shown["id"]),
            self._template(shown["id"]),
        )

    def _held_as(self, outer_id: str, stack_id: str) -> str:
        """Return the name of the resource that a stack is; empty for none."""
        for each in self._listed(outer_id):
            if each.get("physical_resource_id") == stack_id:
                return str(each["resource_name"])
        return ""

    def _types(self, stack_id: str) -> dict[str, str] | None:
        """Return what the environment of a stack says that types are.

        :returns: ``None`` where it may not be read, and types that it may map
            are there
        """
        declared = redaction.resources(self._template(stack_id)).values()
        if all(
            str(each.get("type", each.get("Type", ""))).startswith(_USUAL)
            for each in declared
            if isinstance(each, dict)
        ):
            return {}
        try:
            found = self._client.stacks.environment(stack_id)
        except self._hidden:
            return None
        if not isinstance(found, dict):
            return None
        return secret_types.resolve_types(found.get("resource_registry"))

    def _holds(self, stack_id: str, name: str) -> bool:
        """Whether the stack that a resource is hides something."""
        if stack_id not in self._holders:
            self._holders[stack_id] = self._find_holders(stack_id)
        return name in self._holders[stack_id]

    def _find_holders(self, stack_id: str) -> frozenset[str]:
        """Return the resources whose stacks, at any depth, hide something.

        Stacks of one type have one template: a group of a thousand is asked
        for one of them. Those of a service's own types have each its own.
        """
        if not any(map(_child_id, self._listed(stack_id))):
            return frozenset()
        try:
            rows = [
                each.to_dict()
                for each in self._client.resources.list(
                    stack_id, nested_depth=_DEEPEST
                )
            ]
        except self._hidden:
            rows = self._listed(stack_id)
        above: dict[str, Found] = {}
        telling: dict[str, bool] = {}
        found = set()
        for row in rows:
            inner_id = _child_id(row)
            if not inner_id:
                continue
            above[inner_id] = row
            type_name = str(row.get("resource_type", ""))
            is_own = type_name.startswith(_USUAL)
            key = inner_id if is_own else type_name
            if key not in telling:
                telling[key] = self._redacts_itself(inner_id)
        for row in above.values():
            type_name = str(row.get("resource_type", ""))
            if telling.get(_child_id(row)) or telling.get(type_name):
                found.add(_topmost(row, above))
        return frozenset(found)

    def _redacts_itself(self, stack_id: str) -> bool:
        """Whether a template hides something, its child stacks aside."""
        rules = redaction.Rules(
            self._template(stack_id),
            redaction.Around(types=self._types(stack_id)),
            _nothing,
        )
        return not rules.is_idle

    def _shown(self, stack_id: str) -> Found | None:
        if stack_id not in self._stacks:
            try:
                found = self._client.stacks.get(stack_id).to_dict()
            except self._hidden:
                found = None
            self._stacks[stack_id] = found
        return self._stacks[stack_id]

    def _listed(self, stack_id: str) -> list[Found]:
        if stack_id not in self._resources:
            try:
                found = self._client.resources.list(stack_id, with_detail=True)
                self._resources[stack_id] = [each.to_dict() for each in found]
            except self._hidden:
                self._resources[stack_id] = []
        return self._resources[stack_id]

    def _template(self, stack_id: str) -> Found:
        if stack_id not in self._templates:
            try:
                found = self._client.stacks.template(stack_id)
            except self._hidden:
                found = {}
            self._templates[stack_id] = (
                found if isinstance(found, dict) else {}
            )
        return self._templates[stack_id]

    def _failures(self, shown: Found) -> list[Found]:
        """Return the events of a stack that has failed which say why."""
        if not str(shown.get("stack_status", "")).endswith("_FAILED"):
            return []
        try:
            found = self._client.events.list(
                shown["id"], resource_status="FAILED", limit=_REASONS
            )
            return [each.to_dict() for each in found]
        except self._hidden:
            return []

    def _way(self, shown: Found) -> tuple[Found, list[str]]:
        """Return the root around a stack, and the names on the way down."""
        names: list[str] = []
        place = shown
        for _ in range(_DEEPEST):
            outer_id = place.get("parent")
            outer = self._shown(outer_id) if outer_id else None
            if outer is None:
                break
            held = self._held_as(outer["id"], place["id"])
            names.insert(0, held or str(place["stack_name"]))
            place = outer
        return place, names


def _child_id(row: Found) -> str:
    """Return the id of the stack that a resource is; empty for none."""
    return _linked(row, "nested")


def _linked(row: Found, rel: str) -> str:
    for link in row.get("links") or ():
        if link.get("rel") == rel:
            return str(link.get("href", "")).rstrip("/").rpartition("/")[2]
    return ""


def _topmost(row: Found, above: dict[str, Found]) -> str:
    """Return the resource of the outermost stack that a row stands in.

    :param above: the resources that stacks are, by the ids of these
    """
    for _ in range(_DEEPEST):
        outer = above.get(_linked(row, "stack"))
        if outer is None:
            break
        row = outer
    return str(row["resource_name"])


def _nothing(name: str) -> bool:
    return False
