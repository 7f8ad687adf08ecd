"""Adopting and abandoning stacks; Heat's names, in ``[DEFAULT]``."""

from oslo_config import cfg

OPTIONS = (
    cfg.BoolOpt(
        "enable_stack_adopt",
        default=False,
        help="Whether stacks may be made of things that exist already, from"
        " the document of a stack or one written by hand. Whoever may create"
        " a stack may then bring any thing under it that the project's"
        " services let it reach. Set it to true where stacks move in.",
    ),
    cfg.BoolOpt(
        "enable_stack_abandon",
        default=False,
        help="Whether stacks may be exported and abandoned: their documents"
        " may hold secrets in clear text, and what was abandoned stands on,"
        " paid for and looked after by nobody. Set it to true where stacks"
        " move out.",
    ),
    cfg.BoolOpt(
        "check_after_adopt",
        default=False,
        help="Whether a stack is checked as soon as it was adopted. Some"
        " clients, those of openstacksdk among them, take a stack for gone"
        " as long as its state is ADOPT_COMPLETE; set it to true where they"
        " are used.",
    ),
    cfg.FloatOpt(
        "abandoned_document_days",
        default=30.0,
        min=0.0,
        help="Days, at least 0, for which the document of an abandoned stack"
        " can be fetched again. It may hold secrets: lower it where these"
        " must not stay, raise it where people are slow to adopt.",
    ),
)

GROUP = cfg.OptGroup("adoption", title="Secrets in documents of stacks")

SECRET_OPTIONS = (
    cfg.StrOpt(
        "secrets",
        default="plain",
        choices=(
            ("plain", "in clear text, as Heat has them"),
            ("sealed", "encrypted for the public key in receiver"),
        ),
        help="How secrets stand in the document of a stack that is exported"
        " or abandoned when the request does not say. Clients made for Heat"
        " never do, and whatever else reads their documents needs them"
        " plain. Set it to sealed where documents are only for Orch. Whoever"
        " the rule stacks:plain_secrets keeps out gets them sealed in any"
        " case.",
    ),
    cfg.StrOpt(
        "receiver",
        default="",
        help="Public key, 43 characters, of the installation that documents"
        " are sealed for when the request names none, as orch-manage"
        " adoption-key show prints it there. Set it where stacks move to one"
        " installation; empty takes the key of this one.",
    ),
    cfg.ListOpt(
        "private_keys",
        default=[],
        secret=True,
        help="Private keys that open sealed documents, as orch-manage"
        " adoption-key new makes them. The public key of the first one is"
        " given to those who seal; to change it put a new one in front, and"
        " take the old one away once no document of its time is needed any"
        " more. All workers need the same list. Without a key no sealed"
        " document can be adopted. orch-all makes one of its own.",
    ),
)


def register(conf: cfg.ConfigOpts) -> None:
    """Make the options known to ``conf``."""
    conf.register_opts(OPTIONS)
    # A group of its own: oslo.config keeps values in it, and a copy shares
    # them with all other ConfigOpts.
    conf.register_group(cfg.OptGroup(GROUP.name, title=GROUP.title))
    conf.register_opts(SECRET_OPTIONS, group=GROUP.name)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the options for the sample generator."""
    return [
        ("DEFAULT", list(OPTIONS)),
        (GROUP.name, list(SECRET_OPTIONS)),
    ]
