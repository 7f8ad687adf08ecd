"""What types tell of their things is what the template wants of them.

Each type is asked as the engine asks it. What nobody has changed must not
look changed, whatever a service makes of it; what somebody has changed must,
and is put back by one update.
"""

import dataclasses
import time
import typing
import uuid

from openstack import connection

from orch import errors
from orch.context import request
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import association
from orch.resources.openstack import base as openstack_base
from orch.resources.openstack import type_data
from tests import base
from tests.cloud import image_server
from tests.support import rig
from tests.support import waiting
from tests.unit.resources import contexts

Json = dict[str, typing.Any]

_LIMIT_S: typing.Final = 30


class _Clouds:
    """Logs in as the administrator, for whatever stack."""

    def __init__(self, admin: connection.Connection) -> None:
        self._admin = admin

    def connect(
        self, context: call_context.Context, **_: object
    ) -> connection.Connection:
        return self._admin


@dataclasses.dataclass(frozen=True)
class Sample:
    """One type, a thing of it, and how somebody changes that.

    :ivar changes: property, and what it is changed to; empty where nothing
        is changed in place
    """

    kind: type[openstack_base.OpenStackResource]
    properties: Json
    changes: Json


_IMAGES: typing.Final = image_server.ImageServer("127.0.0.2")

SAMPLES = (
    Sample(
        type_data.load_type("OS::Keystone::Project"),
        {"description": "one", "tags": ["b", "a"], "enabled": True},
        {"description": "two", "tags": ["a", "c"]},
    ),
    Sample(
        type_data.load_type("OS::Keystone::User"),
        {
            "email": "a@example.org",
            "default_project": "demo",
            "roles": [{"role": "member", "project": "demo"}],
        },
        {"email": "b@example.org", "enabled": False, "roles": []},
    ),
    Sample(type_data.load_type("OS::Keystone::Role"), {}, {"name": "other"}),
    Sample(
        type_data.load_type("OS::Keystone::Domain"),
        {"description": "one"},
        {"description": ""},
    ),
    Sample(
        type_data.load_type("OS::Keystone::Group"),
        {"description": "one"},
        {"description": "two"},
    ),
    Sample(
        type_data.load_type("OS::Keystone::UserRoleAssignment"),
        {
            "user": "demo",
            "roles": [{"role": "reader", "project": "admin"}],
        },
        {"roles": []},
    ),
    Sample(
        type_data.load_type("OS::Glance::WebImage"),
        {
            "container_format": "bare",
            "disk_format": "raw",
            "location": _IMAGES.url(),
            "os_distro": "plain",
            "tags": ["b", "a"],
            "extra_properties": {"room": "1"},
        },
        {
            "os_distro": "other",
            "tags": [],
            "extra_properties": {"room": "2"},
            "active": False,
        },
    ),
    Sample(
        type_data.load_type("OS::Swift::Container"),
        {
            "X-Container-Meta": {"Colour": "red", "Size": 1},
            "X-Container-Read": ".r:*",
        },
        {},
    ),
)


