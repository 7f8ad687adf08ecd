"""Credentials by which workers act for users, long after a request."""

from oslo_config import cfg

from orch.conf import section

DEFAULTS = section.Section(
    section.DEFAULT,
    None,
    cfg.StrOpt(
        "deferred_auth_method",
        default="trusts",
        choices=[
            (
                "trusts",
                "a trust from the user to the user of [trustee], who acts in"
                " the user's name",
            ),
            (
                "application_credentials",
                "an application credential of the user; works where trusts"
                " are switched off",
            ),
            (
                "none",
                "nothing: stacks have only resources that need no cloud",
            ),
        ],
        help="Credential that a stack gets from the user who requests it, so"
        " that workers can act for it later. Change it where Keystone offers"
        " no trusts. It matters with auth = keystone in [api] only.",
    ),
    cfg.ListOpt(
        "trusts_delegated_roles",
        default=[],
        help="Names of the roles that a stack gets from its user."
        " Set it to keep stacks from acting as administrators; empty gives"
        " all roles that the user has on the project.",
    ),
    cfg.StrOpt(
        "stack_user_domain_id",
        default="",
        help="Id of the domain of Keystone in which stacks have users of"
        " their own (HEAT_SIGNAL of deployments, AWS::IAM::User). Set it to a"
        " domain in which no other service creates users: one that can, can"
        " pass for a user of any stack. Empty, and stack_user_domain_name"
        " too: stacks have no users.",
    ),
    cfg.StrOpt(
        "stack_user_domain_name",
        default="",
        help="Name of that domain. Set it where the id is not known; it"
        " counts where stack_user_domain_id is empty.",
    ),
    cfg.StrOpt(
        "stack_domain_admin",
        default="",
        help="Name of a user in that domain with the role admin on it, who"
        " makes the users of stacks. Set it to keep the user of [trustee]"
        " from doing so; empty lets that user do it, who then needs the role"
        " admin.",
    ),
    cfg.StrOpt(
        "stack_domain_admin_password",
        default="",
        secret=True,
        help="Password of stack_domain_admin. Set it together with that.",
    ),
    cfg.StrOpt(
        "heat_stack_user_role",
        default="heat_stack_user",
        help="Name of the role that users of stacks have. Change it where"
        " Keystone calls it otherwise, and then change the rules too that"
        " name heat_stack_user (project_reader_or_stack_user).",
    ),
)

SECTION = section.Section(
    "credentials",
    "Credentials of stacks",
    cfg.ListOpt(
        "encryption_keys",
        default=[],
        secret=True,
        help="Keys that encrypt the credentials of stacks in the database,"
        " each as orch-manage credential-key new prints it. The first one"
        " encrypts, all of them decrypt: to change the key put a new one in"
        " front, restart all workers, run orch-manage credential-key rotate,"
        " and take the old one away. All workers need the same list. orch-all"
        " makes one of its own.",
    ),
    cfg.BoolOpt(
        "unrestricted",
        default=False,
        help="Make application credentials of stacks unrestricted. Set it"
        " where types need it: then"
        " stacks may make trusts and application credentials of their own,"
        " and each can be removed with itself. Without it the user of"
        " [trustee] needs the role admin to remove those of deleted stacks."
        " For deferred_auth_method = application_credentials.",
    ),
    cfg.FloatOpt(
        "clean_up_interval",
        default=30.0,
        min=0.1,
        max=3600,
        help="Seconds, 0.1 to 3600, between two searches for credentials that"
        " no stack needs any more, which are then removed from Keystone. Lower"
        " it where they must end soon after their stacks.",
    ),
    cfg.FloatOpt(
        "orphan_grace_period",
        default=300.0,
        min=1,
        max=86400,
        help="Seconds, 1 to 86400, after which a credential that was made"
        " for a request counts as left over when no stack has it. Change it"
        " with rpc_timeout in [api] and timeout in [clients], to stay well"
        " above both.",
    ),
)
