import collections.abc
import typing

from orch import errors
from orch.context import request
from orch.rpc import contract
from orch.rpc import proxy
from orch.search import document
from orch.search.sources import engine
from orch.search.sources import port
from tests import base

Json = dict[str, typing.Any]


def facts(name: str, stack_id: str = "s") -> contract.DocumentFacts:
    return contract.DocumentFacts(
        id=f"resource/{stack_id}-{name}",
        kind="resource",
        stack_id=stack_id,
        root_id=stack_id,
        project_id="demo",
        path=f"app/{name}",
        name=name,
        type="T",
        action="CREATE",
        status="COMPLETE",
        reason="",
        description="",
        created_at=1.0,
        updated_at=None,
        physical_id="",
        owner="",
        tags=["t"],
        drift="",
        is_hidden=False,
        fields={"properties.a": [1, "x"]},
        texts={},
        admin={},
    )


class Worker:
    """Answers calls from lists of answers, and notes what was asked."""

    def __init__(self, **answers: list[object]) -> None:
        self.answers = answers
        self.requests: list[tuple[str, Json]] = []
        self.tokens: list[object] = []

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        self.requests.append((method, kwargs))
        self.tokens.append((ctxt.auth_token, ctxt.project_id))
        answer = self.answers[method].pop(0)
        return answer(kwargs) if callable(answer) else answer

    def cast(self, *args: object, **kwargs: object) -> None:
        raise AssertionError("nothing is to be cast")

    broadcast = cast


def first(
    *names: str,
    version: int = 1,
    following: str | None = None,
    unchanged: str = "",
) -> contract.StackDocumentsFacts:
    return contract.StackDocumentsFacts(
        stack_id="s",
        version=version,
        read_at=float(version),
        documents=[facts(name) for name in names],
        digests=[f"digest {name}" for name in names],
        unchanged=[f"digest {name}" for name in unchanged],
        redacted=["parameters.key"],
        next=following,
    )


def page(
    *names: str,
    version: int = 1,
    following: str | None = None,
    unchanged: str = "",
) -> contract.ResourceDocumentsFacts:
    return contract.ResourceDocumentsFacts(
        version=version,
        documents=[facts(name) for name in names],
        digests=[f"digest {name}" for name in names],
        unchanged=[f"digest {name}" for name in unchanged],
        next=following,
    )


