"""``AWS::CloudFormation::Stack``: a stack of a template at an address."""

import collections.abc
import typing

from orch import errors
from orch.clients import egress
from orch.clients import template_url
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.plugin import type_files

Values = collections.abc.Mapping[str, object]

_URL: typing.Final = "TemplateURL"
_MINUTES: typing.Final = "TimeoutInMinutes"
_PARAMETERS: typing.Final = "Parameters"
_OUTPUTS: typing.Final = "Outputs"

_TEMPLATE: typing.Final = "template"
"""In the data: the text that was fetched last."""


@type_files.described("AWS::CloudFormation::Stack")
class NestedStack(nested_stack.NestedStackResource):
    """A child stack whose template is fetched at each update."""

    needs_members = False
    writes_template = False
    fetches_definition = True

    def validate(self, properties: Values) -> None:
        """Refuse an address that nothing is fetched from.

        :raises orch.errors.Invalid: it is one
        """
        url = properties.get(_URL)
        if isinstance(url, str):
            template_url.check_url(url, _URL)

    def data_of(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> Values:
        """Return the template, as it is now.

        :raises orch.errors.Invalid: it is not to be had
        """
        text = template_url.fetch_template(
            str(context.properties[_URL]),
            named=_URL,
            limit=self.conf.max_template_size,
            timeout_s=self.conf.api.template_url_timeout,
            time=self.clock,
            within=egress.from_conf(self.conf),
        )
        return {**context.data, _TEMPLATE: text}

    def stages(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the one stage that there is."""
        values = context.properties.get(_PARAMETERS)
        return (
            nested_stack.Stage(
                template=str(context.data[_TEMPLATE]),
                parameters=values if isinstance(values, dict) else {},
                timeout_s=nested_stack.minutes_to_seconds(
                    context.properties.get(_MINUTES)
                ),
            ),
        )

    def reference_id(self, context: call_context.Context) -> str:
        """Return the ARN of the stack; the name before it is made."""
        if context.physical_id is None:
            return context.name
        return (
            f"arn:openstack:heat::{context.stack_project}"
            f":stacks/{context.physical_name}/{context.physical_id}"
        )

    def read(
        self,
        context: call_context.Context,
        path: nested_stack.Path,
        view: nested_stack.ChildView,
    ) -> object:
        """Return an output, asked for by ``Outputs.NAME``.

        :raises orch.errors.Invalid: there is none of that name
        """
        first, dot, name = str(path[0]).partition(".")
        rest = path[1:]
        if not dot and rest:
            name, rest = str(rest[0]), rest[1:]
        if first != _OUTPUTS or not name:
            raise errors.Invalid(
                f"{self.type_name} shows no attribute {path[0]}; it shows"
                f" {_OUTPUTS}.NAME for each output of its template"
            )
        return nested_stack.find_part(
            nested_stack.read_output(context, view, name), rest
        )
