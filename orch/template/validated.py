"""The body of a template with all its problems, computed on demand.

What the checks of values are is in ``validate``.
"""

import collections.abc
import functools

from orch.plugin import clouds
from orch.template import body as body_
from orch.template import errors
from orch.template import load_request as setting_
from orch.template import problems
from orch.template import source as source_
from orch.template import validate
from orch.template import validation_answer
from orch.template.nested import check
from orch.template.nested import tree
from orch.template.parameters import values as parameters_
from orch.template.resources import declaration

_MAX_NAMES = 10

FindMissing = collections.abc.Callable[
    [collections.abc.Collection[str]], collections.abc.Collection[str]
]
"""Returns which types of services the catalogue of the cloud lacks."""

_Users = dict[str, dict[str, list[str]]]
"""Names of resources, by what is lacking and by their type."""


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
            limits=self.parameters.limits,
            is_strict=False,
            sensitive=self.parameters.sensitive,
        )
        return ValidatedTemplate(
            self._source, parameters, self._context, self._defaults
        )

    @functools.cached_property
    def body(self) -> body_.Body:
        """The body as parsed, with what is wrong in it."""
        body = setting_.begin_body(
            self._source, self.parameters, self._context
        )
        body.read(self.parameters)
        return body

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
        below = tree.Tree.to_show(self._defaults, self._context.limits)
        below.count.add(len(self.body.resources.parsed))
        return self._level(below).shown(report)

    def estimate_size(self) -> float:
        """Return about how many resources the tree of the stack has.

        :returns: infinity where its stacks have to be counted one by one
        """
        return self.below.estimate_size(self.whole)

    def _level(self, below: tree.Tree) -> check.ChildStackLevel:
        return check.ChildStackLevel(
            below,
            self.body,
            self._context,
            is_deep=self.parameters.is_strict,
        )

    def check_served(self) -> None:
        """Refuse resources that nothing here can make, all of them at once.

        Their types are known by schema only, or lack something here, so the
        template may be all right; it cannot become a stack. A resource that
        stands for an existing thing (``external_id``) is refused too: nothing
        could look at it.

        :raises orch.template.errors.TypeUnavailable: it names types and
            resources
        """
        users: _Users = {}
        report = problems.Report()
        for body in self.bodies():
            for parsed in body.resources.parsed.values():
                lacks = parsed.plugin.lacks if parsed.plugin else None
                if lacks is None:
                    continue
                name = parsed.declaration.name
                type_name = parsed.declaration.type_name
                types = users.setdefault(lacks, {})
                types.setdefault(type_name, []).append(name)
                report.add(
                    problems.Fault(
                        body.type_path(name),
                        "No plug-in serves the resource type"
                        f" {type_name} here.",
                        document=body.document,
                    )
                )
        if users:
            raise errors.TypeUnavailable(_text(users), report.error().problems)

    def needed_services(self) -> set[str]:
        """Return the types of the services that resources need."""
        return {
            plugin.service_type
            for _, _, plugin in self._in_clouds()
            if plugin.service_type
        }

    def check_offered(
        self,
        find_missing: FindMissing,
        known: collections.abc.Collection[str] = (),
    ) -> None:
        """Refuse resources of services that the cloud does not have.

        :param known: services that are not checked
        :raises orch.template.errors.TypeUnavailable: it names services, types
            and resources
        """
        needed = self.needed_services().difference(known)
        missing = find_missing(needed) if needed else ()
        users: _Users = {}
        report = problems.Report()
        for body, declared, plugin in self._in_clouds():
            if plugin.service_type not in missing:
                continue
            types = users.setdefault(plugin.service_type, {})
            types.setdefault(declared.type_name, []).append(declared.name)
            report.add(
                problems.Fault(
                    body.type_path(declared.name),
                    f"The cloud has no {plugin.service_type} service.",
                    document=body.document,
                )
            )
        if users:
            raise errors.TypeUnavailable(
                " ".join(
                    f"The cloud has no {service} service, which these resource"
                    f" types need: {_listed(types)}."
                    for service, types in users.items()
                )
                + " Leave these resources out.",
                report.error().problems,
            )

    def _in_clouds(
        self,
    ) -> collections.abc.Iterator[
        tuple[body_.Body, declaration.Declaration, clouds.CloudResource]
    ]:
        """Yield the resources in a cloud, each with its template and type."""
        for body in self.bodies():
            for parsed in body.resources.parsed.values():
                if isinstance(parsed.plugin, clouds.CloudResource):
                    yield body, parsed.declaration, parsed.plugin

    def check_permitted(self, check_type: declaration.CheckType) -> None:
        """Check the types of all resources.

        :raises orch.errors.Forbidden: it names the first that is refused
        """
        # A resource whose types another one has already passes as well.
        check = functools.cache(check_type)
        for body in self.bodies():
            for parsed in body.resources.parsed.values():
                parsed.declaration.check_types(check)

    def acting_types(self) -> list[str]:
        """Return the types of resources that act in a cloud, sorted.

        Each of these resources needs a login of its stack.
        """
        return sorted(
            {
                declared.type_name
                for _, declared, plugin in self._in_clouds()
                if plugin.always_reaches
            }
        )


def _text(users: _Users) -> str:
    return " ".join(
        f"No plug-in serves these resource types here: {_listed(types)}."
        f" {lacks}"
        for lacks, types in users.items()
    )


def _listed(types: collections.abc.Mapping[str, list[str]]) -> str:
    return ", ".join(
        f"{type_name} ({_names(names)})" for type_name, names in types.items()
    )


def _names(names: collections.abc.Sequence[str]) -> str:
    more = len(names) - _MAX_NAMES
    shown = ", ".join(names[:_MAX_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown
