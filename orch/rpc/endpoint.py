"""Endpoints: the methods of a namespace of the contract, as served."""

import collections.abc
import functools
import inspect

import oslo_messaging as messaging

from orch.context import request
from orch.rpc import contract
from orch.rpc.contract import methods

Function = collections.abc.Callable[..., object]
"""Answers a method: the context, and then what travels, as keywords."""
Run = collections.abc.Callable[..., object]
"""Runs a function; it gets the policy, the function and its arguments."""


class Endpoint:
    """The methods of one namespace and its ``target``, and nothing else."""

    def __init__(
        self,
        kind: type,
        functions: collections.abc.Mapping[str, Function],
        run: Run | None = None,
    ) -> None:
        """Serve each method of a Protocol by a function.

        :param functions: by method; parameters up to ``ctxt`` do not travel
        :param run: runs all of them; ``None`` to call them with the context
        :raises TypeError: a method has no function, or a function no method,
            or one that has other parameters
        """
        namespace = methods.read_namespace(kind)
        self.target = messaging.Target(
            namespace=namespace.name, version=contract.VERSION
        )
        known = {each.name for each in namespace.methods}
        if known != set(functions):
            raise TypeError(
                f"namespace {namespace.name}: methods without function, or"
                f" the reverse: {sorted(known ^ set(functions))}"
            )
        for each in namespace.methods:
            function = functions[each.name]
            _check_parameters(namespace.name, each, function)
            if run is not None:
                function = functools.partial(run, each.policy, function)
            vars(self)[each.name] = _served(each, function)


def _check_parameters(
    namespace: str, method: methods.Method, function: Function
) -> None:
    """Raise TypeError if a function has other parameters than its method.

    Further ones that have defaults are for other callers of the function.
    """
    taken = inspect.signature(function).parameters
    names = list(taken)
    names = names[names.index("ctxt") + 1 :]
    wanted = set(method.signature.parameters)
    others = [taken[each] for each in names if each not in wanted]
    if not wanted.issubset(names) or any(x.default is x.empty for x in others):
        raise TypeError(
            f"{namespace}.{method.name} has {sorted(wanted)}, and its"
            f" function takes {names}"
        )


def _served(method: methods.Method, function: Function) -> Function:
    def serve(ctxt: request.RequestContext, /, **kwargs: object) -> object:
        return function(ctxt, **method.bind(**kwargs))

    return serve
