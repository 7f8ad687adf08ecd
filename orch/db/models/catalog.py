"""All tables together, for the migrations and for tests."""

import sqlalchemy as sa

from orch.db.models import base
from orch.db.models import change_feed
from orch.db.models import events
from orch.db.models import forwarding
from orch.db.models import lifecycle
from orch.db.models import observations
from orch.db.models import services
from orch.db.models import software
from orch.db.models import stacks

TABLES = (
    stacks.STACKS,
    stacks.STACK_TAGS,
    stacks.CONTENTS,
    stacks.CONTENT_USES,
    stacks.CREDENTIALS,
    stacks.RESOURCES,
    stacks.LEFTOVERS,
    stacks.OPERATIONS,
    stacks.OPERATION_PLANS,
    stacks.OPERATION_STEPS,
    lifecycle.LIFECYCLE_RUNS,
    lifecycle.LIFECYCLE_DECISIONS,
    observations.OBSERVATIONS,
    observations.WATCHES,
    observations.DRIFT_HISTORY,
    observations.DRIFT_ACCEPTANCES,
    observations.DRIFT_PAUSES,
    stacks.SNAPSHOTS,
    stacks.PLANS,
    forwarding.ABANDONMENTS,
    forwarding.DECISIONS,
    software.SOFTWARE_CONFIGS,
    software.SOFTWARE_DEPLOYMENTS,
    forwarding.UNREPORTED_SIGNALS,
    forwarding.REVOKED_ADDRESSES,
    forwarding.FORWARDED_ADDRESSES,
    forwarding.FORWARDED_SIGNALS,
    forwarding.TAKEN_SIGNALS,
    forwarding.ORIGINS,
    events.EVENTS,
    events.EVENT_SINKS,
    events.EVENT_SINK_STATES,
    events.EVENT_SINK_CURSORS,
    stacks.IDEMPOTENT_ANSWERS,
    events.OUTBOX,
    change_feed.CHANGE_RECORDS,
    change_feed.CHANGED_STACKS,
    change_feed.CHANGE_FEED,
    events.REFUSED_NOTIFICATIONS,
    services.SERVICES,
    services.LEASES,
    services.PLUGIN_SETTINGS,
)


def metadata() -> sa.MetaData:
    """Return the metadata of all :data:`TABLES`."""
    return base.METADATA
