"""Defun: functions of a graph with declared types of arguments."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.functions.definition import (
    FunctionDefinition,
    trace,
    unique_function_name,
)
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.apply_op import OP_DEFS
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import TensorShape


@set_module("troupe.python.framework.function")
class Defun:
    """Decorates a function that adds nodes, which becomes a function of the graph.

        @Defun(tf.float32, tf.float32)
        def product(x, y):
            return x * y

        z = product(a, b)

    A call adds one node. The decorated function runs once, at the first call; tensors of the graph
    around it that it uses become further arguments (`captured_inputs`). Without types, there is one
    function for the types of each call.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        """A decorator.

        Args:
            *input_types: The dtypes of the arguments.
            **kwargs: `func_name`, its name in the graph; `out_names`, those of its results;
                `python_grad_func`, which gets the operation of a call and the gradients with
                respect to its results and returns those of its inputs; `grad_func`, another Defun,
                which gets the inputs and these gradients; `shape_func`, which gets the operation
                and returns the shapes of its results; others are attributes of calls.
        """
        self._input_types = input_types
        self._options = kwargs

    def __call__(self, func: Callable[..., Any]) -> Any:
        """The function of the graph.

        Raises:
            ValueError: `func` has default or keyword arguments, or not as many as there are types.
        """
        if not callable(func):
            raise ValueError(f"function {func} must be callable")
        names, is_variadic = _arguments_of(func)
        if self._input_types:
            count = len(self._input_types)
            if count < len(names) or (count > len(names) and not is_variadic):
                raise ValueError(
                    "The function has fewer arguments than the number of specified input types."
                )
            return DefinedFunction(func, names, self._input_types, **self._options)
        if not names and not is_variadic:
            return DefinedFunction(func, [], [], **self._options)
        return OverloadedFunction(func, names, self._options)


def _arguments_of(func: Callable[..., Any]) -> Tuple[List[str], bool]:
    """The names of its arguments, and whether it takes any number more."""
    parameters = inspect.signature(func).parameters.values()
    refused = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    for parameter in parameters:
        if parameter.kind in refused or parameter.default is not inspect.Parameter.empty:
            raise ValueError(
                "function with argument defaults or keywords arguments are not supported: "
                f"'{parameter.name}' of {func}"
            )
    is_variadic = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    return [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL], is_variadic


