"""Whether the database shows what may hold a secret; Heat's name for it."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    section.DEFAULT,
    None,
    cfg.BoolOpt(
        "encrypt_parameters_and_properties",
        default=False,
        help="Whether values that may hold secrets are encrypted before they"
        " are stored: templates, environments and files, properties,"
        " attributes and metadata of resources, signals, snapshots, plans,"
        " stored documents and answers, software configs and deployments. Set"
        " it where others can read the database or its backups. It encrypts"
        " with the first key in [credentials] encryption_keys, which must be"
        " set then, to the same list on all workers. What was stored before"
        " stays as it is, and can be read, until orch-manage secrets rotate"
        " is run; false again decrypts with that command. All workers need"
        " the same value.",
    ),
)
