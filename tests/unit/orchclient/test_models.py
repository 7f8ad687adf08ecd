from orchclient import errors
from orchclient import models
from tests import base
from tests.unit.orchclient import answering


class IdentityTests(base.TestCase):
    def test_an_address_tells_which_stack(self) -> None:
        wanted = models.StackIdentity("shop", "id-1", "demo")
        for url in (
            "https://h.test/v1/demo/stacks/shop/id-1",
            "https://h.test/orchestration/v1/demo/stacks/shop/id-1/resources",
            "/v1/demo/stacks/shop/id-1?resolve_outputs=false",
        ):
            self.assertEqual(wanted, models.StackIdentity.of_url(url), url)

    def test_other_addresses_are_refused(self) -> None:
        for url in ("", "https://h.test/", "/v1/demo/stacks/shop"):
            self.assertRaises(
                errors.AnswerError, models.StackIdentity.of_url, url
            )

    def test_names_are_quoted_in_paths(self) -> None:
        found = models.StackIdentity.of_url("/v1/demo/stacks/a%20b/id-1")

        self.assertEqual("a b", found.name)
        self.assertEqual("/stacks/a%20b/id-1", found.path)


class EventTests(base.TestCase):
    def test_an_event_of_the_stack_is_told_from_one_of_a_resource(
        self,
    ) -> None:
        own = answering.event(1, "CREATE_COMPLETE", "shop")
        other = answering.event(2, "CREATE_COMPLETE")

        self.assertTrue(models.Event.of(own).is_of_stack)
        self.assertFalse(models.Event.of(other).is_of_stack)

    def test_what_is_missing_is_an_error_of_ours(self) -> None:
        whole = answering.event(1, "CREATE_COMPLETE")
        for key in ("id", "event_time", "links"):
            body = {name: whole[name] for name in whole if name != key}
            self.assertRaises(errors.AnswerError, models.Event.of, body)
