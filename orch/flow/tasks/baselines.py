"""Read the baseline: the live properties right after a change of ours."""

import collections.abc

from oslo_log import log

from orch.flow.tasks import base
from orch.flow.tasks import plugin_errors
from orch.model import resource as model_resource
from orch.planner import compare
from orch.plugin import call_context
from orch.plugin import resource

LOG = log.getLogger(__name__)

Values = collections.abc.Mapping[str, object]


def has_baseline(
    plugin: resource.Resource, row: model_resource.Resource
) -> bool:
    """Whether a resource has a baseline at all.

    An external resource was never changed by us.
    """
    return plugin.has_reality and row.external_id is None


def read_baseline(
    plugin: resource.Resource, context: call_context.Context
) -> Values | None:
    """Return the live properties; ``None`` where they cannot be read.

    The change is complete all the same: an error goes to the log.
    """
    try:
        found = plugin.get_reality(context)
        if found is None:
            return None
        base.check_json(dict(found), "what get_reality returned")
    except BaseException as error:
        wrapped = plugin_errors.wrap_plugin_error(error)
        LOG.warning("baseline of %s: %s", context.physical_name, wrapped)
        return None
    return dict(found)


def baseline_after_update(
    row: model_resource.Resource,
    created: compare.Comparison,
    fresh: Values | None,
) -> Values | None:
    """Return the baseline after an update.

    Where an update did not read the live properties, only those that it has
    changed are new: what others had changed before is a drift still. What no
    template gives may have changed along with it. A drift that cannot be
    repaired stays one. Where the live properties cannot be read now, those
    that the update did not change are as they were.

    :param row: as it was before the update was complete
    :param created: what the update was to bring about
    :param fresh: the live properties now
    """
    has_looked = created.before is not None
    if fresh is None:
        before = (
            created.before if created.before is not None else row.properties
        )
        old = {
            name: value
            for name, value in (row.baseline or {}).items()
            if name not in created.changed
            and (has_looked or row.properties.get(name) is not None)
            and before.get(name) == row.properties.get(name)
        }
        return old or None
    baseline = {
        name: value
        for name, value in (row.baseline or {}).items()
        if name not in created.changed
        and name not in created.observed
        and (has_looked or row.properties.get(name) is not None)
    }
    new = {name: fresh[name] for name in fresh if name not in created.left}
    return {**new, **baseline}
