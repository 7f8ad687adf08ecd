"""Types that are values or elements of a resource that exists without them.

Routes of a router and grants of a user have no id in their service: the id of
such a resource is that of its host, which a property names.
"""

import collections.abc
import dataclasses

from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import base
from orch.resources.openstack import type_table

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]


class Association(base.OpenStackResource):
    """Elements of another resource, its host; or its quota."""

    has_full_lists = False

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Find the host; :meth:`is_created` associates."""
        return self.host_of(context, context.properties)

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Return nothing: what is associated already is associated again."""
        return None

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Associate, as soon as the service accepts that."""
        return self.wait_for(context, lambda: self.apply(context))

    def apply(self, context: call_context.Context) -> None:
        """Send all values, and associate all elements."""
        body = self.body_of_properties(context)
        if body:
            self.send_change(context, body)
        for field in self.element_fields():
            given = self.find_elements(context, field, context.properties)
            self.associate(context, field, list(given.values()))

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: Names,
    ) -> call_context.CreateResult | None:
        """Associate what is missing, unless that has to wait; remove the rest.

        All is removed from another host that it had before.
        """
        former = self.host_of(context, before)
        now = self.host_of(context, context.properties)
        context = dataclasses.replace(context, physical_id=now)
        if self.table.is_quota and None in map(
            context.properties.get, changed
        ):
            super().remove(context)
        if not self.table.not_yet:
            self.apply(context)
        for field in self.element_fields():
            gone = self.find_elements(context, field, before)
            if former == now:
                kept = self.find_elements(context, field, context.properties)
                gone = {key: gone[key] for key in gone.keys() - kept.keys()}
            self.dissociate(
                dataclasses.replace(context, physical_id=former),
                field,
                list(gone.values()),
            )
        return call_context.CreateResult(now) if former != now else None

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Associate what had to wait."""
        if not self.table.not_yet:
            return call_context.DONE
        return self.is_created(context)

    def delete(self, context: call_context.Context) -> None:
        """Do nothing yet; :meth:`is_deleted` removes."""

    def remove(self, context: call_context.Context) -> None:
        """Remove the elements, or reset the quota.

        What its successor gives remains, or is sent again.
        """
        if self.table.is_quota:
            super().remove(context)
            if context.successor is not None:
                self.apply(
                    dataclasses.replace(context, properties=context.successor)
                )
        for field in self.element_fields():
            given = self.find_elements(context, field, context.properties)
            kept = self.find_elements(context, field, context.successor or {})
            given = {key: given[key] for key in given.keys() - kept.keys()}
            if field.elements and not field.elements.remove.names_elements:
                # Another resource may have replaced the element since.
                there = self.read_elements(context, field, self.body(context))
                given = {
                    key: given[key] for key in given.keys() & (there or {})
                }
            self.dissociate(context, field, list(given.values()))

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Remove them, as soon as the service accepts that.

        :raises orch.errors.Busy: others hold them for too long
        """
        return self.ask_to_remove(context)

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether all elements are associated.

        :raises orch.plugin.reality.Vanished: one is not
        """
        body = self.body(context)
        for field in self.element_fields():
            given = self.find_elements(context, field, context.properties)
            there = self.read_elements(context, field, body) or {}
            missing = len(given.keys() - there.keys())
            if missing:
                raise reality.Vanished(
                    f"{missing} of {len(given)} {field.name} are missing"
                )
        return call_context.DONE

    def host_of(
        self, context: call_context.Context, properties: Values
    ) -> str:
        """Return the id of the host that properties name."""
        field = self.fields[self.table.host]
        return str(
            self.translated(
                self.cloud(context), field, properties[self.table.host]
            )
        )

    def element_fields(self) -> collections.abc.Iterator[type_table.Field]:
        """Yield the fields whose elements are associated with the host."""
        for field in self.fields.values():
            if field.elements is not None:
                yield field
