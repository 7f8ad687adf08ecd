"""All tables together, for the migrations and for tests."""

import sqlalchemy as sa

from orch.db.models import abandonments
from orch.db.models import base
from orch.db.models import contents
from orch.db.models import credentials
from orch.db.models import drift_history
from orch.db.models import drift_pauses
from orch.db.models import event_sinks
from orch.db.models import events
from orch.db.models import forwarding
from orch.db.models import idempotent_answers
from orch.db.models import leftovers
from orch.db.models import lifecycle
from orch.db.models import observations
from orch.db.models import operation_plans
from orch.db.models import operation_steps
from orch.db.models import operations
from orch.db.models import outbox
from orch.db.models import plans
from orch.db.models import refused_notifications
from orch.db.models import resources
from orch.db.models import services
from orch.db.models import signals
from orch.db.models import snapshots
from orch.db.models import software_configs
from orch.db.models import software_deployments
from orch.db.models import stacks

TABLES = (
    stacks.STACKS,
    stacks.STACK_TAGS,
    contents.CONTENTS,
    contents.CONTENT_USES,
    credentials.CREDENTIALS,
    resources.RESOURCES,
    leftovers.LEFTOVERS,
    operations.OPERATIONS,
    operation_plans.OPERATION_PLANS,
    operation_steps.OPERATION_STEPS,
    lifecycle.LIFECYCLE_RUNS,
    lifecycle.LIFECYCLE_DECISIONS,
    observations.OBSERVATIONS,
    observations.WATCHES,
    drift_history.DRIFT_HISTORY,
    drift_history.DRIFT_ACCEPTANCES,
    drift_pauses.DRIFT_PAUSES,
    snapshots.SNAPSHOTS,
    plans.PLANS,
    abandonments.ABANDONMENTS,
    abandonments.DECISIONS,
    software_configs.SOFTWARE_CONFIGS,
    software_deployments.SOFTWARE_DEPLOYMENTS,
    signals.UNREPORTED_SIGNALS,
    signals.REVOKED_ADDRESSES,
    forwarding.FORWARDED_ADDRESSES,
    forwarding.FORWARDED_SIGNALS,
    forwarding.TAKEN_SIGNALS,
    forwarding.ORIGINS,
    events.EVENTS,
    event_sinks.EVENT_SINKS,
    event_sinks.EVENT_SINK_STATES,
    event_sinks.EVENT_SINK_CURSORS,
    idempotent_answers.IDEMPOTENT_ANSWERS,
    outbox.OUTBOX,
    refused_notifications.REFUSED_NOTIFICATIONS,
    services.SERVICES,
    services.LEASES,
    services.PLUGIN_SETTINGS,
)


def metadata() -> sa.MetaData:
    """Return the metadata of all :data:`TABLES`."""
    return base.METADATA
