"""The section ``conditions``: names for what may hold or not."""

import collections.abc
import contextlib

from orch.plugin import function
from orch.template import errors
from orch.template import problems
from orch.template import world
from orch.template.language import expression
from orch.template.language import scope as scope_


class NoShape:
    """What conditions see of resources: nothing."""

    def attribute_names(self, resource: str) -> collections.abc.Sequence[str]:
        """Return nothing."""
        return ()

    def is_nested_stack(self, resource: str) -> bool:
        """Answer that no resource is a stack: there are none."""
        return False

    def check_attribute(self, resource: str, attribute: str | None) -> None:
        """Refuse the resource.

        :raises orch.template.errors.ReferenceInvalid: always
        """
        raise errors.ReferenceInvalid(
            f'The specified reference "{resource}" is incorrect.'
        )


class Conditions:
    """The conditions of one template; each is worked out once."""

    def __init__(
        self,
        dialect: expression.Dialect,
        statics: scope_.Statics,
        budget: scope_.Budget,
    ) -> None:
        self._parser = expression.Parser(dialect)
        self._scope = scope_.Scope(
            statics, self, NoShape(), world.EmptyWorld(), budget
        )
        self._definitions: dict[str, expression.Expression] = {}
        self._known: dict[str, bool] = {}
        self._failed: dict[str, Exception] = {}
        self._in_progress: set[str] = set()

    def define(self, name: str, written: object, path: errors.Path) -> None:
        """Add a condition.

        :raises problems.Fault: it is neither a boolean nor a function
        """
        definition = self._parser.expression(written, path)
        self._definitions[name] = definition
        if not isinstance(definition.value, bool | function.Function):
            raise self._wrong(name, written)

    def decide(self, written: object, path: errors.Path) -> bool:
        """Answer whether a condition holds: a name, a boolean, a function.

        :raises problems.Fault: it is none of these, or wrong
        """
        try:
            if not isinstance(written, dict):
                return self.is_enabled(written)
            parsed = self._parser.expression(written, path)
            with self.values_omitted():
                return self.is_enabled(parsed.resolve(self._scope))
        except world.NotYetKnown:
            # A parameter is wrong, and that was told: look at what hangs
            # on it all the same.
            return True
        except Exception as error:
            raise problems.fault_of(error, path) from error

    def values_omitted(self) -> contextlib.AbstractContextManager[None]:
        """Omit sensitive values in what the block raises."""
        return problems.values_omitted(self._scope)

    def fixed(self, parsed: expression.Expression) -> object:
        """Return the value of what may read parameters, no resources.

        :raises problems.Fault: it is wrong, or reads a resource
        """
        try:
            return parsed.resolve(self._scope)
        except world.NotYetKnown:
            return None
        except Exception as error:
            raise problems.fault_of(error, parsed.path) from error

    def is_enabled(self, condition: object) -> bool:
        """Answer whether a condition holds; ``None`` stands for always.

        :raises orch.template.errors.FunctionFailed: it is no boolean and no
            name of a condition
        """
        if condition is None:
            return True
        if isinstance(condition, bool):
            return condition
        if (
            not isinstance(condition, str)
            or condition not in self._definitions
        ):
            raise errors.FunctionFailed(
                f'Invalid condition "{condition}"',
                advice=problems.suggest_name(
                    str(condition), self._definitions
                ),
            )
        if condition in self._failed:
            raise self._failed[condition].with_traceback(None)
        if condition not in self._known:
            try:
                self._known[condition] = self._work_out(condition)
            except world.NotYetKnown:
                raise
            except Exception as error:
                # Others that read it shall not go down all the way again.
                self._failed[condition] = error
                raise
        return self._known[condition]

    def _work_out(self, name: str) -> bool:
        definition = self._definitions[name]
        if name in self._in_progress:
            raise problems.Fault(
                definition.path, f'The condition "{name}" depends on itself'
            )
        self._in_progress.add(name)
        try:
            with self.values_omitted():
                return self._checked(name, definition.resolve(self._scope))
        except errors.ReferenceInvalid as error:
            raise problems.Fault(
                definition.path, error.message, type(error), error.advice
            ) from None
        except errors.FunctionFailed as error:
            cause = error.__cause__
            if isinstance(cause, problems.Fault):
                raise cause from None
            raise
        finally:
            self._in_progress.discard(name)

    def _checked(self, name: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise self._wrong(name, value)
        return value

    def _wrong(self, name: str, value: object) -> problems.Fault:
        return problems.Fault(
            self._definitions[name].path,
            "Condition validation error: The definition of condition"
            f' "{name}" is invalid: {value}',
        )
