"""Functions of Python that are called with tensors: `py_function`."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.gradient_functions import RegisterGradient
from troupe._src.graph.graph import get_default_graph
from troupe._src.immediate.immediate_graph import ImmediateGraph, ImmediateTensor
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.session.py_func import function_of, py_func
from troupe._src.train.gradients import gradients
from troupe._src.types.dtypes import DType, as_dtype

_GRADIENT = "EagerPyFunc"


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
    operation may run are those of `py_func`.

    Gradients pass through the operations that the function uses. For them a step calls it a second
    time, other than in TensorFlow, so it should depend on its arguments alone.

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
    function = _Function(func, [tensor.dtype.base_dtype for tensor in inputs], dtypes)
    with get_default_graph().gradient_override_map({"PyFunc": _GRADIENT}):
        results = py_func(function, inputs, dtypes, name=name or "EagerPyFunc")
    return results if is_list else results[0]


class _Function:
    """What a step calls with the values of arguments of those dtypes."""

    def __init__(
        self, call: Callable[..., Any], arguments: List[DType], results: List[DType]
    ) -> None:
        self._call = call
        self._arguments = arguments
        self._results = results

    def __call__(self, *values: Any) -> List[Any]:
        with ImmediateGraph() as graph, graph.as_default():
            _, results = self._apply(graph, values)
            graph.run_pending()
            return [_value(result) for result in results]

    def gradients(self, xs: List[int], ys: List[int], values: Sequence[Any]) -> List[Any]:
        """Those with respect to some arguments, of some results; `values` ends with theirs."""
        count = len(self._arguments)
        with ImmediateGraph() as graph, graph.as_default():
            arguments, results = self._apply(graph, values[:count])
            given = [
                (results[y], graph.argument(dy, self._results[y]))
                for y, dy in zip(ys, values[count:])
                if isinstance(results[y], Tensor)
            ]
            wanted = [arguments[x] for x in xs]
            return [_value(gradient) for gradient in _gradients_of(given, wanted)]

    def _apply(self, graph: ImmediateGraph, values: Sequence[Any]) -> Tuple[List[Any], List[Any]]:
        arguments = [graph.argument(*given) for given in zip(values, self._arguments)]
        returned = self._call(*arguments)
        if returned is None:
            returned = []
        elif not isinstance(returned, (list, tuple)):
            returned = [returned]
        results = [graph.result(*given) for given in zip(returned, self._results)]
        return arguments, [*results, *returned[len(results) :]]  # py_func complains of others


def _gradients_of(given: List[Tuple[Tensor, Tensor]], wanted: List[Tensor]) -> List[Any]:
    found = gradients([y for y, _ in given], wanted, [dy for _, dy in given]) if given else []
    return [
        np.zeros(x.shape.as_list(), x.dtype.as_numpy_dtype) if dx is None else convert_to_tensor(dx)
        for x, dx in zip(wanted, found or [None] * len(wanted))
    ]


def _value(result: Any) -> Any:
    return result.numpy() if isinstance(result, ImmediateTensor) else result


@RegisterGradient(_GRADIENT)
def _py_function_gradient(op: Operation, *dys: Optional[Tensor]) -> List[Optional[Tensor]]:
    function: _Function = function_of(op.get_attr("token"))
    xs = [i for i, x in enumerate(op.inputs) if x.dtype.is_floating]
    ys = [i for i, dy in enumerate(dys) if dy is not None and op.outputs[i].dtype.is_floating]

    def compute(*values: Any) -> List[Any]:
        return function.gradients(xs, ys, values)

    given = [*op.inputs, *(dys[y] for y in ys)]
    found = py_func(compute, given, [op.inputs[x].dtype.base_dtype for x in xs])
    all_found: List[Optional[Tensor]] = [None] * len(op.inputs)
    for x, gradient in zip(xs, found):
        gradient.set_shape(op.inputs[x].shape)
        all_found[x] = gradient
    return all_found