class RealityTests(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.admin = rig.insist("identity", "image", "object-store").admin
        self.useFixture(_IMAGES)

    def plugin(
        self, kind: type[openstack_base.OpenStackResource]
    ) -> openstack_base.OpenStackResource:
        made = kind(contexts.options())
        made.use_clouds(_Clouds(self.admin))
        return made

    def context(
        self, kind: type[openstack_base.OpenStackResource], given: Json
    ) -> call_context.Context:
        token = str(uuid.uuid4())
        found = contexts.make(
            kind, token=token, started_at=time.time(), **given
        )
        project_id = self.admin.current_project_id
        return dataclasses.replace(
            found,
            physical_name=f"orch-{token[:13]}",
            request=request.RequestContext(project_id=project_id),
        )

    def begun(
        self, kind: type[openstack_base.OpenStackResource], given: Json
    ) -> tuple[openstack_base.OpenStackResource, call_context.Context]:
        """Return a type, and a thing of it that is there."""
        plugin, context = self.plugin(kind), self.context(kind, given)
        context = self.with_id(context, plugin.create(context))
        self.addCleanup(self.remove, plugin, context)
        self.wait(plugin.is_created, context)
        return plugin, context

    def with_id(
        self,
        context: call_context.Context,
        made: call_context.PhysicalId | call_context.CreateResult,
    ) -> call_context.Context:
        if isinstance(made, call_context.CreateResult):
            return dataclasses.replace(
                context, physical_id=made.physical_id, data=made.data
            )
        return dataclasses.replace(context, physical_id=made)

    def wait(
        self,
        ask: typing.Callable[[call_context.Context], object],
        of: call_context.Context,
    ) -> None:
        waiting.wait_for(lambda: ask(of) is None, of.physical_name, _LIMIT_S)

    def remove(
        self,
        plugin: openstack_base.OpenStackResource,
        context: call_context.Context,
    ) -> None:
        def is_asked(of: call_context.Context) -> object:
            try:
                plugin.delete(of)
            except errors.Transient as error:
                # The engine would ask again as well.
                return error
            return None

        self.wait(is_asked, context)
        self.wait(plugin.is_deleted, context)

    def differing(
        self, plugin: openstack_base.OpenStackResource, one: Json, other: Json
    ) -> set[str]:
        """Return the properties that both know, and that differ."""
        return {
            name
            for name in one.keys() & other.keys()
            if plugin.normalise(name, one[name])
            != plugin.normalise(name, other[name])
        }

    def known(
        self,
        plugin: openstack_base.OpenStackResource,
        context: call_context.Context,
    ) -> Json:
        found = plugin.get_reality(context)
        assert found is not None
        return dict(found)

    def given(self, context: call_context.Context) -> Json:
        return {
            name: one
            for name, one in context.properties.items()
            if one is not None
        }

    def test_what_nobody_has_changed_does_not_differ(self) -> None:
        for sample in SAMPLES:
            with self.subTest(sample.kind.type_name):
                plugin, context = self.begun(sample.kind, sample.properties)

                live = self.known(plugin, context)

                # Names that were given are ids at the service.
                named = {"default_project"}
                self.assertEqual(
                    set(),
                    self.differing(plugin, self.given(context), live) - named,
                )
                self.assertEqual(
                    set(),
                    self.differing(plugin, live, self.known(plugin, context)),
                )
                told = sample.properties.keys() & live.keys()
                unread = {"user", "location"}
                self.assertEqual(sample.properties.keys() - unread, told)

    def test_what_somebody_has_changed_is_seen_and_put_back(self) -> None:
        for sample in SAMPLES:
            if not sample.changes:
                continue
            with self.subTest(sample.kind.type_name):
                plugin, context = self.begun(sample.kind, sample.properties)
                before = self.known(plugin, context)
                if "name" in sample.changes:
                    changes = {"name": f"{context.physical_name}-x"}
                else:
                    changes = sample.changes
                other = dataclasses.replace(
                    context, properties={**context.properties, **changes}
                )
                plugin.update(other, context.properties, set(changes))

                live = self.known(plugin, context)

                self.assertEqual(
                    set(changes), self.differing(plugin, before, live)
                )
                plugin.update(
                    context,
                    {**context.properties, **live},
                    self.differing(plugin, before, live),
                )
                self.assertEqual(
                    set(),
                    self.differing(
                        plugin, before, self.known(plugin, context)
                    ),
                )

    def test_many_are_observed_as_each_is_read(self) -> None:
        for sample in SAMPLES:
            if issubclass(sample.kind, association.Association):
                continue
            with self.subTest(sample.kind.type_name):
                plugin, first = self.begun(sample.kind, sample.properties)
                _, second = self.begun(sample.kind, sample.properties)
                gone = dataclasses.replace(
                    second, physical_id=uuid.uuid4().hex
                )

                found = plugin.observe([first, gone, second])

                if found is None:
                    self.assertIs(
                        type_data.load_type("OS::Swift::Container"),
                        sample.kind,
                    )
                    continue
                for context, answer in ((first, found[0]), (second, found[2])):
                    assert isinstance(answer, dict)
                    one = self.known(plugin, context)
                    self.assertEqual(one.keys(), answer.keys())
                    self.assertEqual(
                        set(), self.differing(plugin, one, answer)
                    )
                self.assertIsInstance(found[1], reality.Vanished)

    def test_what_a_lost_attempt_left_is_found_by_its_token(self) -> None:
        for sample in SAMPLES:
            if issubclass(
                sample.kind,
                association.Association
                | type_data.load_type("OS::Swift::Container"),
            ):
                # To make them again is harmless.
                continue
            with self.subTest(sample.kind.type_name):
                plugin, context = self.begun(sample.kind, sample.properties)
                lost = dataclasses.replace(
                    context, physical_id=None, is_outcome_unknown=True
                )

                found = plugin.find(lost)

                assert found is not None
                self.assertEqual(
                    context.physical_id, self.with_id(lost, found).physical_id
                )
                other = dataclasses.replace(lost, token=str(uuid.uuid4()))
                self.assertIsNone(plugin.find(other))

    def test_a_lost_attempt_at_a_container_is_not_made_twice(self) -> None:
        plugin, context = self.begun(
            type_data.load_type("OS::Swift::Container"), {}
        )
        again = dataclasses.replace(context, physical_id=None)

        self.assertEqual(context.physical_id, plugin.create(again))
