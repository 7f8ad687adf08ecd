"""Adopting and abandoning stacks; Heat's names, in ``[DEFAULT]``."""

from oslo_config import cfg

from orch.conf import section

DEFAULTS = section.Section(
    section.DEFAULT,
    None,
    cfg.BoolOpt(
        "enable_stack_adopt",
        default=False,
        help="Whether stacks may adopt existing physical resources, from the"
        " document of a stack or one written by hand. A user who may create"
        " a stack may then adopt any physical resource that the project's"
        " services let it reach. Set it to true where stacks move in.",
    ),
    cfg.BoolOpt(
        "enable_stack_abandon",
        default=False,
        help="Whether stacks may be exported and abandoned: their documents"
        " may hold secrets in clear text, and abandoned physical resources"
        " remain, are paid for, and belong to no stack. Set it to true where"
        " stacks move out.",
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

SECTION = section.Section(
    "adoption",
    "Documents and old addresses of stacks that move",
    cfg.StrOpt(
        "secrets",
        default="plain",
        choices=(
            ("plain", "in clear text, as Heat has them"),
            ("sealed", "encrypted for the key in recipient_public_key"),
        ),
        help="How the document of a stack that is exported or abandoned holds"
        " secrets when the request does not say. Clients made for Heat"
        " never do, and whatever else reads their documents needs them"
        " plain. Set it to sealed where documents are only for Orch. Users"
        " that the rule stacks:plain_secrets refuses get them sealed in any"
        " case.",
    ),
    cfg.StrOpt(
        "recipient_public_key",
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
    cfg.IntOpt(
        "max_document_size",
        default=8388608,
        min=-1,
        help="Largest document of a stack, in bytes of JSON, that export and"
        " abandon answer with: a larger one is written in the compact form or"
        " refused. The body of an adoption may have twice as many bytes in"
        " addition to max_json_body_size, as clients of Heat send the document"
        " as a text with spaces and escaped quotes. All"
        " processes need the same value. Raise it for stacks of thousands of"
        " resources; RabbitMQ 4 takes messages of 16 MiB by default, so raise"
        " its max_message_size first. -1 lifts the limit.",
    ),
    cfg.IntOpt(
        "max_unpacked_document_size",
        default=67108864,
        min=-1,
        help="Largest document in the compact form once it is decompressed,"
        " in bytes of JSON, with each text in all its places. It bounds the"
        " memory that one request takes in a worker. Raise it together with"
        " max_document_size. -1 lifts the limit.",
    ),
    cfg.ListOpt(
        "forward_hosts",
        default=[],
        help="Hosts that signals for abandoned stacks may be forwarded to,"
        " once the new address of a stack is announced: names or"
        " addresses, each with :PORT where only that port will do, such as"
        " orch.example.net:8004; an asterisk matches any characters, and"
        " what is allowed by one alone has to be allowed by [egress] too. Set"
        " it to the APIs of the installations that stacks move to; users who"
        " may abandon a stack can make the workers send requests there. Empty"
        " forwards nothing. orch-all allows its own machine.",
    ),
    cfg.FloatOpt(
        "address_idle_time",
        default=300.0,
        min=0.0,
        help="Seconds, at least 0, without any use of an old address after"
        " which its user counts as moved, if it received the new one. Set it"
        " to several times the interval in which agents poll.",
    ),
)
