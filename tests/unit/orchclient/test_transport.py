import datetime

import requests

from orchclient import errors
from orchclient import models
from orchclient import stacks
from tests import base
from tests.unit.orchclient import answering

Answer = answering.Answer


class TransportTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = answering.Service()
        self.sender = answering.sender(self.service)

    def refused(self, *answers: answering.Laid) -> errors.ApiError:
        self.service.lay("GET /stacks", *answers)
        error = self.assertRaises(errors.ApiError, self.sender.get, "/stacks")
        assert isinstance(error, errors.ApiError)
        return error


class RefusalTests(TransportTestCase):
    def test_an_error_says_all_that_the_answer_does(self) -> None:
        error = self.refused(
            Answer(
                {
                    "code": 400,
                    "title": "Bad Request",
                    "error": {
                        "type": "StackValidationFailed",
                        "message": "two things are wrong",
                        "code": "orch.template.invalid",
                    },
                    "problems": [
                        {
                            "message": "no such type",
                            "path": "resources.web.type",
                            "file": "web.yaml",
                            "line": 7,
                            "column": 11,
                        },
                        {"message": "no such parameter", "advice": "add it"},
                    ],
                },
                status=400,
                headers={"X-Openstack-Request-Id": "req-1"},
            )
        )

        self.assertIsInstance(error, errors.BadRequestError)
        self.assertEqual(
            (400, "StackValidationFailed", "two things are wrong"),
            (error.status, error.type, error.message),
        )
        self.assertEqual("orch.template.invalid", error.code)
        self.assertEqual("req-1", error.request_id)
        self.assertEqual("two things are wrong", str(error))
        first, second = error.problems
        self.assertEqual("web.yaml:7:11", first.place)
        self.assertEqual(("", "add it"), (second.place, second.advice))

    def test_problem_details_are_understood(self) -> None:
        error = self.refused(
            Answer(
                {
                    "type": "about:blank",
                    "title": "Conflict",
                    "detail": "the stack is busy",
                    "code": "orch.stack.action_in_progress",
                    "request_id": "req-2",
                },
                status=409,
            )
        )

        self.assertIsInstance(error, errors.ConflictError)
        self.assertEqual("the stack is busy", error.message)
        self.assertEqual("orch.stack.action_in_progress", error.code)
        self.assertEqual("req-2", error.request_id)

    def test_what_stands_between_says_no_json(self) -> None:
        page = b"<html><h1>502\n Bad Gateway</h1></html>"

        error = self.refused(
            Answer(page, status=502, headers={"Content-Type": "text/html"})
        )

        self.assertIsInstance(error, errors.ServerError)
        self.assertEqual("502 Bad Gateway", error.message)

    def test_each_status_has_its_class(self) -> None:
        wanted = {
            401: errors.UnauthorizedError,
            403: errors.ForbiddenError,
            404: errors.NotFoundError,
            412: errors.PreconditionFailedError,
            413: errors.TooLargeError,
            418: errors.ApiError,
            422: errors.UnprocessableError,
            500: errors.ServerError,
            503: errors.UnavailableError,
        }
        for status, kind in wanted.items():
            details = errors.ErrorDetails(status=status, message="no")
            self.assertIs(kind, type(errors.error_of(details)), status)

    def test_it_is_told_when_to_ask_again(self) -> None:
        error = self.refused(
            Answer({}, status=429, headers={"Retry-After": "7"})
        )

        self.assertIsInstance(error, errors.RateLimitedError)
        self.assertEqual(7.0, error.retry_after_s)


class SendTests(TransportTestCase):
    def test_a_read_is_asked_again_when_the_connection_breaks(self) -> None:
        broken = requests.exceptions.ConnectionError("reset")
        self.service.lay("GET /stacks", broken, Answer({"stacks": []}))

        self.assertEqual({"stacks": []}, self.sender.get("/stacks"))

    def test_what_changes_something_is_sent_once(self) -> None:
        broken = requests.exceptions.ConnectionError("reset")
        self.service.lay("POST /stacks", broken, Answer({}))

        self.assertRaises(
            errors.ConnectError, self.sender.ask, "POST", "/stacks", {}
        )

        self.assertEqual(["POST /stacks"], self.service.paths())

    def test_what_the_service_knows_again_is_sent_again(self) -> None:
        broken = requests.exceptions.ConnectionError("reset")
        self.service.lay("POST /stacks", broken, Answer({"a": 1}))

        found = self.sender.ask_once("POST", "/stacks", {})
        self.sender.ask_once("POST", "/stacks", {}, key="mine")

        self.assertEqual({"a": 1}, found)
        first, again, other = (
            each.headers["Idempotency-Key"] for each in self.service.requests
        )
        self.assertEqual(first, again)
        self.assertEqual("mine", other)

    def test_an_answer_that_is_no_json_is_an_error_of_ours(self) -> None:
        self.service.lay("GET /stacks", Answer(b"<html>"))

        error = self.assertRaises(
            errors.AnswerError, self.sender.get, "/stacks"
        )

        self.assertIn("<html>", str(error))

    def test_an_answer_of_another_shape_is_an_error_of_ours(self) -> None:
        self.service.lay("GET /stacks", Answer({"stacks": {"a": 1}}))
        listed = stacks.Stacks(self.sender).list()

        error = self.assertRaises(errors.AnswerError, next, listed)

        self.assertIn("stacks must be a list", str(error))

    def test_a_query_is_written_as_the_service_reads_it(self) -> None:
        self.service.lay("GET /stacks", Answer({"stacks": []}))

        self.sender.get(
            "/stacks",
            {"deleted": True, "name": ["a", "b c"], "none": None, "n": 3},
        )

        self.assertEqual(
            ["GET /stacks?deleted=true&name=a&name=b+c&n=3"],
            self.service.paths(),
        )


