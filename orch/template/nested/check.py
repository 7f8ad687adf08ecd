"""The stacks that the resources of a template hold, before they exist.

Each is read with the values that its resource gives, as far as these are
known before anything runs, in the environment that it will have.
"""

import collections.abc
import dataclasses
import typing

from orch import errors as base_errors
from orch.model import marked
from orch.template import body as body_
from orch.template import errors
from orch.template import inputs
from orch.template import load_request as setting_
from orch.template import problems
from orch.template import resolve
from orch.template import source as source_
from orch.template import validate
from orch.template import validation_answer
from orch.template import world
from orch.template.language import scope as scope_
from orch.template.nested import tree as tree_
from orch.template.resources import declaration
from orch.template.resources import groups
from orch.template.resources import nested_type
from orch.template.resources import template_facades

_MAX_DEPTH: typing.Final = 40
"""Stacks in one another where no limit is set: templates without an end are
found by this."""

Faults = collections.abc.Iterator[problems.Fault]


@dataclasses.dataclass(frozen=True)
class ChildStackLevel:
    """The stacks that the resources of one template hold.

    :ivar is_deep: they are checked; otherwise only what the template shows
        of them
    """

    tree: tree_.Tree
    body: body_.Body
    context: setting_.LoadContext
    is_deep: bool

    def faults(
        self, parsed: declaration.Parsed, values: marked.Marked
    ) -> Faults:
        """Return what is wrong with the stack that a resource holds.

        :param values: properties of the resource, as far as they are known
        """
        path = self.body.type_path(parsed.declaration.name)
        context = self.context
        yield from template_facades.Facades(
            context.types, context.type_map, context.library
        ).faults(parsed, path)
        if not self.is_deep:
            return
        if parsed.plugin is not None and parsed.plugin.members is not None:
            for fault in groups.group_faults(
                parsed.plugin.members, values, parsed.properties.path
            ):
                yield self._without_values(fault, parsed, values.sensitive)
        content = _find_child_content(parsed, values)
        name = parsed.declaration.name
        if content is None:
            if not _is_group(parsed):
                self.tree.place(self.body, name, None)
            return
        self._check_depth(path)
        entered = self._enter(parsed, content)
        self.tree.place(self.body, name, entered and entered[0])
        if entered is None or not entered[1]:
            return
        here = set(map(id, self.body.report.faults))
        for fault in self._check(entered[0]):
            if id(fault) not in here:
                yield self._placed(fault, parsed, content)

    def shown(
        self, report: problems.Report
    ) -> dict[str, validation_answer.NestedParts]:
        """Return what is told of these stacks, by name of the resource.

        :param report: told of what is wrong with them
        :raises orch.template.errors.TooLarge: they are too many
        """
        shown = {}
        resolver = resolve.Resolver(self.body)
        scope = self._scope()
        for name, parsed in self.body.resources.parsed.items():
            if not parsed.is_nested_stack:
                continue
            content = _find_child_content(
                parsed, resolver.known(parsed, scope)
            )
            if content is None:
                continue
            try:
                self._check_depth(self.body.type_path(name))
            except problems.Fault as fault:
                report.add(nested_type.as_nested(fault))
                continue
            entered = self._enter(parsed, content)
            if entered is None:
                raise errors.TooLarge(
                    "The templates of the nested stacks are too long to list"
                    " all of them."
                )
            self.tree.count.add(len(entered[0].body.resources.parsed))
            found = problems.Report()
            shown[name] = self._shown(parsed, entered[0], found)
            report.extend(
                self._placed(one, parsed, content) for one in found.faults
            )
        return shown

    def _shown(
        self,
        parsed: declaration.Parsed,
        nested: tree_.Nested,
        report: problems.Report,
    ) -> validation_answer.NestedParts:
        report.extend(self._new_faults(nested))
        source = nested.source
        below = ChildStackLevel(
            self.tree, nested.body, nested.context, self.is_deep
        )
        return validation_answer.NestedParts(
            parsed.declaration.declared_type,
            validation_answer.TemplateParts(
                source.description,
                nested.parameters,
                source.parameter_groups,
                below.shown(report),
            ),
        )

    def _new_faults(self, nested: tree_.Nested) -> Faults:
        """Return what is wrong with a stack and was not told yet."""
        for fault in nested.body.report.faults:
            if self.tree.is_new_fault(fault):
                yield nested_type.as_nested(fault)

    def _check(self, nested: tree_.Nested) -> Faults:
        """Return what is wrong with a stack, and with those below it."""
        if nested.body.is_whole:
            below = ChildStackLevel(
                self.tree, nested.body, nested.context, True
            )
            validate.Checker(nested.body, below, is_strict=False).check()
        yield from self._new_faults(nested)

    def _enter(
        self, parsed: declaration.Parsed, content: "_ChildContent"
    ) -> tuple[tree_.Nested, bool] | None:
        return self.tree.enter(
            parsed.declaration,
            content.source,
            content.values,
            self._around(parsed, content),
            self.context,
            content.group.counts if content.group else {},
            is_numbered=content.group is not None
            and content.group.is_numbered,
        )

    def _placed(
        self,
        fault: problems.Fault,
        parsed: declaration.Parsed,
        content: "_ChildContent",
    ) -> problems.Fault:
        """Return a fault of a member where the group defines that."""
        if content.group and fault.document is content.source.document:
            fault.document = self.body.document
            fault.path = (
                *parsed.properties.path,
                *content.group.origin(fault.path),
            )
            self._without_values(fault, parsed, content.sensitive)
        return fault

    def _without_values(
        self,
        fault: problems.Fault,
        parsed: declaration.Parsed,
        sensitive: marked.Paths,
    ) -> problems.Fault:
        """Return a fault of properties without what is sensitive in them."""
        kind = self.body.resources.types.find(parsed.declaration.type_name)
        if kind is not None:
            kind.coercer.omit_sensitive(
                fault, parsed.properties.path, sensitive
            )
        return fault

    def _around(
        self, parsed: declaration.Parsed, content: "_ChildContent"
    ) -> inputs.ParentContext:
        """Return what the stack of a resource knows of those around it."""
        scope = self._scope()
        try:
            metadata = parsed.metadata.resolve(scope)
        except base_errors.OrchError:
            metadata = world.UNKNOWN
        group = content.group
        return dataclasses.replace(
            self.context.around,
            depth=self.context.around.depth + 1,
            facade=template_facades.facade_of(parsed.declaration, metadata),
            sensitive_parameters=()
            if group
            else tuple(map(str, marked.names(content.sensitive))),
            sensitive_parts=group.made_of(content.sensitive) if group else (),
            has_sensitive_facade=scope.sensitive_reads > 0,
        )

    def _scope(self) -> scope_.Scope:
        return self.body.scope(world.EmptyWorld(), marks_unknown=True)

    def _check_depth(self, path: errors.Path) -> None:
        """Refuse a stack in too many others.

        :raises problems.Fault: it is
        """
        max_depth = self.context.limits.nested_depth
        if max_depth < 0:
            max_depth = _MAX_DEPTH
        if max_depth <= self.context.around.depth:
            raise problems.Fault(
                path,
                f"Recursion depth exceeds {max_depth}: stacks may not be"
                " deeper"
                " in one another.",
                advice="Does a template name itself, or one that names it?",
                document=self.body.document,
            )


@dataclasses.dataclass(frozen=True)
class _ChildContent:
    """What a stack in a stack is made of.

    :ivar group: the group that makes it; ``None`` for a template
    :ivar sensitive: paths of what is sensitive in the properties of the
        resource that holds it
    """

    source: source_.Source
    values: collections.abc.Mapping[str, object]
    sensitive: marked.Paths
    group: groups.Group | None = None


def _find_child_content(
    parsed: declaration.Parsed, values: marked.Marked
) -> _ChildContent | None:
    """Return what a resource makes a stack of; ``None`` when of nothing."""
    if parsed.nested is not None:
        return _ChildContent(parsed.nested.source, values, values.sensitive)
    if not _is_group(parsed):
        return None
    assert parsed.plugin is not None and parsed.plugin.members is not None
    group = groups.expand_group(parsed.plugin.members, values)
    if group is None:
        return None
    return _ChildContent(group.source, {}, values.sensitive, group)


def _is_group(parsed: declaration.Parsed) -> bool:
    """Answer whether a resource declares the members of its stack."""
    return parsed.plugin is not None and parsed.plugin.members is not None
