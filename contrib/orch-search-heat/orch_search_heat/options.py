"""The options of ``[search_heat]``: where the API is, and how to log in."""

import typing

from keystoneauth1 import loading
from oslo_config import cfg

GROUP: typing.Final = "search_heat"
_TITLE: typing.Final = "Where search reads another service"

OPTIONS = (
    cfg.StrOpt(
        "endpoint_override",
        default="",
        help="URL of the orchestration API, with the project of the user in"
        " it, such as http://HOST:8004/v1/PROJECT. Set it where the catalogue"
        " of Keystone names another address; empty takes the one of the"
        " catalogue. How to log in is said by auth_type and the options of"
        " that login, as in [trustee]: a user who may list the stacks of all"
        " projects. For source = heat in [search].",
    ),
    cfg.StrOpt(
        "region_name",
        default="",
        help="Region of the catalogue that the API is taken from, a name. Set"
        " it where there are several; empty takes the first.",
    ),
    cfg.StrOpt(
        "interface",
        default="public",
        choices=("public", "internal", "admin"),
        help="Which of the addresses in the catalogue is taken. Set it to"
        " internal where orch-search shares a network with the API.",
    ),
    cfg.FloatOpt(
        "reread_interval",
        default=2.0,
        min=0.5,
        max=3600,
        help="Seconds, 0.5 to 3600, between two readings of a stack while it"
        " changes. Raise it where very large stacks change for long.",
    ),
    cfg.ListOpt(
        "hidden_stack_tags",
        default=["data-processing-cluster"],
        help="Tags that hide a stack: only administrators find stacks that"
        " have one. Set it to the option of that name of the other service,"
        " which does not publish it; stacks that its list leaves out are"
        " hidden anyway.",
    ),
)


def register(conf: cfg.ConfigOpts) -> None:
    """Make the options known, with those that keystoneauth declares."""
    conf.register_group(cfg.OptGroup(GROUP, title=_TITLE))
    conf.register_opts(OPTIONS, group=GROUP)
    loading.register_auth_conf_options(conf, GROUP)
    loading.register_session_conf_options(conf, GROUP)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the options for the sample generator."""
    return [
        (
            GROUP,
            [
                *OPTIONS,
                *loading.get_auth_common_conf_options(),
                *loading.get_auth_plugin_conf_options("password"),
                *loading.get_session_conf_options(),
            ],
        )
    ]
