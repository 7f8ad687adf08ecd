"""Where ``orchestration.*`` notifications go, and what they tell."""

import typing

from oslo_config import cfg
from oslo_config import types

from orch.conf import section


class _Names(types.List):
    """Names between commas; empty ones are left out."""

    def __call__(self, value: typing.Any) -> list[typing.Any]:
        """Return the names."""
        return [each for each in super().__call__(value) if each]


NO_TEMPLATE = "none"
HASH = "hash"
FULL = "full"

SECTION = section.Section(
    "notifications",
    "Notifications",
    cfg.Opt(
        "topics",
        type=_Names(),
        default=["notifications"],
        help="Topics that notifications are published to, names. The broker"
        " stores what is published until it is consumed: list one topic"
        " for each consumer that needs all of them, and leave the list empty"
        " without consumers: nothing is published then.",
    ),
    cfg.MultiStrOpt(
        "selection",
        default=[],
        help="What a topic gets: its name, then event_type= and project_id=,"
        " each with patterns separated by commas, in which * matches any"
        " characters; for example: billing"
        " event_type=orchestration.stack.*.end project_id=p1,p2. The option"
        " may be given several times, also for one topic, which then gets what"
        " any of them selects. A topic without one gets all notifications. Set"
        " it where a consumer needs few of them, or those of one project; not"
        " for the first topic, which orch-search listens to.",
    ),
    cfg.StrOpt(
        "exchange",
        default="heat",
        help="Exchange that notifications are published to, a name."
        " Ceilometer and its like listen on the default; change it only"
        " together with the consumers.",
    ),
    cfg.StrOpt(
        "publisher_id",
        help="Publisher that notifications name as their origin. The default"
        " is orchestration.HOST, with the host option of [DEFAULT]; change"
        " it when consumers select by it.",
    ),
    cfg.StrOpt(
        "template",
        default=HASH,
        choices=(
            (NO_TEMPLATE, "nothing of it"),
            (HASH, "its content hash, which says whether it is another one"),
            (FULL, "the whole of it too, hidden values redacted"),
        ),
        help="What notifications of a stack include of its template. Set it to"
        " full where a consumer needs templates and must not call the API"
        " for them; each notification is then larger by the size of the"
        " template.",
    ),
    cfg.BoolOpt(
        "outputs",
        default=False,
        help="Include the outputs of a stack when an action of it has ended,"
        " as far as they can be computed from stored values; hidden values are"
        " redacted. Set it where consumers use addresses and the like, and"
        " may see what users show each other.",
    ),
    cfg.BoolOpt(
        "resources",
        default=False,
        help="Notify of each resource too, when an action of it starts and"
        " when it ends, with its properties, hidden values redacted. Set it"
        " where a consumer has to follow single resources: there are two"
        " notifications more for each resource of each operation.",
    ),
    cfg.StrOpt(
        "region",
        default="",
        help="Name of the region in notifications, so that consumers of"
        " several regions can distinguish them. Leave it empty for region_name"
        " of [clients].",
    ),
)
