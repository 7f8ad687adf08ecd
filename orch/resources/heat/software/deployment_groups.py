"""The deployment groups: one config, applied on many servers."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.plugin import type_files
from orch.resources.groups import attributes as group_attributes
from orch.resources.groups import membership
from orch.resources.groups import update_policies
from orch.resources.heat.software import outcome

Values = collections.abc.Mapping[str, object]

_SERVER: typing.Final = "server"
_SERVERS: typing.Final = "servers"
_OUTCOMES: typing.Final = {
    "deploy_status_codes": outcome.CODE,
    "deploy_stderrs": outcome.STDERR,
    "deploy_stdouts": outcome.STDOUT,
}


@type_files.described("OS::Heat::SoftwareDeploymentGroup")
class SoftwareDeploymentGroup(nested_stack.NestedStackResource):
    """A deployment for each server, named as its server."""

    member_type: typing.ClassVar[str] = "OS::Heat::SoftwareDeployment"

    def data_of(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> Values:
        """Return the size that it is first made in."""
        return update_policies.initial_data(
            context, members, len(_servers(context))
        )

    def stages(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the next batch, and all deployments as they shall be."""
        servers = _servers(context)
        names = list(servers)
        given = {
            name: value
            for name, value in context.properties.items()
            if name != _SERVERS and value is not None
        }

        def define(name: str) -> membership.Definition:
            own = {**given, _SERVER: servers[name]}
            return membership.without_missing(
                {"type": self.member_type, "properties": own}
            )

        named = membership.NamedMembers(
            [
                one
                for one in membership.current_members(members)
                if one.name in servers
            ],
            lambda count: names[:count],
            len(names),
            define,
        )
        pace = update_policies.first_batch_policy(context)
        if not update_policies.is_first(context):
            pace = update_policies.change_batch_policy(context)
        if pace is not None and (named.is_outdated or named.is_short):
            return membership.build_stages(named, pace)
        return [membership.build_last_stage(named.end())]

    def read(
        self,
        context: call_context.Context,
        path: nested_stack.Path,
        view: nested_stack.ChildView,
    ) -> object:
        """Return what each deployment gave, by name of its server."""
        name, *rest = path
        key = str(name)
        members = group_attributes.current_members(view)
        if key.startswith(group_attributes.MEMBER):
            return group_attributes.read_one(
                context.name, view, members, key, rest
            )
        called = [member.name for member in members]
        output = _OUTCOMES.get(key, key)
        return nested_stack.find_part(
            group_attributes.read_each(view, called, [output]), rest
        )


@type_files.described("OS::Heat::StructuredDeploymentGroup")
class StructuredDeploymentGroup(SoftwareDeploymentGroup):
    """A structured deployment for each server."""

    member_type = "OS::Heat::StructuredDeployment"


@type_files.described("OS::Heat::SoftwareDeployments")
class SoftwareDeployments(SoftwareDeploymentGroup):
    """The former name of the group of software deployments."""


@type_files.described("OS::Heat::StructuredDeployments")
class StructuredDeployments(StructuredDeploymentGroup):
    """The former name of the group of structured deployments."""


def _servers(context: call_context.Context) -> Values:
    found = context.properties.get(_SERVERS)
    return found if isinstance(found, dict) else {}
