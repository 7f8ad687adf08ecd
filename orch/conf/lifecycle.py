"""Lifecycle plug-ins, called before and after every operation."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "lifecycle",
    "Lifecycle plug-ins",
    cfg.StrOpt(
        "settings_file",
        default="",
        help="YAML file with a section for each lifecycle plug-in that has"
        " settings, by the plug-in's name. Set it to use those that come with"
        " Orch: they are off until their section is there. All workers need"
        " the same: a change is noticed within seconds, and is used once"
        " `orch-manage lifecycle activate` has put it into force.",
    ),
    cfg.ListOpt(
        "disabled",
        default=[],
        help="Names of installed lifecycle plug-ins that are not to be"
        " called, and not even loaded. Set it to take one out of service"
        " without removing its package.",
    ),
    cfg.ListOpt(
        "fail_open",
        default=[],
        help="Names of lifecycle plug-ins whose own failures stop no"
        " operation: an error, a time limit, or a plug-in that cannot be"
        " loaded becomes a warning of the operation. What they deny stays"
        " denied. Set it for those that only observe. All others fail"
        " closed: what they cannot judge is not done, and a worker that"
        " cannot load one does not start.",
    ),
    cfg.BoolOpt(
        "emit_call_events",
        default=False,
        help="Whether every call of a lifecycle plug-in is an event of its"
        " stack, with the time it took. Set it to watch them; without it only"
        " warnings, holds, denials and failures are events, and the operation"
        " shows the other calls.",
    ),
    cfg.FloatOpt(
        "time_limit",
        default=60.0,
        min=0.1,
        max=86400.0,
        help="Seconds that one call of a lifecycle plug-in may take, unless"
        " the plug-in says otherwise. An operation does not begin before all"
        " have answered. Raise it for plug-ins that ask slow services.",
    ),
    cfg.FloatOpt(
        "hold_deadline",
        default=86400.0,
        min=1.0,
        max=100 * 365 * 86400.0,
        help="Seconds after which an operation that a plug-in holds counts as"
        " rejected, unless the plug-in says otherwise. Raise it where people"
        " who approve are away for longer.",
    ),
)
