"""Trainable variables of a worker that are copies of global ones."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import device
from troupe._src.set_module import set_module
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.variables.initializers import Constant
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_scope import get_variable

GLOBAL_VARIABLE_NAME = "global_center_variable"


def parts_of(variable: Any) -> List[Variable]:
    """A variable, or the parts of a partitioned one."""
    return [variable] if isinstance(variable, Variable) else list(variable)


class _LocalGetter:
    """A custom getter that makes each trainable variable a local one, on the worker.

    Args:
        worker_device: The device of the worker.
    """

    def __init__(self, worker_device: str) -> None:
        self._worker_device = worker_device
        self._global_map: Dict[Variable, Variable] = {}

    def __call__(
        self, getter: Any, name: str, trainable: Any, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Makes the variables.

        Args:
            getter: Makes one variable.
            name: The name of the one that the program gets.
            trainable: Whether that is trained; if not, it is the only one.
            collections: The collections of a variable that is not trained.
            *args: As of the getter.
            **kwargs: As of the getter.

        Returns:
            The variable that the program gets.
        """
        is_local = bool(trainable) or GraphKeys.LOCAL_VARIABLES in (collections or ())
        chosen = [GraphKeys.LOCAL_VARIABLES] if trainable else collections
        with device(self._worker_device) if is_local else contextlib.nullcontext():
            made = getter(name, *args, trainable=trainable, collections=chosen, **kwargs)
        if trainable:
            self._add_others(made, getter, name, *args, **kwargs)
        return made

    def _add_others(self, made: Any, getter: Any, name: str, *args: Any, **kwargs: Any) -> None:
        """Makes what else there is for a variable that is trained."""
        raise NotImplementedError


class CopiesGetter(_LocalGetter):
    """A custom getter that makes three variables instead of each trainable one.

    The one that the program gets is trained and local, on the worker. A global one has its name in
    `global_center_variable`, where the scope around places it. A local one has its name in another
    scope, on the worker.

    Args:
        worker_device: The device of the worker.
    """

    _beside = ""  # the scope of the second local variable

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._beside_map: Dict[Variable, Variable] = {}

    def _add_others(self, made: Any, getter: Any, name: str, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("reuse") is True:
            return
        common = getter(
            f"{GLOBAL_VARIABLE_NAME}/{name}",
            *args,
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            **kwargs,
        )
        with device(self._worker_device):
            local = {"collections": [GraphKeys.LOCAL_VARIABLES]}
            beside = getter(f"{self._beside}/{name}", *args, trainable=False, **local, **kwargs)
        for one, other, third in zip(parts_of(made), parts_of(common), parts_of(beside)):
            self._global_map[one] = other
            self._beside_map[one] = third


@set_module("troupe.contrib.opt")
class AGNCustomGetter(CopiesGetter):
    """Makes a local copy, and a sum of gradients, of each trainable variable.

    It is `tf.contrib.opt.AGNCustomGetter`, the `custom_getter` of a scope of variables, in a scope
    of `tf.train.replica_device_setter`.

    Args:
        worker_device: The device of the worker.
    """

    _beside = "grad_variable"


@set_module("troupe.contrib.opt")
class ElasticAverageCustomGetter(CopiesGetter):
    """Makes a local copy, and what that was copied from last, of each trainable variable.

    It is `tf.contrib.opt.ElasticAverageCustomGetter`, the `custom_getter` of a scope of variables,
    in a scope of `tf.train.replica_device_setter`.

    Args:
        worker_device: The device of the worker.
    """

    _beside = "local_center_variable"


@set_module("troupe.contrib.opt")
class ModelAverageCustomGetter(_LocalGetter):
    """Makes a local copy of each trainable variable.

    It is `tf.contrib.opt.ModelAverageCustomGetter`, the `custom_getter` of a scope of variables, in
    a scope of `tf.train.replica_device_setter`.

    Args:
        worker_device: The device of the worker.
    """

    def _add_others(self, made: Any, getter: Any, name: str, *args: Any, **kwargs: Any) -> None:
        self._global_map[made] = Variable(
            made.initialized_value(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            name=f"{GLOBAL_VARIABLE_NAME}/{name}",
        )


class InitHook(SessionRunHook):
    """Runs the op that an optimizer begins with, once there is a session.

    Args:
        optimizer: An optimizer with `get_init_op`.
        *arguments: Those of `get_init_op`.
    """

    def __init__(self, optimizer: Any, *arguments: Any) -> None:
        self._optimizer, self._arguments = optimizer, arguments
        self._init_op: Any = None

    def begin(self) -> None:
        """Adds the op."""
        self._init_op = self._optimizer.get_init_op(*self._arguments)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs the op.

        Args:
            session: The session.
            coord: Not used.
        """
        session.run(self._init_op)


def local_step() -> Variable:
    """A new variable that counts the steps of a worker."""
    made: Variable = get_variable(
        "local_step",
        [],
        dtypes.int32,
        Constant(0),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
    )
    return made


@contextlib.contextmanager
def local_slots() -> Iterator[None]:
    """Variables that are made in this scope are local ones, also those of optimizers.

    Yields:
        None.
    """
    graph = get_default_graph()
    shared = graph.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
    before = {id(variable) for variable in shared}
    yield
    for variable in list(shared):
        if id(variable) not in before:
            shared[:] = [each for each in shared if each is not variable]
            graph.add_to_collection(GraphKeys.LOCAL_VARIABLES, variable)


def with_gradients(pairs: Sequence[Tuple[Any, Variable]]) -> List[Tuple[Any, Variable]]:
    """The pairs that have a gradient."""
    return [(gradient, variable) for gradient, variable in pairs if gradient is not None]


def learning_rate_of(optimizer: Any) -> Any:
    """The learning rate of an optimizer."""
    numbers: Dict[str, Any] = getattr(optimizer, "_numbers", {})
    rate: Optional[Any] = getattr(optimizer, "_learning_rate", None)
    if rate is None:
        rate = numbers.get("lr", numbers.get("alpha"))
    if rate is None:
        raise ValueError(f"{type(optimizer).__name__} has no learning rate: rho must be given")
    return rate() if callable(rate) else rate
