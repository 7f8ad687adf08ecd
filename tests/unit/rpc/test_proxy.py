"""What clients send, and how."""

import collections.abc
import concurrent.futures
import inspect
import queue
import threading
import typing

from orch import errors
from orch.context import request
from orch.rpc import caller
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc.contract import methods
from tests import base
from tests.unit.rpc import declared

_HINTS = {
    ("operation", "run"): "cast",
    ("operation", "run_some"): "cast",
    ("operation", "child_ended"): "broadcast",
}
"""How methods are sent that nobody waits for."""
_ADDED = {
    ("drift", "accept"): {"properties"},
    ("document", "orphans"): {"rest"},
    ("document", "read"): {"known"},
    ("document", "resources"): {"known"},
    ("drift", "show"): {"limit", "marker"},
    ("plan", "apply"): {"options"},
    ("resource", "signal"): {"signal_id", "hops"},
}
"""Arguments that are not sent while they have their defaults."""


class _Caller:
    """Keeps what is sent; each answer is the method's name."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, str, dict[str, object]]] = []

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        self.sent.append(("call", namespace, method, kwargs))
        return f"{namespace}.{method}"

    def cast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        self.sent.append(("cast", namespace, method, kwargs))

    def broadcast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        self.sent.append(("broadcast", namespace, method, kwargs))


class ContractTest(base.TestCase):
    def test_each_method_sends_its_arguments_under_its_own_name(self) -> None:
        for kind, name, method in self.declared():
            values: dict[str, object] = {}
            for each in method.signature.parameters.values():
                if each.kind is inspect.Parameter.VAR_KEYWORD:
                    fields = contract.AdoptionRequest.__annotations__
                    values.update({field: f"a {field}" for field in fields})
                else:
                    values[each.name] = f"a {each.name}"
            self.check(kind, name, method, values, values)

    def test_each_method_sends_defaults(self) -> None:
        for kind, name, method in self.declared():
            values: dict[str, object] = {}
            sent: dict[str, object] = {}
            added = _ADDED.get((name, method.name), set())
            for each in method.signature.parameters.values():
                if each.kind is inspect.Parameter.VAR_KEYWORD:
                    continue
                if each.default is inspect.Parameter.empty:
                    sent[each.name] = values[each.name] = f"a {each.name}"
                elif each.name not in added:
                    sent[each.name] = each.default
            self.check(kind, name, method, values, sent)

    def declared(
        self,
    ) -> collections.abc.Iterator[tuple[type, str, methods.Method]]:
        for kind in (*contract.NAMESPACES, contract.Search):
            found = methods.read_namespace(kind)
            for each in found.methods:
                yield kind, found.name, each

    def check(
        self,
        kind: type,
        namespace: str,
        method: methods.Method,
        values: dict[str, object],
        sent: dict[str, object],
    ) -> None:
        sender = _Caller()
        client: typing.Any = proxy.proxy(kind, sender)

        answer = getattr(client, method.name)(
            request.RequestContext(), **values
        )

        how = _HINTS.get((namespace, method.name), "call")
        self.assertEqual([(how, namespace, method.name, sent)], sender.sent)
        expected = f"{namespace}.{method.name}" if how == "call" else None
        self.assertEqual(expected, answer)


class ProxyTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.ctxt = request.RequestContext()
        self.caller = _Caller()
        self.shelf = proxy.proxy(declared.Shelf, self.caller)

    def test_a_method_of_a_protocol_is_one_of_the_client(self) -> None:
        answer = self.shelf.place(self.ctxt, "Emma", 3)
        self.shelf.dust(self.ctxt)

        self.assertEqual("shelf.place", answer)
        self.assertEqual(
            [
                ("call", "shelf", "place", {"title": "Emma", "row": 3}),
                ("cast", "shelf", "dust", {}),
            ],
            self.caller.sent,
        )

    def test_an_added_argument_is_sent_where_it_is_given(self) -> None:
        self.shelf.find(self.ctxt, "Emma")
        self.shelf.find(self.ctxt, "Emma", page=2)

        self.assertEqual(
            [
                {"title": "Emma", "exact": False},
                {"title": "Emma", "exact": False, "page": 2},
            ],
            [sent for _, _, _, sent in self.caller.sent],
        )

    def test_wrong_arguments_are_not_sent(self) -> None:
        wrong: typing.Any = self.shelf

        self.assertRaises(TypeError, wrong.place, self.ctxt)
        self.assertRaises(TypeError, wrong.find, self.ctxt, "Emma", True)
        self.assertEqual([], self.caller.sent)

    def test_a_client_has_no_other_methods(self) -> None:
        self.assertFalse(hasattr(self.shelf, "_secret"))
        self.assertFalse(hasattr(self.shelf, "unknown"))


class _Away(_Caller):
    def call(self, *args: object, **kwargs: object) -> object:
        raise errors.Unavailable("no worker is there to ask")


class SearchCallerTest(base.TestCase):
    def test_an_error_names_the_search_service(self) -> None:
        client = proxy.proxy(contract.Search, caller.SearchCaller(_Away()))

        error = self.assertRaises(
            errors.Unavailable, client.status, request.RequestContext()
        )

        self.assertEqual(
            "The search service gives no answer: no worker is there to ask",
            error.message,
        )

    def test_a_stalled_service_is_asked_by_one_call_at_a_time(self) -> None:
        slow = _Stalled()
        client = proxy.proxy(contract.Search, caller.SearchCaller(slow))
        asked = request.RequestContext()
        for _ in range(2):
            slow.answer.put(errors.Unavailable("no answer in time"))
            self.assertRaises(errors.Unavailable, client.status, asked)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            probe = pool.submit(client.status, asked)
            slow.is_asked.acquire()
            slow.is_asked.acquire()
            slow.is_asked.acquire()

            error = self.assertRaises(errors.Unavailable, client.status, asked)
            self.assertIn("no answer in time", error.message)
            slow.answer.put({"documents": 7})
            self.assertEqual({"documents": 7}, probe.result(10))

        slow.answer.put({"documents": 8})
        self.assertEqual({"documents": 8}, client.status(asked))
        self.assertEqual(4, slow.count)

    def test_a_refused_search_is_an_answer(self) -> None:
        slow = _Stalled()
        client = proxy.proxy(contract.Search, caller.SearchCaller(slow))
        asked = request.RequestContext()
        for error in (errors.Unavailable("late"), errors.Invalid("bad")) * 3:
            slow.answer.put(error)
            self.assertRaises(type(error), client.status, asked)

        self.assertEqual(6, slow.count)


class _Stalled(_Caller):
    """Answers what the test puts into it, and waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: queue.Queue[object] = queue.Queue()
        self.is_asked = threading.Semaphore(0)
        self.count = 0

    def call(self, *args: object, **kwargs: object) -> object:
        self.count += 1
        self.is_asked.release()
        found = self.answer.get(timeout=10)
        if isinstance(found, Exception):
            raise found
        return found
