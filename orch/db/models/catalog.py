"""All tables together, for the migrations and for tests."""

import sqlalchemy as sa

from orch.db.models import abandonments
from orch.db.models import base
from orch.db.models import contents
from orch.db.models import events
from orch.db.models import operation_plans
from orch.db.models import operation_steps
from orch.db.models import operations
from orch.db.models import outbox
from orch.db.models import plans
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
    resources.RESOURCES,
    operations.OPERATIONS,
    operation_plans.OPERATION_PLANS,
    operation_steps.OPERATION_STEPS,
    snapshots.SNAPSHOTS,
    plans.PLANS,
    abandonments.ABANDONMENTS,
    abandonments.DECISIONS,
    software_configs.SOFTWARE_CONFIGS,
    software_deployments.SOFTWARE_DEPLOYMENTS,
    signals.UNTOLD_SIGNALS,
    signals.REVOKED_ADDRESSES,
    events.EVENTS,
    outbox.OUTBOX,
    services.SERVICES,
    services.LEASES,
)


def metadata() -> sa.MetaData:
    """Return the metadata of all :data:`TABLES`."""
    return base.METADATA