class DefinedFunction:
    """A function of the graph. It is traced when it is first used."""

    def __init__(
        self, func: Callable[..., Any], names: Sequence[str], input_types: Sequence[Any],
        func_name: Optional[str] = None, grad_func: Any = None,
        python_grad_func: Optional[Callable[..., Any]] = None,
        out_names: Optional[Sequence[str]] = None,
        shape_func: Optional[Callable[[Operation], Sequence[Any]]] = None, **attrs: Any,
    ) -> None:  # fmt: skip
        self._func = func
        self._types: List[DType] = [as_dtype(dtype) for dtype in input_types]
        numbered = [f"arg{i}" for i in range(len(self._types))]
        self._names = [*names, *numbered[len(names) :]]
        self._func_name = func_name
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = out_names
        self._shape_func = shape_func
        self._attrs = attrs
        self._traced: Optional[FunctionDefinition] = None

    @property
    def _definition(self) -> FunctionDefinition:
        if self._traced is None:
            self._traced = self._trace()
        return self._traced

    def _trace(self) -> FunctionDefinition:
        body = FunctionGraph(get_default_graph())
        unknown = TensorShape(None)
        arguments = [
            body.add_argument(dtype, unknown, name) for dtype, name in zip(self._types, self._names)
        ]
        returned = trace(body, self._func, tuple(arguments))
        results = _results_of(body, returned, self._func)
        if self._out_names and len(self._out_names) != len(results):
            raise ValueError(
                f"Length of out_names ({len(self._out_names)}) does not match number of outputs "
                f"({len(results)}): {', '.join(self._out_names)}"
            )
        base = getattr(self._func, "__name__", type(self._func).__name__)
        name = self._func_name or unique_function_name(base)
        return FunctionDefinition(name, body, results, self._out_names)

    @property
    def name(self) -> str:
        """Its name in the graph."""
        return self._definition.name

    @property
    def declared_input_types(self) -> Tuple[DType, ...]:
        """The dtypes of its own arguments."""
        return tuple(self._types)

    @property
    def captured_inputs(self) -> List[Tensor]:
        """The tensors around it that it uses: calls give them to it besides its arguments."""
        return self._definition.captured_inputs

    @property
    def python_grad_func(self) -> Optional[Callable[..., Any]]:
        return self._python_grad_func

    @property
    def grad_func_name(self) -> Optional[str]:
        """The name of the function that gives its gradients."""
        return self._grad_func.name if self._grad_func is not None else None

    def set_grad_func(self, grad_func: DefinedFunction) -> None:
        """Sets the function that gives its gradients, once."""
        if self._grad_func is not None or not isinstance(grad_func, DefinedFunction):
            raise ValueError("a function has one gradient function, which is a Defun")
        self._grad_func = grad_func

    @property
    def stateful_ops(self) -> List[Tuple[str, str]]:
        """The name and op of each of its nodes that reads or changes state."""
        from_graph = self._definition.body.get_operations()
        return [(op.name, op.type) for op in from_graph if OP_DEFS[op.type]["is_stateful"]]

    def add_to_graph(self, g: Any) -> None:
        """Adds it to a graph that does not have it."""
        self._definition.add_to_graph(g)

    def _gradient(self) -> Optional[Callable[..., Any]]:
        if self._grad_func is None:
            return self._python_grad_func
        function = self._grad_func

        def call(op: Operation, *gradients: Any) -> Any:
            found = function(*op.inputs, *gradients)
            return list(found) if isinstance(found, tuple) else found

        return call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call of the function to the default graph.

        Args:
            *args: Values of its arguments.
            **kwargs: `name`, the name of the node.

        Returns:
            The result; a tuple of several; the operation where there is none.
        """
        definition = self._definition
        name = kwargs.pop("name", None) or definition.name
        if len(args) != len(self._types):
            raise ValueError(
                f"Expected number of arguments: {len(self._types)}, received: {len(args)}"
            )
        attrs = {**self._attrs, **kwargs}
        for key in [key for key in attrs if not key.startswith("_")]:
            del attrs[key]  # they say how TensorFlow compiles the function
        graph = get_default_graph()
        if self._grad_func is not None and not isinstance(graph, FunctionGraph):
            # An exported graph names it. In functions it might lead back to the function itself.
            self._grad_func.add_to_graph(graph)
            attrs["_gradient_function"] = self._grad_func.name
        op = definition.call([*args, *definition.captured_inputs], name, attrs, self._gradient())
        if self._shape_func is not None:
            for tensor, shape in zip(op.outputs, self._shape_func(op)):
                tensor.set_shape(shape)
        if not op.outputs:
            return op
        return op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)


def _results_of(body: FunctionGraph, returned: Any, func: Callable[..., Any]) -> List[Tensor]:
    if returned is None or isinstance(returned, Operation):
        return []
    listed = list(returned) if isinstance(returned, (list, tuple)) else [returned]
    if any(value is None for value in listed):
        raise ValueError(f"Function {func} can not return None.")
    with body.as_default():
        return [body._adopt(convert_to_tensor(value)) for value in listed]


class OverloadedFunction:
    """A function without declared types: one function of the graph for each list of them."""

    def __init__(self, func: Callable[..., Any], names: Sequence[str], options: Any) -> None:
        self._func = func
        self._names = names
        self._options = options
        self._functions: Dict[Tuple[DType, ...], DefinedFunction] = {}

    def instantiate(self, input_types: Sequence[Any]) -> DefinedFunction:
        """The function for arguments of those dtypes."""
        key = tuple(as_dtype(dtype).base_dtype for dtype in input_types)
        if key not in self._functions:
            options = dict(self._options)
            if options.get("func_name"):
                suffix = "_".join(dtype.name for dtype in key)
                options["func_name"] = f"{options['func_name']}_{suffix}"
            self._functions[key] = DefinedFunction(self._func, self._names, key, **options)
        return self._functions[key]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call of the function for the dtypes of these arguments."""
        tensors = [convert_to_tensor(value) for value in args]
        return self.instantiate([tensor.dtype for tensor in tensors])(*tensors, **kwargs)
