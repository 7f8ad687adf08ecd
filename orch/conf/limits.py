"""Limits under Heat's names, in ``[DEFAULT]``; -1 lifts one."""

import socket

from oslo_config import cfg

from orch.conf import section

_LIFTED = " -1 lifts the limit."

SECTION = section.Section(
    section.DEFAULT,
    None,
    cfg.StrOpt(
        "host",
        default=socket.gethostname(),
        sample_default="worker-1.example.net",
        help="Name of this machine as other processes and operators see it:"
        " in the list of services, in the publisher of notifications and in"
        " the address of the worker on the bus. Change it when the host name"
        " is not unique among the machines that share the broker, or changes"
        " at each start.",
    ),
    cfg.IntOpt(
        "max_template_size",
        default=524288,
        min=-1,
        help="Largest template that is accepted, in bytes of text, and the"
        " largest one that is fetched from a URL. Raise it for generated"
        " templates; lower it to bound what one request costs." + _LIFTED,
    ),
    cfg.IntOpt(
        "max_json_body_size",
        default=1048576,
        min=-1,
        help="Largest body of an API request, in bytes: the template together"
        " with its environment and files. Raise it together with"
        " max_template_size." + _LIFTED,
    ),
    cfg.IntOpt(
        "max_resources_per_stack",
        default=1000,
        min=-1,
        help="Most resources of a stack and the stacks nested in it, a"
        " count. Raise it when users have larger systems than that in one"
        " template; lower it to bound what one request can start." + _LIFTED,
    ),
    cfg.IntOpt(
        "max_stacks_per_tenant",
        default=512,
        min=-1,
        help="Most live stacks of one project, a count; nested ones are not"
        " counted. Change it to fit what the database should hold for a"
        " single project." + _LIFTED,
    ),
    cfg.IntOpt(
        "max_snapshots_per_stack",
        default=32,
        min=-1,
        help="Most snapshots of one stack, a count. Raise it where users keep"
        " a longer history; services charge for what each of them stores."
        + _LIFTED,
    ),
    cfg.IntOpt(
        "max_plans_per_stack",
        default=32,
        min=-1,
        help="Most saved plans of one stack, a count. Those that cannot be"
        " applied any more are deleted for new ones, the oldest first. Raise"
        " it where many plans of one state are compared." + _LIFTED,
    ),
    cfg.IntOpt(
        "max_software_configs_per_tenant",
        default=4096,
        min=-1,
        help="Most software configs of one project, a count; those that its"
        " stacks make are counted too. Change it to fit what the database"
        " should hold for a single project." + _LIFTED,
    ),
    cfg.IntOpt(
        "max_software_deployments_per_tenant",
        default=4096,
        min=-1,
        help="Most software deployments of one project, a count; those that"
        " its stacks make are counted too. Raise it together with"
        " max_software_configs_per_tenant: each has a config." + _LIFTED,
    ),
    cfg.IntOpt(
        "max_nested_stack_depth",
        default=5,
        min=-1,
        help="How many levels of stacks may be nested below a stack. Raise"
        " it only for templates that are known to end: a template that"
        " includes itself is stopped by this alone." + _LIFTED,
    ),
    cfg.IntOpt(
        "stack_action_timeout",
        default=3600,
        min=1,
        help="Seconds that an operation may take when the request gives no"
        " timeout of its own, at least 1. Raise it where resources take"
        " hours; after it the operation fails and its resources stay as"
        " they are.",
    ),
)
