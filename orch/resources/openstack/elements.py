"""Properties that are brought about by requests of their own.

That are lists whose elements are associated one by one (grants, members,
agents), maps whose entries are set one by one, and values with an address of
their own (tags). What a table says of them is in
:class:`orch.resources.openstack.type_table.Field`.
"""

import collections.abc
import dataclasses

from orch.clients import collection
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import observed_base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]
Found = dict[bytes, Values]
"""Elements as templates of requests need them, by what identifies each."""


def settle_entries(
    api_collection: collection.Collection,
    place: str,
    key: str,
    held: Values,
    desired: Values,
    own: Values | None = None,
) -> None:
    """Set the entries of a map that differ, and remove those too many.

    :param held: those that there are
    :param own: those of them that no user gave, which stay; ``None`` if the
        service cannot replace the whole map
    """
    gone = sorted(held.keys() - desired.keys() - (own or {}).keys())
    if own is not None and not all(map(rest.is_found_by_path, gone)):
        api_collection.ask("PUT", place, {key: {**desired, **own}})
        return
    new = {
        name: value
        for name, value in desired.items()
        if held.get(name) != value
    }
    if new:
        api_collection.ask("POST", place, {key: new})
    for name in gone:
        api_collection.discard(f"{place}/{rest.path_segment(name)}")


class ElementResource(observed_base.ObservedResource):
    """A resource type with properties that have requests of their own."""

    def settles(self, changed: Names) -> bool:
        """Whether :meth:`settle` is needed for these properties."""
        return any(
            field.own_path or field.entries_path or field.elements
            for field in self.fields.values()
            if field.name in changed
        )

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: Names,
        before: Values,
    ) -> None:
        """Bring about what takes requests of its own; may come again.

        Called once a new resource is ready, with all properties that are
        given, and after a change.

        :param body: the resource as it is now
        :param before: properties as they were; empty after a creation
        """
        calls = self.api_collection(context)
        for field in self.fields.values():
            if field.name not in changed:
                continue
            if field.own_path:
                desired = context.properties.get(field.name) or field.empty
                held = self.normalise(field.name, body.get(field.key))
                if held != self.normalise(field.name, desired):
                    place = calls.place(self.id_of(context))
                    calls.ask(
                        "PUT",
                        f"{place}/{field.own_path}",
                        {field.key: desired},
                    )
            if field.entries_path:
                settle_entries(
                    calls,
                    f"{calls.place(self.id_of(context))}/{field.entries_path}",
                    field.key,
                    body.get(field.key) or {},
                    wire.to_texts(context.properties.get(field.name)),
                )
            if field.elements is not None:
                self.settle_elements(context, field, body, before)

    def settle_elements(
        self,
        context: call_context.Context,
        field: type_table.Field,
        body: wire.Body,
        before: Values,
    ) -> None:
        """Associate the elements that are missing, and no other ones."""
        words = _words(field)
        if context.properties.get(words.unless):
            return
        desired = self.find_elements(context, field, context.properties)
        former = self.find_elements(context, field, before)
        there: Found | None = {}
        if not words.is_shared:
            there = self.read_elements(context, field, body)
            former = former if there is None else there
        missing, surplus = (
            _without(desired, there or {}),
            _without(former, desired),
        )
        if words.removes_first:
            self.dissociate(context, field, surplus)
            self.associate(context, field, missing)
        else:
            self.associate(context, field, missing)
            self.dissociate(context, field, surplus)

    def find_elements(
        self,
        context: call_context.Context,
        field: type_table.Field,
        properties: Values,
    ) -> Found:
        """Return the elements that properties give, names as ids.

        Those of all properties with the same requests are together.
        """
        found: Found = {}
        for alike in self.fields.values():
            given = properties.get(alike.name)
            if alike.elements != field.elements or not given:
                continue
            for item in given if isinstance(given, list | tuple) else [given]:
                resolved = self.resolve_element(context, alike, item)
                found[wire.to_key(resolved)] = resolved
        return found

    def resolve_element(
        self,
        context: call_context.Context,
        field: type_table.Field,
        item: object,
    ) -> Values:
        """Return an element as templates of requests need it."""
        plain = dataclasses.replace(field, form="")
        value = wire.normalise_value(plain, item)
        return {"item": self.translated(self.cloud(context), plain, value)}

    def read_elements(
        self,
        context: call_context.Context,
        field: type_table.Field,
        body: wire.Body,
    ) -> Found | None:
        """Return the elements that are associated; ``None`` if refused.

        :param body: the resource as it is now
        """
        words = _words(field)
        if words.path:
            path = wire.fill_path(words.path, {"id": self.id_of(context)})
            try:
                body = self.api_collection(context).ask("GET", path)
            except rest.CloudRefused:
                return None
        found: Found = {}
        listed = wire.find_value(body, words.plural) or ()
        for each in listed if isinstance(listed, list | tuple) else (listed,):
            item = each[words.key] if words.key else each
            value = {"item": wire.normalise_value(field, item)}
            found[wire.to_key(value)] = value
        return found

    def associate(
        self,
        context: call_context.Context,
        field: type_table.Field,
        elements: collections.abc.Collection[Values],
    ) -> None:
        """Associate elements; those that are associated already are fine."""
        for method, path, body in self._requests(
            context, _words(field).add, elements
        ):
            self.api_collection(context).ask(method, path, body)

    def dissociate(
        self,
        context: call_context.Context,
        field: type_table.Field,
        elements: collections.abc.Collection[Values],
    ) -> None:
        """Remove elements; those that are gone already are fine."""
        for method, path, body in self._requests(
            context, _words(field).remove, elements
        ):
            try:
                self.api_collection(context).ask(method, path, body)
            except rest.CloudNotFound:
                continue

    def _requests(
        self,
        context: call_context.Context,
        request: type_table.Request,
        elements: collections.abc.Collection[Values],
    ) -> collections.abc.Iterator[tuple[str, str, Values | None]]:
        """Yield method, path and body of the requests for elements."""
        values: Values
        if elements and "{items}" in repr(request.body):
            elements = [{"items": [each["item"] for each in elements]}]
        for each in elements:
            values = {**each, "id": self.id_of(context)}
            path = wire.fill_path(request.path, values)
            body = request.body and wire.fill_map(request.body, values)
            yield request.method, path, body

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that answers tell, elements among them."""
        found = super().reality_of(context, body)
        for field in self.fields.values():
            given = context.properties.get(field.name)
            words = field.elements
            if (
                words is None
                or not field.is_read
                or context.properties.get(words.unless)
                or (given is None and field.name in context.properties)
                or (words.is_shared and not given)
            ):
                continue
            there = self.read_elements(context, field, body) or {}
            found[field.name] = [
                item
                for item in wire.to_list(given)
                if wire.to_key(self.resolve_element(context, field, item))
                in there
            ]
            if not words.is_shared:
                items = [each["item"] for each in there.values()]
                is_one = isinstance(given, str)
                found[field.name] = (
                    next(iter(items), None) if is_one else items
                )
        return found


def _words(field: type_table.Field) -> type_table.Elements:
    assert field.elements is not None
    return field.elements


def _without(some: Found, others: Found) -> list[Values]:
    """Return elements but those of others, in an order of ours."""
    return [some[key] for key in sorted(some.keys() - others.keys())]
