"""Finds all that is wrong with the resources and outputs of a template."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.context import deadline
from orch.model import marked
from orch.template import body as body_
from orch.template import errors as template_errors
from orch.template import outputs
from orch.template import problems
from orch.template import resolve
from orch.template import world
from orch.template.language import scope as scope_
from orch.template.resources import declaration
from orch.template.resources import properties


class ChildStacks(typing.Protocol):
    """The stacks that the resources of a template hold."""

    def faults(
        self,
        parsed: declaration.Parsed,
        values: marked.Marked,
    ) -> collections.abc.Iterable[problems.Fault]:
        """Return what is wrong with the stack that a resource holds."""


class _Named(world.EmptyWorld):
    """A world in which a reference gives the name of the resource."""

    def reference_id(self, name: str) -> object:
        """Return the name."""
        return name


@dataclasses.dataclass(frozen=True)
class Checker:
    """Checks one template.

    :ivar below: the stacks in the stack
    :ivar is_strict: values are checked too; otherwise names alone
    """

    body: body_.Body
    below: ChildStacks
    is_strict: bool = True

    def check(self) -> None:
        """Add what is wrong to the report of the body."""
        report = self.body.report
        scope = self.body.scope(world.EmptyWorld(), marks_unknown=True)
        circle = self.body.resources.circle()
        if circle is not None:
            report.add(circle)
        for parsed in self.body.resources.parsed.values():
            deadline.check()
            try:
                self._check_resource(parsed, scope)
            except Exception as error:
                report.add(problems.fault_of(error, parsed.properties.path))
        for output in self.body.outputs.expressions():
            outputs.inspect_expression(output, scope.argument_scope, report)

    def _check_resource(
        self, parsed: declaration.Parsed, scope: scope_.Scope
    ) -> None:
        if parsed.declaration.external_id is not None:
            return
        report = self.body.report
        for part in (parsed.properties, parsed.metadata):
            if part.calls:
                outputs.inspect_expression(part, scope.argument_scope, report)
        if self.is_strict:
            values = self._check_values(parsed, scope)
        else:
            self._check_names(parsed)
            values = marked.Marked()
        if parsed.is_nested_stack:
            if not self.is_strict:
                values = resolve.Resolver(self.body).known(parsed, scope)
            report.extend(self.below.faults(parsed, values))

    def _check_values(
        self, parsed: declaration.Parsed, scope: scope_.Scope
    ) -> marked.Marked:
        """Add what is wrong with the properties, and return their values.

        :returns: what is wrong in them is marked as not known
        """
        report = self.body.report
        before = len(report.faults)
        values = resolve.Resolver(self.body).properties(
            parsed, scope, report.add
        )
        if parsed.plugin is not None and world.has_unknown(values):
            reported = {fault.path for fault in report.faults[before:]}
            report.extend(self._wrong_references(parsed, reported))
        if len(report.faults) > before:
            return resolve.mark_unknown(values)
        if parsed.plugin is not None:
            _check_with_plugin(parsed, values, report)
        return values

    def _wrong_references(
        self,
        parsed: declaration.Parsed,
        reported: collections.abc.Container[template_errors.Path],
    ) -> list[problems.Fault]:
        """Return where a reference to a resource cannot have the right type.

        Heat checks types, not constraints, with the names of resources.

        :param reported: the places of which something was told before
        """
        scope = self.body.scope(_Named(), marks_unknown=True)
        found: list[problems.Fault] = []
        resolve.Resolver(self.body).properties(parsed, scope, found.append)
        return [
            fault
            for fault in found
            if isinstance(fault, properties.WrongType)
            and fault.path not in reported
        ]

    def _check_names(self, parsed: declaration.Parsed) -> None:
        names = resolve.written_names(parsed.properties)
        kind = self.body.resources.types.find(parsed.declaration.type_name)
        if kind is not None and not kind.is_open:
            for fault in kind.coercer.unknown(names, parsed.properties.path):
                self.body.report.add(fault)


def _check_with_plugin(
    parsed: declaration.Parsed,
    values: marked.Marked,
    report: problems.Report,
) -> None:
    """Let the plug-in refuse what it knows to be wrong.

    Its error is shown if it says the same where all that is sensitive is not
    known.
    """
    assert parsed.plugin is not None
    known: dict[str, object] = values
    # What hangs on a parameter that is wrong is not known either.
    if not parsed.properties.is_static or report.faults:
        known = {
            name: value
            for name, value in values.items()
            if not world.has_unknown(value)
        }
    fault = _refusal(parsed, known)
    if fault is None:
        return
    hidden = marked.names(values.sensitive)
    rest = {name: each for name, each in known.items() if name not in hidden}
    if len(rest) < len(known):
        other = _refusal(parsed, rest)
        if other is None or other.message != fault.message:
            fault.omit_value()
    report.add(fault)


def _refusal(
    parsed: declaration.Parsed, values: dict[str, object]
) -> problems.Fault | None:
    """Return why the plug-in refuses these values; ``None`` if it does not."""
    assert parsed.plugin is not None
    path = parsed.properties.path
    try:
        parsed.plugin.validate(values)
    except errors.OrchError as error:
        return problems.Fault(path, error.message)
    except Exception as error:
        return problems.fault_of(error, path)
    return None
