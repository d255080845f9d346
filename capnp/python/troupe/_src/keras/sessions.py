"""The session in which Keras runs the default graph, and the values of its variables."""

from __future__ import annotations

import contextlib
import threading
import weakref
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from troupe._src.graph.graph import (
    Graph,
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from troupe._src.graph.device_spec import DeviceSpec
from troupe._src.keras.settings import reset_uids
from troupe._src.messages.config import ConfigProto
from troupe._src.ops.creation_ops import placeholder, placeholder_with_default
from troupe._src.ops.grouping_ops import group
from troupe._src.replicas.contexts import strategy_of_many
from troupe._src.replicas.mirrored_variable import MirroredVariable, each_copy
from troupe._src.session.base_session import BaseSession
from troupe._src.session.session import Session
from troupe._src.types.dtypes import as_dtype
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import (
    global_variables,
    is_variable_initialized,
    variables_initializer,
)


class _State(threading.local):
    """The session of a thread: the one that was set, or that was made for its default graph."""

    session: Optional[BaseSession] = None


_state = _State()
_is_manual = False
# A number, or the name of the tensor, which itself would keep the graph alive.
_learning_phases: weakref.WeakKeyDictionary[Graph, Union[int, str]] = weakref.WeakKeyDictionary()
_elsewhere: weakref.WeakSet[Variable] = weakref.WeakSet()


def manual_variable_initialization(value: bool) -> None:
    """Whether the program initializes the variables itself, rather than `get_session`."""
    global _is_manual
    _is_manual = bool(value)


def get_session(op_input_list: Any = ()) -> BaseSession:
    """The session of Keras, in which all variables are initialized.

    That is the default session, else the one that `set_session` was given, else one of this
    thread, which is made for the default graph. Variables that have no value yet are initialized,
    but for `manual_variable_initialization(True)`, and while the nodes of replicas are made.
    """
    session = get_default_session()
    if session is None:
        if _state.session is None or _state.session.graph is not get_default_graph():
            _state.session = Session(config=_config())
        session = _state.session
    if not _is_manual and strategy_of_many() is None:
        with session.graph.as_default():
            _initialize_variables(session)
    return session


def _config() -> Optional[ConfigProto]:
    """What a session must have for the replicas of the default graph: as many CPUs as they name."""
    copies = [
        copy
        for variable in global_variables()
        if isinstance(variable, MirroredVariable)
        for copy in variable.values
    ]
    indices = [DeviceSpec.from_string(copy.device) for copy in copies if copy.device]
    cpus = [each.device_index or 0 for each in indices if each.device_type == "CPU"]
    return ConfigProto(device_count={"CPU": max(cpus) + 1}) if cpus else None


def set_session(session: BaseSession) -> None:
    """Makes Keras use that session, in this thread."""
    _state.session = session


@contextlib.contextmanager
def kept_session() -> Iterator[None]:
    """A context behind which Keras has the session from before again, whatever graphs are there."""
    session = _state.session
    try:
        yield
    finally:
        _state.session = session


def clear_session() -> None:
    """Replaces the default graph by an empty one, forgets the session and all unique names."""
    reset_default_graph()
    reset_uids()
    _state.session = None
    _learning_phases.clear()


def learning_phase() -> Any:
    """Whether the default graph trains: what was set, else a scalar that is False unless fed."""
    graph = get_default_graph()
    phase = _learning_phases.get(graph)
    if phase is None:
        with graph.name_scope(""):
            made = placeholder_with_default(False, shape=(), name="keras_learning_phase")
        _learning_phases[graph] = made.name
        return made
    return graph.get_tensor_by_name(phase) if isinstance(phase, str) else phase


def set_learning_phase(value: int) -> None:
    """Sets the phase of the default graph to 0, test, or 1, training; ValueError for another."""
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _learning_phases[get_default_graph()] = int(value)


@contextlib.contextmanager
def learning_phase_scope(value: int) -> Iterator[None]:
    """A context in which the phase of the default graph is that; ValueError as above."""
    graph = get_default_graph()
    before = _learning_phases.get(graph)
    set_learning_phase(value)
    try:
        yield
    finally:
        if before is None:
            _learning_phases.pop(graph, None)
        else:
            _learning_phases[graph] = before


def initialize_too(variable: Variable) -> None:
    """Lets sessions initialize a variable that is not in the collection of all."""
    _elsewhere.add(variable)


def _initialize_variables(session: BaseSession) -> None:
    graph = get_default_graph()
    found = [*global_variables(), *(each for each in _elsewhere if each.graph is graph)]
    new = [each for each in found if not getattr(each, "_keras_initialized", False)]
    if not new:
        return
    # Some may have been initialized, or restored, by the program.
    known = session.run([is_variable_initialized(variable) for variable in new])
    missing = [variable for variable, has_value in zip(new, known) if not has_value]
    if missing:
        session.run(variables_initializer(missing))
    for variable in new:
        variable._keras_initialized = True


def get_value(x: Any) -> Any:
    """The value of a variable or tensor, an array."""
    return get_session((x,)).run(x)


def batch_get_value(tensors: Sequence[Any]) -> List[Any]:
    """The values of several variables or tensors."""
    return get_session(tensors).run(list(tensors)) if tensors else []


def set_value(x: Variable, value: Any) -> None:
    """Gives a variable a value, of its shape."""
    batch_set_value([(x, value)])


def batch_set_value(tuples: Sequence[Tuple[Variable, Any]]) -> None:
    """Gives each of the variables its value, in one step."""
    if not tuples:
        return
    with tuples[0][0].graph.as_default():
        placed, feeds = assignments(tuples)
        get_session().run(placed, feed_dict=feeds)


def assignments(tuples: Sequence[Tuple[Variable, Any]]) -> Tuple[List[Any], Dict[Any, Any]]:
    """What to run, and what to feed, so that each of the variables has its value."""
    placed, feeds = [], {}
    for variable, value in tuples:
        fed, assignment = _assignment_to(variable)
        placed.append(assignment)
        feeds[fed] = np.asarray(value, dtype=as_dtype(variable.dtype).as_numpy_dtype)
    return placed, feeds


def _assignment_to(variable: Any) -> Any:
    """What to feed and to run; added once for each variable, so that the graph stops growing."""
    if not hasattr(variable, "_keras_assignment"):
        dtype = as_dtype(variable.dtype).base_dtype
        fed = placeholder(dtype, shape=variable.shape)
        assigned = each_copy(variable, lambda: variable.assign(fed).op)
        variable._keras_assignment = fed, group(*assigned) if len(assigned) > 1 else assigned[0]
    return variable._keras_assignment
