"""The resources of one template: parsed, mapped to types, connected."""

import collections.abc
import dataclasses

from orch.graph import graph
from orch.plugin import function
from orch.template import errors
from orch.template import problems
from orch.template import world
from orch.template.environment import registry
from orch.template.language import conditions as conditions_
from orch.template.language import expression
from orch.template.language import formats
from orch.template.resources import declaration
from orch.template.resources import implicit_order
from orch.template.resources import type_info

_NO_PROPERTIES: dict[str, object] = {}


class _Unreadable(Exception):  # noqa: N818 it is caught, never shown
    """The type of a resource is a template that cannot be read."""


class Resources:
    """The resources of one template.

    :ivar parsed: those that are active, in the order of the template
    :ivar names: those that the template has, active or not
    :ivar broken: those of which too much is wrong to look further
    :ivar types: what is known of their types
    """

    def __init__(
        self,
        format_: formats.Format,
        parser: expression.Parser,
        conditions: conditions_.Conditions,
        types: type_info.TypeCatalogue,
        type_map: registry.TypeMap,
    ) -> None:
        self.parsed: dict[str, declaration.Parsed] = {}
        self.names: frozenset[str] = frozenset()
        self.broken: set[str] = set()
        self._format = format_
        self._parser = parser
        self._conditions = conditions
        self.types = types
        self._type_map = type_map

    def read(self, section: object, report: problems.Report) -> None:
        """Take the resources of a section, but those that are broken."""
        if not isinstance(section, dict):
            return
        self.names = frozenset(section)
        unreadable: dict[str, None] = {}
        for name, written in section.items():
            if name in self.broken:
                continue
            assert isinstance(written, dict)
            try:
                if self._is_active(name, written):
                    self.parsed[name] = self._parse(name, written)
            except _Unreadable as error:
                self.broken.add(name)
                unreadable[str(error)] = None
            except problems.Fault as fault:
                self.broken.add(name)
                report.add(fault)
        for type_name in unreadable:
            report.extend(self.types.faults(type_name))

    def connect(self, scope: function.Scope, report: problems.Report) -> None:
        """Work out what each resource requires.

        :param report: told of references to what is not there
        """
        for parsed in self.parsed.values():
            required = tuple(self._required(parsed, scope, report))
            if required:
                parsed.declaration = dataclasses.replace(
                    parsed.declaration, requires=required
                )
        for name, unnamed in implicit_order.find_implicit_order(
            self.parsed
        ).items():
            found = self.parsed[name].declaration
            self.parsed[name].declaration = dataclasses.replace(
                found, requires=(*found.requires, *unnamed)
            )

    def circle(self) -> problems.Fault | None:
        """Return what is wrong when resources require each other."""
        order: graph.Graph[str] = graph.Graph()
        for name, parsed in self.parsed.items():
            order.add(name)
            for required in parsed.declaration.requires:
                order.connect(name, required)
        circle = order.find_cycle()
        if not circle:
            return None
        return problems.Fault(
            (self._format.resources, circle[0]),
            f"Circular Dependency Found: {' -> '.join([*circle, circle[0]])}",
            errors.Circular,
            "Remove one of these references or depends_on.",
        )

    def attribute_names(self, resource: str) -> collections.abc.Sequence[str]:
        """Return the attributes that a resource declares."""
        parsed = self.parsed.get(resource)
        kind = parsed and self.types.find(parsed.declaration.type_name)
        return kind.attributes if kind else ()

    def check_attribute(self, resource: str, attribute: str | None) -> None:
        """Refuse a resource or attribute that does not exist.

        :raises orch.template.errors.ReferenceInvalid: no such resource
        :raises orch.template.errors.AttributeInvalid: no such attribute
        :raises orch.template.world.NotYetKnown: the resource is broken
        """
        if resource in self.broken:
            raise world.NotYetKnown(f"The resource {resource} is wrong.")
        parsed = self.parsed.get(resource)
        if parsed is None:
            raise errors.ReferenceInvalid(
                f'The specified reference "{resource}" (in unknown) is'
                " incorrect.",
                advice=problems.suggest_name(resource, self.parsed),
            )
        if attribute is None:
            return
        kind = self.types.find(parsed.declaration.type_name)
        if kind and not kind.has_any and attribute not in kind.readable:
            raise errors.AttributeInvalid(
                f"The Referenced Attribute ({resource} {attribute}) is"
                " incorrect.",
                advice=problems.suggest_name(attribute, kind.readable),
            )

    def is_nested_stack(self, resource: str) -> bool:
        """Answer whether a resource is a stack of its own."""
        parsed = self.parsed.get(resource)
        return parsed is not None and parsed.is_nested_stack

    def _is_active(
        self, name: str, written: collections.abc.Mapping[str, object]
    ) -> bool:
        key = self._format.resource.condition
        if key is None or key not in written:
            return True
        return self._conditions.decide(
            written[key], (self._format.resources, name, key)
        )

    def _parse(
        self,
        name: str,
        written: collections.abc.Mapping[str, object],
    ) -> declaration.Parsed:
        keys = self._format.resource
        path = (self._format.resources, name)
        declared = str(written[keys.type])
        special = self._type_map.special(name)
        try:
            type_name = self._type_map.find(declared, special)
        except errors.TemplateInvalid as error:
            raise problems.fault_of(error, (*path, keys.type)) from None
        kind = self._kind(declared, type_name, (*path, keys.type))
        if kind.plugin is not None and kind.plugin.is_variant:
            raise self._no_type(declared, type_name, (*path, keys.type))
        served_by = self._serving_type(kind, type_name, written, path)
        if served_by != type_name:
            type_name = served_by
            kind = self._kind(declared, type_name, (*path, keys.type))
        given = written.get(keys.properties)
        with self._conditions.values_omitted():
            deletion_policy = self._deletion_policy(written, path, kind)
            update_policy = self._update_policy(written, path, kind)
        depends: tuple[str, ...] = ()
        if keys.depends_on in written:
            depends = _depends_on(
                name, written[keys.depends_on], (*path, keys.depends_on)
            )
        return declaration.Parsed(
            declaration.Declaration(
                name=name,
                type_name=type_name,
                declared_type=declared,
                deletion_policy=deletion_policy,
                update_policy=update_policy,
                description=str(written.get(keys.description) or ""),
                external_id=self._external_id(written, path),
                hooks=special.hooks,
                restricted_actions=special.restricted_actions,
            ),
            kind.plugin,
            kind.nested,
            self._part(keys.properties, written, path),
            self._part(keys.metadata, written, path),
            depends,
            given if isinstance(given, dict) else _NO_PROPERTIES,
        )

    def _kind(
        self,
        declared: str,
        type_name: str,
        path: errors.Path,
    ) -> type_info.TypeInfo:
        """Return what is known of the type of a resource.

        :raises problems.Fault: there is no such type
        :raises _Unreadable: it is a template that is wrong
        """
        try:
            found = self.types.read(type_name)
        except problems.Fault as fault:
            fault.path = path
            raise
        if found is None and registry.is_template(type_name):
            raise _Unreadable(type_name)
        if found is None:
            raise self._no_type(declared, type_name, path)
        return found

    def _serving_type(
        self,
        kind: type_info.TypeInfo,
        type_name: str,
        written: collections.abc.Mapping[str, object],
        path: errors.Path,
    ) -> str:
        """Return the type that serves a resource with these properties."""
        if kind.plugin is None or not kind.plugin.chosen_by:
            return type_name
        key = self._format.resource.properties
        given = written.get(key)
        if not isinstance(given, dict):
            return type_name
        return kind.plugin.serving_type(
            {
                name: self._early(given[name], (*path, key, name))
                for name in kind.plugin.chosen_by
                if name in given
            }
        )

    def _early(self, written: object, path: errors.Path) -> object:
        """Return a value if it depends on no resource, else as written."""
        try:
            return self._conditions.fixed(
                self._parser.expression(written, path)
            )
        except problems.Fault:
            # Whatever is wrong is told where the properties are checked.
            return written

    def _part(
        self,
        key: str,
        written: collections.abc.Mapping[str, object],
        path: errors.Path,
    ) -> expression.Expression:
        if key not in written:
            return expression.Expression((*path, key), _NO_PROPERTIES)
        return self._parser.expression(written[key], (*path, key))

    def _no_type(
        self, declared: str, type_name: str, path: errors.Path
    ) -> problems.Fault:
        advice = problems.suggest_name(declared, self.types.names())
        mapped = self._type_map.mapped(declared)
        if mapped not in (None, declared):
            advice = f"The environment maps it to {mapped}: there is none."
        return problems.Fault(
            path,
            f"The Resource Type ({type_name}) could not be found.",
            errors.TypeUnknown,
            advice,
        )

    def _fixed(
        self,
        key: str | None,
        written: collections.abc.Mapping[str, object],
        path: errors.Path,
    ) -> object:
        """Return a part that must not depend on other resources."""
        if key is None or key not in written:
            return None
        value = written[key]
        if not isinstance(value, dict | list):
            return value
        parsed = self._parser.expression(value, (*path, key))
        if not isinstance(parsed.value, function.Node):
            return parsed.value
        return self._conditions.fixed(parsed)

    def _deletion_policy(
        self,
        written: collections.abc.Mapping[str, object],
        path: errors.Path,
        kind: type_info.TypeInfo,
    ) -> str:
        key = self._format.resource.deletion_policy
        value = self._fixed(key, written, path)
        if value is None or value is function.OMITTED:
            return "Delete"
        policies = dict(self._format.policies)
        if not isinstance(value, str) or value not in policies:
            raise problems.Fault(
                (*path, key),
                f'Invalid deletion policy "{value}"',
                advice=problems.suggest_name(
                    str(value),
                    policies,
                    f"Policies are: {', '.join(policies)}.",
                ),
            )
        policy = policies[value]
        if policy == "Snapshot" and not kind.can_snapshot:
            raise problems.Fault(
                (*path, key), '"Snapshot" deletion policy not supported'
            )
        return policy

    def _update_policy(
        self,
        written: collections.abc.Mapping[str, object],
        path: errors.Path,
        kind: type_info.TypeInfo,
    ) -> collections.abc.Mapping[str, object]:
        key = self._format.resource.update_policy
        value = self._fixed(key, written, path)
        if not isinstance(value, dict) or not value:
            return _NO_PROPERTIES
        if kind.plugin is None or kind.is_open:
            return value
        found: list[problems.Fault] = []
        found.extend(kind.policy.unknown(value, (*path, key)))
        policy = kind.policy.coerce(value, (*path, key), found.append)
        if found:
            raise found[0]
        return policy

    def _external_id(
        self,
        written: collections.abc.Mapping[str, object],
        path: errors.Path,
    ) -> str | None:
        key = self._format.resource.external_id
        value = self._fixed(key, written, path)
        if value is None or isinstance(value, str):
            return value
        raise problems.Fault((*path, str(key)), "external_id must be a string")

    def _required(
        self,
        parsed: declaration.Parsed,
        scope: function.Scope,
        report: problems.Report,
    ) -> collections.abc.Iterable[str]:
        """Return what a resource requires, each once."""
        path = (self._format.resources, parsed.declaration.name)
        required: dict[str, None] = {}
        for name in parsed.depends_on:
            if name in self.parsed:
                required[name] = None
            elif name not in self.names:
                key = self._format.resource.depends_on
                report.add(self._no_reference(name, (*path, key)))
        for part in (parsed.properties, parsed.metadata):
            if part.calls:
                self._follow(part, scope, report, required)
        return required

    def _follow(
        self,
        part: expression.Expression,
        scope: function.Scope,
        report: problems.Report,
        required: dict[str, None],
    ) -> None:
        """Add the resources that a part speaks of to ``required``."""
        before = scope.sensitive_reads
        try:
            for reference, call in part.references(scope):
                if reference.resource in self.parsed:
                    required[reference.resource] = None
                elif self._is_missing(reference):
                    fault = self._no_reference(reference.resource, call[1])
                    if scope.sensitive_reads > before:
                        fault.omit_value()
                    report.add(fault)
                before = scope.sensitive_reads
        except problems.Fault as fault:
            report.add(fault)

    def _is_missing(self, reference: function.Reference) -> bool:
        """Answer whether to tell that a resource is not there."""
        if reference.resource in self.broken:
            return False
        return not reference.is_loose or reference.resource in self.names

    def _no_reference(self, name: str, path: errors.Path) -> problems.Fault:
        advice: errors.Advice
        if name in self.names:
            advice = "Its condition is false."
        else:
            advice = problems.suggest_name(name, self.names)
        return problems.Fault(
            path,
            f'The specified reference "{name}" (in {path[1]}) is incorrect.',
            errors.ReferenceInvalid,
            advice,
        )


def _depends_on(
    name: str, written: object, path: errors.Path
) -> tuple[str, ...]:
    """Return the names in a ``depends_on``, which is a name or a list.

    :raises problems.Fault: something in the list is no name
    """
    if isinstance(written, str):
        return (written,)
    assert isinstance(written, list)
    for place, one in enumerate(written):
        if not isinstance(one, str):
            raise problems.Fault(
                (*path, place),
                f"Resource {name} depends_on must be a list of strings",
            )
    return tuple(written)
