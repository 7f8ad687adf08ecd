"""What a busy cloud has deployed, as documents: the same each time."""

import collections.abc
import random
import uuid

from orch import clock
from orch.search import document as documents

RESOURCES = 20
PROJECTS = 200

_START = 1_770_000_000.0
_APPLICATIONS = (
    *("shop", "billing", "search", "mail", "wiki", "gitlab", "jenkins"),
    *("kafka", "redis", "postgres", "grafana", "prometheus", "vault"),
    *("gateway", "frontend", "backend", "worker", "cache", "ledger"),
)
_STAGES = ("prod", "staging", "test", "dev")
_TEAMS = ("payments", "platform", "data", "mobile", "security", "research")
_TYPES = (
    ("OS::Nova::Server", 6),
    ("OS::Neutron::Port", 6),
    ("OS::Cinder::Volume", 2),
    ("OS::Cinder::VolumeAttachment", 2),
    ("OS::Neutron::FloatingIP", 1),
    ("OS::Neutron::SecurityGroup", 1),
    ("OS::Neutron::Net", 1),
    ("OS::Heat::SoftwareConfig", 1),
)
_FLAVORS = ("m1.tiny", "m1.small", "m1.medium", "m1.large", "c2.xlarge")
_IMAGES = ("ubuntu-24.04", "debian-12", "rocky-9", "windows-2022")
_REASONS = (
    "Resource CREATE failed: ResourceInError: resources.server: Went to"
    " status ERROR due to: No valid host was found",
    "Resource CREATE failed: OverQuotaClient: Quota exceeded for cores",
    "CREATE aborted (Timeout): disk full on the hypervisor",
)
_PROSE = """
the this node service runs behind balancer with replicas and keeps its data
on encrypted volumes backup nightly monitoring alert owner team maintenance
window sunday public internal network legacy migration cluster member primary
standby zone rack temporary experiment
"""
_WORDS = _PROSE.split()


def stacks(
    count: int,
) -> collections.abc.Iterator[documents.StackDocuments]:
    """Return so many stacks, each with 20 resources.

    A tenth of them stands in another stack; a twentieth has failed.
    """
    dice = random.Random(9)
    project_ids = [_id(dice) for _ in range(PROJECTS)]
    parent = ("", "", "")
    for number in range(count):
        project_id = project_ids[dice.randrange(PROJECTS)]
        path = _name(dice, number)
        stack_id = _id(dice)
        root_id = stack_id
        if number % 10 == 9 and parent[0]:
            root_id, project_id, above = parent
            path = f"{above}/nodes/{path}"
        else:
            parent = (stack_id, project_id, path)
        stack = _stack(dice, stack_id, root_id, project_id, path)
        yield documents.StackDocuments(
            stack_id=stack_id,
            version=number + 1,
            read_at=clock.Timestamp(_START + number),
            documents=(stack, *_resources(dice, stack)),
        )


def _name(dice: random.Random, number: int) -> str:
    application = dice.choice(_APPLICATIONS)
    return f"{application}-{dice.choice(_STAGES)}-{number:05d}"


def _id(dice: random.Random) -> str:
    return str(uuid.UUID(int=dice.getrandbits(128), version=4))


def _sentence(dice: random.Random, count: int) -> str:
    return " ".join(dice.choices(_WORDS, k=count))


def _stack(
    dice: random.Random,
    stack_id: str,
    root_id: str,
    project_id: str,
    path: str,
) -> documents.Document:
    is_failed = dice.random() < 0.05
    made = _START + dice.randrange(20_000_000)
    return documents.Document(
        id=f"stack/{stack_id}",
        kind=documents.STACK,
        stack_id=stack_id,
        root_id=root_id,
        project_id=project_id,
        path=path,
        name=path.rpartition("/")[2],
        type="OS::Heat::Stack",
        action=dice.choice(("CREATE", "UPDATE")),
        status="FAILED" if is_failed else "COMPLETE",
        reason=dice.choice(_REASONS)
        if is_failed
        else "Stack CREATE completed successfully",
        description=_sentence(dice, 12),
        created_at=clock.Timestamp(made),
        updated_at=clock.Timestamp(made + dice.randrange(1_000_000)),
        owner=f"user{dice.randrange(500)}",
        tags=(dice.choice(_STAGES), f"team-{dice.choice(_TEAMS)}"),
        drift=dice.choice(("in_sync", "in_sync", "drifted", "")),
        fields={
            "parameters.flavor": (dice.choice(_FLAVORS),),
            "parameters.size": (dice.randrange(1, 20),),
            "parameters.key_name": (f"key-{dice.randrange(300)}",),
            "outputs.url": (f"https://{path.partition('/')[0]}.example.org/",),
            "outputs.address": (_address(dice),),
        },
        texts={
            "template": _template(dice),
            "events": _sentence(dice, 20),
        },
    )


def _template(dice: random.Random) -> str:
    parts = [
        f"  {kind}_{number}:\n    type: {dice.choice(_TYPES)[0]}\n"
        f"    properties:\n      name: {dice.choice(_APPLICATIONS)}\n"
        f"      flavor: {{get_param: flavor}}\n"
        f"      description: {_sentence(dice, 5)}\n"
        for number, kind in enumerate(("server", "port", "volume") * 4)
    ]
    return (
        "heat_template_version: 2021-04-16\nparameters:\n"
        "  flavor: {type: string}\nresources:\n" + "".join(parts)
    )


def _address(dice: random.Random) -> str:
    return (
        f"10.{dice.randrange(99)}.{dice.randrange(255)}.{dice.randrange(255)}"
    )


def _resources(
    dice: random.Random, stack: documents.Document
) -> collections.abc.Iterator[documents.Document]:
    number = 0
    for type_name, count in _TYPES:
        for _ in range(count):
            number += 1
            yield _resource(dice, stack, type_name, number)


def _resource(
    dice: random.Random,
    stack: documents.Document,
    type_name: str,
    number: int,
) -> documents.Document:
    name = f"{type_name.rpartition('::')[2].lower()}_{number}"
    is_failed = stack.status == "FAILED" and number == 1
    return documents.Document(
        id=f"resource/{_id(dice)}",
        kind=documents.RESOURCE,
        stack_id=stack.stack_id,
        root_id=stack.root_id,
        project_id=stack.project_id,
        path=f"{stack.path}/{name}",
        name=name,
        type=type_name,
        action=stack.action,
        status="FAILED" if is_failed else "COMPLETE",
        reason=dice.choice(_REASONS) if is_failed else "state changed",
        created_at=stack.created_at,
        updated_at=stack.updated_at,
        physical_id=_id(dice),
        owner=stack.owner,
        drift=dice.choice(("in_sync", "in_sync", "drifted", "")),
        fields={
            "properties.name": (f"{stack.name}-{name}",),
            "properties.flavor": (dice.choice(_FLAVORS),),
            "properties.image": (dice.choice(_IMAGES),),
            "properties.size": (dice.randrange(10, 500),),
            "properties.network": (_id(dice),),
            "properties.security_groups": ("default", "ssh"),
            "properties.metadata.description": (_sentence(dice, 8),),
            "attributes.first_address": (_address(dice),),
            "attributes.status": ("ERROR" if is_failed else "ACTIVE",),
            "attributes.tenant_id": (stack.project_id,),
            "required_by": (f"port_{number}",),
        },
        admin={"attributes.host": (f"compute-{dice.randrange(400):03d}",)},
    )
