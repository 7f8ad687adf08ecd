"""What the use cases of a worker work with, passed down from its start."""

import dataclasses
import typing

from oslo_config import cfg

from orch import clock as clocks
from orch import ids
from orch.db import engine as db_engine
from orch.engine import live
from orch.engine import stored
from orch.plugin import registry
from orch.template import installation
from orch.template import limits as template_limits


class Waker(typing.Protocol):
    """What the use cases need of the conductor."""

    def wake(self, operation_id: ids.OperationId | None) -> None:
        """Look for this operation now; ``None``: for any that waits."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an operator allows; -1 lifts a limit.

    :ivar max_stacks_per_tenant: live root stacks of one project
    :ivar max_snapshots_per_stack: those that failed count too
    :ivar stack_action_timeout: seconds that an operation may take when the
        request says nothing
    :ivar max_nested_stack_depth: levels below a root stack
    """

    max_stacks_per_tenant: int = 512
    max_snapshots_per_stack: int = 32
    stack_action_timeout: int = 3600
    max_nested_stack_depth: int = 5


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The parts of one worker that its use cases share.

    :ivar limits: for templates that come with a request
    :ivar templates: those of stored stacks
    :ivar installed: what holds below the environment of each request
    :ivar reads: how plug-ins are asked while somebody waits for the answer
    """

    database: db_engine.Database
    types: registry.ResourceTypes
    limits: template_limits.Limits
    settings: Settings
    clock: clocks.Clock
    conductor: Waker
    templates: stored.Templates
    installed: installation.Installation = installation.NOTHING
    reads: live.Reads = dataclasses.field(default_factory=live.Reads)


def limits_of(conf: cfg.ConfigOpts) -> template_limits.Limits:
    """Return the limits of templates that the options set."""
    return template_limits.Limits(
        template_size=conf.max_template_size,
        resources=conf.max_resources_per_stack,
        nested_depth=conf.max_nested_stack_depth,
        yaql_iterations=conf.yaql.limit_iterators,
        yaql_memory=conf.yaql.memory_quota,
    )


def settings_of(conf: cfg.ConfigOpts) -> Settings:
    """Return what else the options allow."""
    return Settings(
        max_stacks_per_tenant=conf.max_stacks_per_tenant,
        max_snapshots_per_stack=conf.max_snapshots_per_stack,
        stack_action_timeout=conf.stack_action_timeout,
        max_nested_stack_depth=conf.max_nested_stack_depth,
    )
