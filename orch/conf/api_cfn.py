"""How the CloudFormation-compatible API is served."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "api_cfn",
    "CloudFormation-compatible API",
    cfg.HostAddressOpt(
        "host",
        default="127.0.0.1",
        help="Address that orch-api-cfn listens on. The default is for this"
        " machine alone. Set it where others are to reach the API; with auth"
        " = none in [api] that is refused.",
    ),
    cfg.PortOpt(
        "port",
        default=8000,
        help="TCP port that orch-api-cfn listens on, 0 to 65535; 0 lets the"
        " system choose a free one. Change it when 8000 is taken.",
    ),
    cfg.IntOpt(
        "threads",
        default=8,
        min=1,
        max=1024,
        help="Threads that serve requests, 1 to 1024: as many requests may"
        " wait for workers at once. Raise it when many servers poll for"
        " metadata.",
    ),
)
