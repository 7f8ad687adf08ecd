"""Limits of YAQL expressions in templates, under Heat's names."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "yaql",
    "YAQL expressions",
    cfg.IntOpt(
        "limit_iterators",
        default=200,
        min=-1,
        help="Most elements that a YAQL expression may take from one list or"
        " generator, a count. Raise it for templates that compute over long"
        " lists; -1 lifts the limit.",
    ),
    cfg.IntOpt(
        "memory_quota",
        default=10000,
        min=-1,
        help="Memory that one YAQL expression may take, in bytes as YAQL"
        " counts them. Raise it together with limit_iterators; -1 lifts the"
        " limit.",
    ),
)
