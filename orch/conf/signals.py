"""Addresses that take signals without a token, and what signals may leave."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "signals",
    "Signals to resources",
    cfg.ListOpt(
        "seal_keys",
        default=[],
        secret=True,
        help="Secret keys, each of 32 characters or more, that seal the"
        " addresses which resources are signalled at without a token. The"
        " first one seals new addresses, all of them open old ones: to change"
        " the key put a new one in front, and take the old one away once no"
        " server uses an address of its time any more. All workers and all"
        " API processes need the same list. Without a key no such address is"
        " made, and resources that need one fail. The first key also makes"
        " fingerprints by which a search index sees that a hidden value has"
        " changed: with another one it forgets what stacks with hidden values"
        " were before. orch-all makes one of its own.",
    ),
    cfg.StrOpt(
        "url_base",
        default="",
        help="Scheme, host and port that such addresses begin with, as"
        " servers reach the API, such as https://cloud.example.net:8004. Set"
        " it on the workers wherever servers are other machines; empty takes"
        " [api] public_url, else http with [api] host and port.",
    ),
    cfg.IntOpt(
        "url_lifetime",
        default=0,
        min=0,
        help="Seconds after which such an address is refused, counted from"
        " the creation of its resource; 0 for as long as the resource"
        " exists. Set it where addresses may leak into logs or images.",
    ),
    cfg.IntOpt(
        "max_stored_size",
        default=262144,
        min=1024,
        help="Most bytes, 1024 or more, that signals may leave with one"
        " resource, as JSON; a signal beyond it is refused. Raise it where"
        " servers send large results; it bounds what a runaway server costs.",
    ),
)
