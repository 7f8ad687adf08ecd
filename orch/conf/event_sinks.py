"""Sinks that the environments of stacks name for events."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "event_sinks",
    "Event sinks of users",
    cfg.BoolOpt(
        "enabled",
        default=True,
        help="Whether this worker sends events to the sinks that environments"
        " name. Of all workers one at a time does it. Set it to false on"
        " those that reach no addresses of users; where all are, events wait"
        " until they are too old.",
    ),
    cfg.StrOpt(
        "secret_file",
        default="",
        help="File with the secrets that webhooks are signed with which have"
        " none of their own, one a line, each of 16 characters or more, or"
        " ``whsec_`` and base64. All of them sign, the newest comes first:"
        " put a new one there, and take the old one away once all receivers"
        " know it. Receivers need them, so set it where all of these are"
        " yours. Without it such webhooks are not signed.",
    ),
    cfg.IntOpt(
        "max_retry_age",
        default=86400,
        min=60,
        help="Seconds after which an event is no longer sent to a sink that"
        " has not accepted it; the log reports it. Lower it where receivers"
        " have no use for old events.",
    ),
)
