"""Which services ``Orch::HTTP::Resource`` may talk to, and how long."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "http_resource",
    "Orch::HTTP::Resource",
    cfg.ListOpt(
        "allowed_urls",
        default=[],
        help="Base URLs that templates may use, comma separated, such as"
        " https://dns.example.org/v2. A request goes out only when its URL"
        " has the scheme, host and port of one of them and is at or below"
        " its path. Empty allows every URL that [egress] does not refuse,"
        " also internal ones: set it where users are not trusted so far. What"
        " it names is allowed wherever it is.",
    ),
    cfg.StrOpt(
        "ca_dir",
        default="",
        help="Absolute path, on the workers, of the directory with files of"
        " certificates that templates may name in tls.ca_file. Set it where"
        " services have certificates of an authority of your own, so that"
        " templates need not contain these; empty allows no names.",
    ),
    cfg.FloatOpt(
        "connect_timeout",
        default=5.0,
        min=0.1,
        max=600,
        help="Seconds, 0.1 to 600, that making a connection may take. Raise"
        " it for services far away.",
    ),
    cfg.FloatOpt(
        "read_timeout",
        default=30.0,
        min=0.1,
        max=600,
        help="Seconds, 0.1 to 600, that an answer may take in all. Raise it"
        " for services that answer slowly; keep it below"
        " [engine] plugin_call_timeout.",
    ),
    cfg.IntOpt(
        "max_response_kib",
        default=1024,
        min=1,
        max=65536,
        help="KiB, 1 to 65536, that one answer may have; a longer one fails"
        " the resource. Raise it for services that answer with large"
        " documents; the worker holds them in memory.",
    ),
)