class EngineSourceTest(base.TestCase):
    def source(self, **answers: list[object]) -> engine.EngineSource:
        self.worker = Worker(**answers)
        return engine.EngineSource(
            proxy.proxy(contract.Documents, self.worker)
        )

    def read(self, source: engine.EngineSource) -> tuple[int, list[str]]:
        (found,) = source.read(["s"])
        self.redacted = found.redacted
        return found.version, [each.name for each in found.documents]

    def test_s2_all_pages_of_a_stack_are_read(self) -> None:
        source = self.source(
            read=[[first("a", following="a")]],
            resources=[page("b", following="b"), page("c")],
        )

        self.assertEqual((1, ["a", "b", "c"]), self.read(source))
        self.assertEqual({"parameters.key"}, self.redacted)
        self.assertEqual(
            ["a", "b"],
            [asked["after"] for _, asked in self.worker.requests[1:]],
        )

    def test_changes_say_which_stacks_change_further(self) -> None:
        source = self.source(
            changes=[
                {
                    "position": "feed.7",
                    "stacks": [
                        {
                            "stack_id": "a",
                            "version": 3,
                            "is_in_progress": False,
                        },
                        {
                            "stack_id": "b",
                            "version": 4,
                            "is_in_progress": True,
                        },
                    ],
                    "is_complete": True,
                    "has_more": True,
                }
            ]
        )

        found = source.changes("feed.5", 100)

        self.assertEqual(
            port.Changes(
                position="feed.7",
                changed={"a": 3},
                changing={"b": 4},
                has_more=True,
            ),
            found,
        )
        self.assertEqual(
            [("changes", {"position": "feed.5", "limit": 100})],
            self.worker.requests,
        )

    def test_s5_one_that_changes_meanwhile_is_read_again(self) -> None:
        source = self.source(
            read=[
                [first("a", following="a")],
                [first("a", version=2, following="a")],
            ],
            resources=[page("b", version=2), page("b", "c", version=2)],
        )

        self.assertEqual((2, ["a", "b", "c"]), self.read(source))

    def test_s5_one_that_changes_all_the_time_has_the_early_version(
        self,
    ) -> None:
        source = self.source(
            read=[
                [first("a", version=number, following="a")]
                for number in range(1, 9)
            ],
            resources=[page("b", version=99) for _ in range(9)],
        )

        version, names = self.read(source)

        self.assertEqual(["a", "b"], names)
        self.assertLess(version, 99)
        # Nobody knows what is covered in both parts of it.
        self.assertEqual(frozenset(), self.redacted)
        self.assertLess(len(self.worker.requests), 9)

    def test_known_documents_that_have_not_changed_are_left_out(self) -> None:
        source = self.source(
            read=[
                [first(*"abc", version=1)],
                [first("b", version=2, following="b", unchanged="a")],
            ],
            resources=[page("d", version=2, unchanged="c")],
        )
        (before,) = source.read(["s"])
        known = {"s": before.known}

        (found,) = source.read_changed(["s"], known)

        self.assertEqual(["b", "d"], [each.name for each in found.documents])
        self.assertEqual({"resource/s-a", "resource/s-c"}, found.unchanged)
        self.assertEqual(known["s"], found.base)
        self.assertEqual(
            {f"digest {name}": f"resource/s-{name}" for name in "abcd"},
            found.known.ids,
        )
        digests = ["digest a", "digest b", "digest c"]
        self.assertEqual(
            [
                ("read", {"stack_ids": ["s"]}),
                ("read", {"stack_ids": ["s"], "known": {"s": digests}}),
                (
                    "resources",
                    {"stack_id": "s", "after": "b", "known": digests},
                ),
            ],
            self.worker.requests,
        )

    def test_what_has_changed_between_two_pages_is_no_more_unchanged(
        self,
    ) -> None:
        source = self.source(
            read=[
                [first("a", version=1)],
                [first(version=2, following="a", unchanged="a")],
            ],
            resources=[page("a", version=2)],
        )
        (before,) = source.read(["s"])

        (found,) = source.read_changed(["s"], {"s": before.known})

        self.assertEqual(["a"], [each.name for each in found.documents])
        self.assertEqual((set(), None), (found.unchanged, found.base))

    def test_one_that_changes_meanwhile_is_read_again_as_a_whole(self) -> None:
        source = self.source(
            read=[
                [first("a", "b", version=1)],
                [first(version=2, following="a", unchanged="a")],
                [first("a", "b", version=3)],
            ],
            resources=[page("b", version=3)],
        )
        (before,) = source.read(["s"])

        (found,) = source.read_changed(["s"], {"s": before.known})

        self.assertEqual(["a", "b"], [each.name for each in found.documents])
        self.assertEqual((set(), None), (found.unchanged, found.base))
        self.assertEqual(
            ("read", {"stack_ids": ["s"]}), self.worker.requests[-1]
        )

    def test_a_worker_that_tells_no_digests_is_read_as_a_whole(self) -> None:
        answer: Json = dict(first("a"))
        del answer["digests"], answer["unchanged"]
        source = self.source(read=[[answer], [answer]])
        (before,) = source.read(["s"])

        (found,) = source.read_changed(["s"], {"s": before.known})

        self.assertEqual(["a"], [each.name for each in found.documents])
        self.assertEqual(
            [("read", {"stack_ids": ["s"]})] * 2, self.worker.requests
        )

    def test_of_two_with_one_id_the_later_counts(self) -> None:
        source = self.source(
            read=[[first("a", following="a")]], resources=[page("a", "b")]
        )

        self.assertEqual((1, ["a", "b"]), self.read(source))

    def test_s4_no_token_of_anybody_is_used(self) -> None:
        source = self.source(read=[[first("a")]], list_stacks=[["s"]])

        source.list_stacks("", 5)
        source.read(["s"])

        self.assertEqual([(None, None)] * 2, self.worker.tokens)

    def test_many_stacks_are_asked_for_in_turns(self) -> None:
        def answer(asked: Json) -> collections.abc.Iterable[object]:
            return [
                {**first("a"), "stack_id": each} for each in asked["stack_ids"]
            ]

        source = self.source(read=[answer, answer, answer])
        wanted = [f"s{number}" for number in range(50)]

        found = source.read(wanted)

        self.assertEqual(wanted, [each.stack_id for each in found])
        self.assertEqual(
            [20, 20, 10],
            [len(asked["stack_ids"]) for _, asked in self.worker.requests],
        )

    def test_one_that_no_worker_can_read_is_an_error(self) -> None:
        source = self.source(read=[[]])

        error = self.assertRaises(engine.Unreadable, source.read, ["s"])

        self.assertIn("s", str(error))
        self.assertNotIsInstance(error, errors.Unavailable)

    def test_values_are_those_of_a_document(self) -> None:
        (found,) = self.source(read=[[first("a")]]).read(["s"])

        (stack,) = found.documents
        self.assertEqual({"properties.a": (1, "x")}, stack.fields)
        self.assertEqual(("t",), stack.tags)

    def test_orphans_come_project_by_project(self) -> None:
        def answer(project: str) -> list[object]:
            return [
                {
                    "project_id": project,
                    "read_at": 5.0,
                    "documents": [facts(project)],
                    "unlisted_types": [{"type": "T", "reason": "no list"}],
                }
            ]

        source = self.source(orphans=[answer("a"), answer("b"), []])

        found = list(source.orphans(""))

        self.assertEqual(
            [("a", 5.0, {"T": "no list"}), ("b", 5.0, {"T": "no list"})],
            [
                (each.project_id, each.read_at, each.unlisted_types)
                for each in found
            ],
        )
        self.assertEqual(
            ["", "a", "b"],
            [asked["after"] for _, asked in self.worker.requests],
        )

    def idle(self) -> Json:
        """Return what a worker says that does not observe."""
        return {
            "project_id": "",
            "read_at": 1.0,
            "documents": [],
            "unlisted_types": [],
        }

    def test_orphans_go_on_after_a_project(self) -> None:
        source = self.source(orphans=[[]])

        self.assertEqual([], list(source.orphans("c")))

        self.assertEqual([("orphans", {"after": "c"})], self.worker.requests)

    def page(self, name: str, rest: object, **more: object) -> Json:
        """Return what a worker says of a part of a project."""
        told = {**self.idle(), "project_id": "a", "rest": rest, **more}
        return {**told, "documents": [facts(name)]}

    def test_a_project_with_many_orphans_comes_whole(self) -> None:
        rest = {"types": ["B", "C"], "past": "b1"}
        more = {"types": ["C"], "past": ""}
        failed = [{"type": "C", "reason": "no list"}]
        source = self.source(
            orphans=[
                [self.page("one", rest)],
                [self.idle()],
                [self.page("two", more, read_at=9.0)],
                [self.page("three", None, unlisted_types=failed)],
                [],
            ]
        )

        (found,) = source.orphans("")

        self.assertEqual(
            ["one", "two", "three"], [each.name for each in found.documents]
        )
        self.assertEqual(
            (1.0, {"C": "no list"}), (found.read_at, found.unlisted_types)
        )
        self.assertEqual(
            [("", None), ("", rest), ("", rest), ("", more), ("a", None)],
            [
                (asked["after"], asked.get("rest"))
                for _, asked in self.worker.requests
            ],
        )

    def test_a_worker_of_an_earlier_release_ends_the_pages(self) -> None:
        rest = {"types": ["B", "C"], "past": ""}
        earlier = self.page("two", None)
        del earlier["rest"]
        source = self.source(orphans=[[self.page("one", rest)], [earlier], []])

        (found,) = source.orphans("")

        self.assertEqual(
            ["one", "two"], [each.name for each in found.documents]
        )

    def test_what_is_left_of_a_project_that_goes_is_not_listed(self) -> None:
        rest = {"types": ["B", "C"], "past": ""}
        source = self.source(
            orphans=[
                [self.page("one", rest)],
                [self.page("other", None, project_id="b")],
                [],
            ]
        )

        (found,) = source.orphans("")

        self.assertEqual("a", found.project_id)
        self.assertEqual({"B", "C"}, set(found.unlisted_types))

    def test_a_worker_that_does_not_observe_ends_nothing(self) -> None:
        idle = self.idle()
        told = {**idle, "project_id": "a"}
        source = self.source(orphans=[[idle], [told], [idle], [idle], []])

        found = list(source.orphans(""))

        self.assertEqual(["a"], [each.project_id for each in found])
        self.assertEqual(
            ["", "", "a", "a", "a"],
            [asked["after"] for _, asked in self.worker.requests],
        )

    def test_where_nobody_observes_that_is_no_list_of_none(self) -> None:
        idle = self.idle()
        source = self.source(orphans=[[idle]] * 100)

        error = self.assertRaises(port.Unobserved, list, source.orphans(""))

        self.assertIn("[observer] enabled", str(error))
        self.assertLess(len(self.worker.requests), 100)

    def test_workers_of_before_do_not_tell_what_is_not_listed(self) -> None:
        told = {**self.idle(), "project_id": "a"}
        del told["unlisted_types"]
        source = self.source(orphans=[[told], []])

        (found,) = source.orphans("")

        self.assertEqual({}, found.unlisted_types)

    def test_s3_workers_of_before_do_not_tell_what_is_covered(self) -> None:
        told: Json = {**first("a")}
        del told["redacted"]
        source = self.source(read=[[told]])

        self.assertEqual((1, ["a"]), self.read(source))

        self.assertEqual(document.UNKNOWN_REDACTION, self.redacted)
