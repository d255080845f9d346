"""Functions of Python that are called with tensors: `py_function`."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from troupe._src.ops.convert import convert_to_tensor
from troupe._src.session.immediate_graph import ImmediateGraph
from troupe._src.session.py_func import py_func
from troupe._src.types.dtypes import as_dtype


def py_function(
    func: Optional[Callable[..., Any]] = None,
    inp: Optional[Sequence[Any]] = None,
    Tout: Any = None,  # noqa: N803
    name: Optional[str] = None,
) -> Any:
    """The results of a Python function, which each step calls with tensors that have values.

    `numpy()` gives the value of a tensor that the function gets, or computes; `if`, `int`, `len`
    and NumPy take them as well. What the function computes by operations is run in a session of
    its own, as soon as a value is asked for, and at its end. Errors, threads and where the
    operation may run are those of `py_func`, as is that no gradient passes through it, other than
    in TensorFlow.

    Args:
        func: Returns a tensor, array or number, or a list of them, or None where `Tout` is empty.
        inp: The tensors that it gets.
        Tout: A dtype, or a list of them: those of the results.
        name: The name of the node.

    Returns:
        A tensor, or a list of them where `Tout` is one. Their shapes are not known.

    Raises:
        ValueError: `func` is no function.
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable, got func of type {type(func)}")
    inputs = [convert_to_tensor(value) for value in inp or []]
    is_list = isinstance(Tout, (list, tuple))
    dtypes = [as_dtype(dtype) for dtype in (Tout if is_list else [Tout])]

    def call(*values: Any) -> Any:
        with ImmediateGraph() as graph, graph.as_default():
            arguments = [
                graph.argument(value, tensor.dtype.base_dtype)
                for value, tensor in zip(values, inputs)
            ]
            returned = func(*arguments)
            if returned is None:
                returned = []
            elif not isinstance(returned, (list, tuple)):
                returned = [returned]
            results = [graph.result(value, dtype) for value, dtype in zip(returned, dtypes)]
            graph.run_pending()
            return [*results, *returned[len(dtypes) :]]  # py_func complains of others

    results = py_func(call, inputs, dtypes, name=name or "EagerPyFunc")
    return results if is_list else results[0]
