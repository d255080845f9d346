"""Functions of Keras: a step of the session with fixed inputs, outputs and updates."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from troupe._src.control_flow.shallow_nest import flatten_up_to
from troupe._src.control_flow.structure import flatten, pack_as
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.keras.sessions import get_session
from troupe._src.ops.array_ops import identity
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.types.dtypes import as_dtype
from troupe._src.variables.variable import Variable


class Function:
    """Runs a step: feeds the inputs, makes the updates, gives the outputs as arrays.

    The updates wait for the outputs, so that these have the values from before.
    """

    def __init__(
        self,
        inputs: Any,
        outputs: Any,
        updates: Optional[Sequence[Any]] = None,
        name: Optional[str] = None,
        **session_kwargs: Any,
    ) -> None:
        """Adds the nodes of the updates to the default graph.

        Args:
            inputs: The placeholders to feed, in any nested structure; sparse ones, too.
            outputs: What to compute, in any nested structure.
            updates: Operations, or pairs of a variable and its new value.
            name: The name scope of the updates.
            session_kwargs: Further arguments of a step: `feed_dict` and `fetches`, which are fed
                and run each time; `options` and `run_metadata`.

        Raises:
            TypeError: The updates are not a list.
        """
        if updates is not None and not isinstance(updates, (list, tuple)):
            raise TypeError("`updates` in a Keras backend function should be a list or tuple.")
        self._given, self._inputs = inputs, list(flatten(inputs))
        self._structure = outputs
        self.feed_dict: Dict[Any, Any] = session_kwargs.pop("feed_dict", None) or {}
        self.fetches: List[Any] = list(session_kwargs.pop("fetches", None) or [])
        self._step_options = session_kwargs
        self._outputs = [
            identity(value) if isinstance(value, Variable) else value for value in flatten(outputs)
        ]
        computed = [getattr(value, "values", value).op for value in self._outputs]
        graph = get_default_graph()
        with graph.name_scope(name or "function"), graph.control_dependencies(computed):
            self._updates = group(*[operation_of(update) for update in updates or []])

    @property
    def updates_op(self) -> Operation:
        """What makes the updates, after the outputs."""
        return self._updates

    def __call__(self, inputs: Any) -> Any:
        """Runs the step with these values for the inputs.

        An input whose value is None is not fed, nor is one at the end without a value. One whose
        value is a tensor is fed with what that has in a step before this one.
        """
        session = get_session(inputs)
        given = self._given
        if isinstance(given, (list, tuple)) and isinstance(inputs, (list, tuple)):
            count = min(len(given), len(inputs))
            given, inputs = given[:count], inputs[:count]
        values = list(flatten_up_to(given, inputs))
        symbolic = [i for i, value in enumerate(values) if isinstance(value, (Tensor, Variable))]
        if symbolic:
            computed = session.run([values[index] for index in symbolic])
            for index, value in zip(symbolic, computed):
                values[index] = value
        feeds = dict(self.feed_dict)
        for element, value in zip(self._inputs, values):
            if value is not None:
                feeds[element] = _value_to_feed(element, value)
        fetches = (self._outputs, self._updates, self.fetches)
        found, _, _ = session.run(fetches, feed_dict=feeds, **self._step_options)
        return pack_as(self._structure, found)


def function(
    inputs: Any,
    outputs: Any,
    updates: Optional[Sequence[Any]] = None,
    name: Optional[str] = None,
    **kwargs: Any,
) -> Function:
    """A function that runs a step; see `Function`. ValueError for arguments that no step has."""
    for key in kwargs:
        if key not in ("feed_dict", "fetches", "options", "run_metadata"):
            raise ValueError(f'Invalid argument "{key}" of a function: no step has it')
    return Function(inputs, outputs, updates=updates, name=name, **kwargs)


def operation_of(update: Any) -> Any:
    """The operation of an update of Keras.

    Args:
        update: An operation, a tensor, or a pair of a variable and its new value.

    Returns:
        An operation.
    """
    if isinstance(update, tuple):
        variable, value = update
        return variable.assign(value).op
    return getattr(update, "op", update)


def _value_to_feed(element: Any, value: Any) -> Any:
    """The value as a step takes it: sparse matrices of SciPy by their coordinates."""
    if not isinstance(element, SparseTensor):
        return np.asarray(value, dtype=as_dtype(element.dtype).base_dtype.as_numpy_dtype)
    if not hasattr(value, "tocoo"):
        return value
    coordinates = value.tocoo()
    indices = np.stack([coordinates.row, coordinates.col], axis=1).astype(np.int64)
    return SparseTensorValue(indices, coordinates.data, coordinates.shape)
