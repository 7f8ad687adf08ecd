"""How workers reach the services of a cloud."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "clients",
    "Services of the cloud",
    cfg.StrOpt(
        "region_name",
        default="",
        help="Region of the catalogue whose endpoints workers use. Set it"
        " where the cloud has more than one; empty takes the first endpoint"
        " of each service.",
    ),
    cfg.StrOpt(
        "endpoint_type",
        default="publicURL",
        choices=["publicURL", "internalURL", "adminURL"],
        help="Which endpoints of the catalogue workers use. Set it to"
        " internalURL where workers are in the cloud's own network.",
    ),
    cfg.StrOpt(
        "ca_file",
        default="",
        help="File of certificates, as PEM, that workers trust when they"
        " reach services. Set it where these have certificates of an"
        " authority of your own; empty trusts what the system trusts.",
    ),
    cfg.StrOpt(
        "cert_file",
        default="",
        help="File of the certificate, as PEM, that workers show to services."
        " Set it, and key_file, where services require one.",
    ),
    cfg.StrOpt(
        "key_file",
        default="",
        help="File of the private key of cert_file, as PEM. Set it with that"
        " one.",
    ),
    cfg.BoolOpt(
        "insecure",
        default=False,
        help="Trust every certificate of a service. Only for tests: a"
        " machine in between can read and change everything.",
    ),
    cfg.FloatOpt(
        "timeout",
        default=60.0,
        min=1,
        max=600,
        help="Seconds, 1 to 600, that a service may take for an answer."
        " Raise it for slow services, and keep it below plugin_call_timeout"
        " in [engine].",
    ),
    cfg.IntOpt(
        "connect_retries",
        default=1,
        min=0,
        max=10,
        help="How often, 0 to 10, a connection that failed is tried again"
        " at once. Raise it where connections are lost often; failed calls"
        " are made again later in any case.",
    ),
)
