"""The resource types of one stack: installed ones, and those that nest."""

import collections.abc

from orch.context import request
from orch.engine import planning
from orch.engine.nested import asking as askings
from orch.engine.nested import making
from orch.engine.nested import nest as nests
from orch.engine.nested import stack_type
from orch.engine.nested import template_holder
from orch.plugin import holder
from orch.plugin import registry
from orch.plugin import resource
from orch.template import registry as template_registry


def serve(nest: nests.Nest) -> registry.Types:
    """Return what serves the types of a stack."""
    return Types(nest.installed_types, nest)


def serving(
    around: nests.Surroundings,
) -> collections.abc.Callable[
    [planning.Loaded, making.Acting], registry.Types
]:
    """Return what gives the types of a stack to an operation of it."""

    def serve_loaded(
        loaded: planning.Loaded, acting: making.Acting
    ) -> registry.Types:
        return serve(
            askings.Asking(
                around,
                loaded.subject,
                loaded.bound,
                acting,
                rows=loaded.rows,
                asked_by=request.RequestContext.from_stored(
                    acting.asked.context
                ),
            )
        )

    return serve_loaded


class Types:
    """Finds what serves a type in a stack."""

    def __init__(self, installed: registry.Types, nest: nests.Nest) -> None:
        """Serve the types of one stack.

        :param nest: the stack
        """
        self._installed = installed
        self._nest = nest
        self._found: dict[str, resource.Resource] = {}

    def find(self, type_name: str) -> resource.Resource | None:
        """Return what is known of a type, or ``None`` when nothing is."""
        if template_registry.is_template(type_name):
            return self.get(type_name)
        found = self._installed.find(type_name)
        return self.get(type_name) if _holds(found) else found

    def get(self, type_name: str) -> resource.Resource:
        """Return the plug-in that serves a type.

        :raises orch.plugin.registry.UnknownType: there is none here
        """
        found = self._found.get(type_name)
        if found is None:
            found = self._found[type_name] = self._get(type_name)
        return found

    def names(self) -> list[str]:
        """Return the names of the installed types, sorted."""
        return self._installed.names()

    def _get(self, type_name: str) -> resource.Resource:
        plugin: resource.Resource
        if template_registry.is_template(type_name):
            plugin = template_holder.TemplateHolder(
                type_name, self._nest.nested_type(type_name)
            )
        else:
            plugin = self._installed.get(type_name)
        if isinstance(plugin, holder.Holder):
            return stack_type.StackType(plugin, self._nest)
        return plugin


def _holds(found: resource.Resource | None) -> bool:
    return isinstance(found, holder.Holder) and not found.is_known_only
