"""The body of a template with all its problems, computed on demand.

What the checks are is in ``checking``.
"""

import functools

from orch.template import body as body_
from orch.template import load_context as setting_
from orch.template import problems
from orch.template import source as source_
from orch.template import validate
from orch.template import validation_answer
from orch.template.nested import check
from orch.template.nested import tree
from orch.template.parameters import values as parameters_


class ValidatedTemplate:
    """One template with one set of parameters, read and checked once.

    :ivar parameters: those that its body is read with
    """

    def __init__(
        self,
        source: source_.Source,
        parameters: parameters_.Parameters,
        context: setting_.LoadContext,
        defaults: parameters_.Given,
    ) -> None:
        """Read nothing yet.

        :param defaults: of the parameters of stacks in the stack
        """
        self.parameters = parameters
        self._source = source
        self._context = context
        self._defaults = defaults

    def relaxed(self) -> "ValidatedTemplate":
        """Return the same for which values may be missing or wrong."""
        parameters = parameters_.Parameters(
            self.parameters.schemas,
            self.parameters.given,
            self.parameters.pseudo,
            work=self.parameters.work,
            is_strict=False,
        )
        return ValidatedTemplate(
            self._source, parameters, self._context, self._defaults
        )

    @functools.cached_property
    def body(self) -> body_.Body:
        """The body as parsed, with what is wrong in it."""
        return setting_.read_body(self._source, self.parameters, self._context)

    @functools.cached_property
    def sound(self) -> body_.Body:
        """The body of a template that is right as far as it was read.

        :raises orch.errors.OrchError: it is not
        """
        self.body.report.check()
        return self.body

    @functools.cached_property
    def whole(self) -> body_.Body:
        """The body, with all that is wrong in it."""
        if self.body.is_whole:
            validate.Checker(
                self.body, self._level(self.below), self.parameters.is_strict
            ).check()
        return self.body

    @functools.cached_property
    def below(self) -> tree.Tree:
        """The stacks below, as far as they were looked at."""
        return tree.Tree.to_check(self._defaults, self._context.files)

    def bodies(self) -> list[body_.Body]:
        """Return the body, and those of the stacks below.

        They are as far as they were looked at, which :attr:`whole` does.
        """
        return [self.body, *self.below.bodies()]

    def shown_below(
        self, report: problems.Report
    ) -> dict[str, validation_answer.NestedParts]:
        """Return what is told of the stacks below, by name of the resource.

        :param report: told of what is wrong with them
        :raises orch.template.errors.TooLarge: they are too many
        """
        return self._level(tree.Tree.to_show(self._defaults)).shown(report)

    def _level(self, below: tree.Tree) -> check.ChildStackLevel:
        return check.ChildStackLevel(
            below,
            self.body,
            self._context,
            is_deep=self.parameters.is_strict,
        )
