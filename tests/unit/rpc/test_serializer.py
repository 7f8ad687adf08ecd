from orch.context import request
from orch.rpc import serializer
from tests import base


class SerializerTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.serializer = serializer.Serializer()

    def test_the_context_arrives_whole(self) -> None:
        sent = request.RequestContext(
            user_id="u1",
            user_name="ann",
            project_id="p1",
            project_name="shop",
            roles=["member"],
            is_admin=True,
            request_id="req-1",
            auth_token="secret",
        )

        arrived = self.serializer.deserialize_context(
            self.serializer.serialize_context(sent)
        )

        self.assertIsInstance(arrived, request.RequestContext)
        self.assertEqual(sent.to_dict(), arrived.to_dict())
        self.assertEqual("ann", arrived.user_name)

    def test_a_sender_of_an_earlier_release_names_no_admin_of_the_cloud(
        self,
    ) -> None:
        sent = request.RequestContext(roles=["admin"], is_admin=True)

        arrived = self.serializer.deserialize_context(sent.to_dict())

        self.assertTrue(sent.is_admin_project)
        self.assertFalse(arrived.is_admin_project)

    def test_access_to_other_projects_does_not_travel(self) -> None:
        sent = request.RequestContext()
        sent.other_projects = request.OtherProjects.ALLOWED

        arrived = self.serializer.deserialize_context(
            self.serializer.serialize_context(sent)
        )

        self.assertIs(request.OtherProjects.MISSING, arrived.other_projects)

    def test_a_payload_is_left_alone(self) -> None:
        context = request.RequestContext()
        payload = {"a": [1]}

        self.assertIs(
            payload, self.serializer.serialize_entity(context, payload)
        )
        self.assertIs(
            payload, self.serializer.deserialize_entity(context, payload)
        )