class StackTests(TransportTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stacks = stacks.Stacks(self.sender)

    def stack(self, number: int) -> answering.Json:
        return {
            "id": f"id-{number}",
            "stack_name": f"s{number}",
            "stack_status": "CREATE_COMPLETE",
            "creation_time": "2026-11-21T10:00:00Z",
            "tags": ["a", "b"],
            "links": [
                answering.link("self", f"/stacks/s{number}/id-{number}")
            ],
        }

    def test_a_name_becomes_name_and_id(self) -> None:
        where = answering.ENDPOINT + answering.STACK
        self.service.lay(
            "GET /stacks/shop",
            Answer(status=302, headers={"Location": where}),
        )

        found = self.stacks.identify("shop")

        self.assertEqual(
            models.StackIdentity("shop", answering.STACK_ID, "demo"), found
        )
        self.assertEqual(["GET /stacks/shop"], self.service.paths())

    def page(self, *numbers: int, is_last: bool = False) -> Answer:
        body: answering.Json = {"stacks": [self.stack(n) for n in numbers]}
        if not is_last:
            body["links"] = [answering.link("next", "/stacks")]
        return Answer(body)

    def test_a_list_is_read_page_by_page(self) -> None:
        # The service has pages that are smaller than wanted.
        self.service.lay(
            "GET /stacks", self.page(1, 2), self.page(3, is_last=True)
        )

        found = list(self.stacks.list(page_size=9, tags=["x", "y"]))

        self.assertEqual(["s1", "s2", "s3"], [each.name for each in found])
        self.assertEqual(
            [
                "GET /stacks?limit=9&tags=x%2Cy",
                "GET /stacks?limit=9&tags=x%2Cy&marker=id-2",
            ],
            self.service.paths(),
        )

    def test_no_more_is_listed_than_wanted(self) -> None:
        self.service.lay("GET /stacks", self.page(1, 2), self.page(3))

        found = list(self.stacks.list(limit=3, page_size=2))

        self.assertEqual(3, len(found))
        self.assertEqual(
            ["GET /stacks?limit=2", "GET /stacks?limit=1&marker=id-2"],
            self.service.paths(),
        )

    def test_pages_are_read_as_they_are_needed(self) -> None:
        self.service.lay("GET /stacks", self.page(1, 2))

        next(self.stacks.list())

        self.assertEqual(["GET /stacks?limit=100"], self.service.paths())

    def test_a_stack_is_read(self) -> None:
        self.service.lay(
            "GET /stacks/s1/id-1",
            Answer(
                {
                    "stack": {
                        **self.stack(1),
                        "outputs": [
                            {"output_key": "a", "output_value": [1]},
                            {
                                "output_key": "b",
                                "output_error": "why",
                                "sensitive": True,
                            },
                        ],
                    }
                },
                headers={"ETag": '"7"'},
            ),
        )

        found = self.stacks.show(models.StackIdentity("s1", "id-1"))

        self.assertEqual("CREATE_COMPLETE", str(found.status))
        self.assertEqual('"7"', found.etag)
        self.assertEqual(("a", "b"), found.tags)
        self.assertEqual({"a": [1], "b": None}, found.output_values)
        self.assertEqual("why", found.outputs[1].error)
        self.assertEqual(
            [False, True], [each.is_sensitive for each in found.outputs]
        )
        self.assertEqual(
            datetime.datetime(2026, 11, 21, 10, tzinfo=datetime.UTC),
            found.created_at,
        )

    def test_a_condition_is_sent(self) -> None:
        stack = models.StackIdentity("s1", "id-1")
        self.service.lay("PATCH /stacks/s1/id-1", Answer({}, status=202))

        self.stacks.update(stack, parameters={"a": 1}, if_match='"7"')

        [asked] = self.service.requests
        self.assertEqual('"7"', asked.headers["If-Match"])
        self.assertEqual({"parameters": {"a": 1}}, asked.body)

    def test_a_retry_of_an_action_that_is_none_is_refused_here(self) -> None:
        stack = models.StackIdentity("s1", "id-1")

        self.assertRaises(ValueError, self.stacks.retry, stack, "rollback")
        self.assertRaises(ValueError, self.stacks.retry, stack, "restore")

        self.assertEqual([], self.service.requests)
