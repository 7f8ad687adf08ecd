"""The lifecycle plug-ins that a worker with these options would have."""

from oslo_config import cfg

from orch.cmd import process
from orch.plugin import lifecycle_loading
from orch.plugin import lifecycle_order

_HEAD = ("NAME", "ORDINAL", "SCOPE", "VERBS", "TIME LIMIT", "ERRORS", "NOTE")


def list_plugins(conf: cfg.ConfigOpts) -> list[tuple[str, ...]]:
    """Return one row a plug-in, in the order of their calls; first the head.

    :raises orch.cmd.process.Failure: the worker would not start with them
    """
    try:
        found = lifecycle_loading.load_plugins(conf)
    except lifecycle_order.CannotLoad as error:
        raise process.Failure(error.message) from error
    return [_HEAD, *(_row(each) for each in found.members)]


def _row(member: lifecycle_order.OrderedPlugin) -> tuple[str, ...]:
    plugin = member.plugin
    return (
        member.name,
        str(plugin.ordinal),
        plugin.scope.value,
        "all" if plugin.verbs is None else ",".join(sorted(plugin.verbs)),
        f"{member.time_limit_s:g} s",
        "warn" if member.is_fail_open else "deny",
        _note(member),
    )


def _note(member: lifecycle_order.OrderedPlugin) -> str:
    if member.load_error is not None:
        return f"not loaded: {member.load_error}"
    return "written for Heat" if member.is_legacy else ""
