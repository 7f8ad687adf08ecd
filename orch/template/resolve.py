"""Works out the properties and metadata of a resource in some world."""

import collections.abc
import dataclasses

from orch.model import marked
from orch.plugin import function
from orch.plugin import nested_stack
from orch.template import body as body_
from orch.template import errors as template_errors
from orch.template import problems
from orch.template import secret_literals
from orch.template import world
from orch.template.language import expression
from orch.template.language import scope as scope_
from orch.template.resources import declaration
from orch.template.resources import properties as properties_
from orch.template.resources import type_info
from orch.template.text import values as text_values


def written_names(
    parsed: expression.Expression,
) -> collections.abc.Iterable[str]:
    """Return the keys of a map as far as the template shows them."""
    parts = text_values.plain_items(parsed.value)
    return parts if isinstance(parts, dict) else ()


def mark_unknown(values: marked.Marked) -> marked.Marked:
    """Return properties some of which are wrong, those marked as unknown."""
    return marked.Marked(
        {
            name: world.UNKNOWN if value is None else value
            for name, value in values.items()
        },
        values.sensitive,
    )


@dataclasses.dataclass(frozen=True)
class Resolver:
    """Resolves the resources of one template."""

    body: body_.Body

    def properties(
        self,
        parsed: declaration.Parsed,
        scope: scope_.Scope,
        found: properties_.Found,
    ) -> marked.Marked:
        """Return all properties, coerced, defaults filled in.

        What is sensitive in them is marked.

        :param found: told of each thing that is wrong
        """
        kind = self.body.resources.types.find(parsed.declaration.type_name)
        if kind is None or kind.is_open:
            return marked.Marked()
        name = parsed.declaration.name
        if name in self.body.cached_values:
            return self.body.cached_values[name]
        faults: list[problems.Fault] = []
        path = parsed.properties.path
        scope.reads.take_paths()
        given = self._given(parsed.properties, scope, faults.append)
        sensitive = scope.reads.take_paths()
        faults.extend(kind.coercer.unknown(given, path))
        values = kind.coercer.coerce(given, path, faults.append)
        sensitive += marked.below(scope.statics.around.sensitive_parts, *path)
        sensitive = tuple(map(kind.coercer.current_path, sensitive))
        marks = marked.Marked(
            values,
            (
                *sensitive,
                *kind.find_sensitive(values),
                *self._declared(kind, values),
            ),
        )
        # What is wrong is missing in the values.
        sensitive += tuple(kind.find_sensitive(given)) if faults else ()
        for fault in faults:
            kind.coercer.omit_sensitive(fault, path, sensitive)
            found(fault)
        if parsed.properties.is_static and not faults:
            self.body.cached_values[name] = marks
        return marks

    def _declared(
        self, kind: type_info.TypeInfo, values: dict[str, object]
    ) -> collections.abc.Iterable[marked.Path]:
        """Return what is sensitive in resources that a group declares."""
        if not isinstance(kind.plugin, nested_stack.NestedStackResource):
            return ()
        return secret_literals.find_declared(
            values, self.body.resources.types.secret_names
        )

    def right(
        self, parsed: declaration.Parsed, scope: scope_.Scope
    ) -> marked.Marked:
        """Return only those of the written properties that are right.

        :param scope: one that marks what is not known yet
        """
        try:
            values = self.properties(parsed, scope, lambda fault: None)
        except template_errors.TemplateRefused:
            return marked.Marked()
        right = {
            name: values[name]
            for name in written_names(parsed.properties)
            if values.get(name) is not None
            and not world.has_unknown(values[name])
        }
        return marked.Marked(
            right,
            [path for path in values.sensitive if path[0] in right],
        )

    def known(
        self, parsed: declaration.Parsed, scope: scope_.Scope
    ) -> marked.Marked:
        """Return the properties as far as they are known and right.

        :param scope: one that marks what is not known yet
        :returns: all others are marked, too
        """
        found: list[problems.Fault] = []
        try:
            values = self.properties(parsed, scope, found.append)
        except (template_errors.TemplateRefused, world.NotYetKnown):
            kind = self.body.resources.types.find(parsed.declaration.type_name)
            names = kind.coercer.names if kind else ()
            return marked.Marked(dict.fromkeys(names, world.UNKNOWN))
        return mark_unknown(values) if found else values

    def _given(
        self,
        parsed: expression.Expression,
        scope: scope_.Scope,
        found: properties_.Found,
    ) -> dict[str, object]:
        """Return the properties that the template gives, resolved."""
        parts = text_values.plain_items(parsed.value)
        if isinstance(parts, function.Node):
            parts = parsed.resolve(scope)
        if parts is None or parts is function.OMITTED:
            return {}
        if not isinstance(parts, dict):
            found(problems.Fault(parsed.path, "properties must be a map"))
            return {}
        if parts is parsed.value:
            return parts
        given: dict[str, object] = {}
        for name, part in parts.items():
            path = (*parsed.path, name)
            try:
                given[name] = self._part(name, part, path, scope)
            except template_errors.TemplateRefused as error:
                found(problems.Fault(path, error.message, advice=error.advice))
        return given

    def _part(
        self,
        name: str,
        part: object,
        path: template_errors.Path,
        scope: scope_.Scope,
    ) -> object:
        try:
            return expression.Expression(path, part).resolve(scope, name)
        except world.NotYetKnown:
            if scope.marks_unknown:
                return world.UNKNOWN
            raise
