"""tf.function: functions that are traced for each kind of arguments."""

from __future__ import annotations

import functools
import inspect
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.control_flow.conversion import traced_or_converted
from troupe._src.control_flow.structure import flatten, is_nested, pack_as
from troupe._src.functions.definition import (
    FunctionDefinition,
    trace,
    unique_function_name,
)
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


class ConcreteFunction:
    """A traced function of one graph: a call adds one node."""

    def __init__(self, definition: FunctionDefinition, results: Any, arguments: Any) -> None:
        self._definition = definition
        self._structure = results
        self._arguments = arguments  # with a TensorSpec for each tensor

    @property
    def name(self) -> str:
        """Its name in the graph."""
        return self._definition.name

    @property
    def graph(self) -> FunctionGraph:
        """The graph of its body."""
        return self._definition.body

    @property
    def inputs(self) -> List[Tensor]:
        """The arguments, as tensors of its graph; captured ones are last."""
        return list(self._definition.body.inputs)

    @property
    def outputs(self) -> List[Tensor]:
        """The results, as tensors of its graph."""
        return list(self._definition.results)

    @property
    def captured_inputs(self) -> List[Tensor]:
        """The tensors around it that it uses."""
        return self._definition.captured_inputs

    @property
    def structured_input_signature(self) -> Any:
        """The arguments, a tuple of those by position and a dict, with a TensorSpec for each
        tensor."""
        args, kwargs = self._arguments
        return tuple(args), dict(kwargs)

    @property
    def structured_outputs(self) -> Any:
        """The results in the structure in which the function returned them."""
        return self._packed(self._definition.results)

    def add_to_graph(self, g: Optional[Graph] = None) -> None:
        """Adds it to a graph that does not have it, by default the default graph."""
        self._definition.add_to_graph(g or get_default_graph())

    def _packed(self, tensors: Sequence[Any]) -> Any:
        rest = iter(tensors)
        leaves = [None if leaf is None else next(rest) for leaf in flatten(self._structure)]
        return pack_as(self._structure, leaves) if is_nested(self._structure) else leaves[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph.

        Args:
            *args: Values of its arguments; those that are no tensors are known already.
            **kwargs: More of them, by name.

        Returns:
            The results in their structure; the operation where there is none.
        """
        given = flatten([list(args), kwargs])
        leaves = flatten(self._arguments)
        if len(given) == len(leaves):
            given = [value for value, leaf in zip(given, leaves) if isinstance(leaf, TensorSpec)]
        return self._call(given)

    def _call(self, tensors: Sequence[Any]) -> Any:
        definition = self._definition
        op = definition.call([*tensors, *definition.captured_inputs], "StatefulPartitionedCall")
        for made, result in zip(op.outputs, definition.results):
            made.set_shape(result.shape)
        return self._packed(op.outputs) if op.outputs else op


@set_module("troupe")
def function(
    func: Optional[Callable[..., Any]] = None,
    input_signature: Optional[Sequence[TensorSpec]] = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
    experimental_compile: Optional[bool] = None,
) -> Any:
    """A function whose calls add one node each, to be used as a decorator, too.

    It is traced once for each graph, and each structure, dtypes and shapes of its tensors and
    values of its other arguments. Stateful nodes always run, and those that take the same resource
    in the order in which the function adds them, those of branches and loops in their places.
    Variables that it makes are in the graph around it: only the first trace may make them, so a
    function keeps what it has made.

    Where `if`, `while`, `for`, `and`, `assert` and so on are of tensors, AutoGraph makes them those
    of the graph, if the package diastatic-malt is installed. A function is traced as it is, and
    converted and traced anew only if Python asks a tensor for a value then, so that it does twice
    what it does besides. Without `autograph` that is an error.

    Args:
        func: What adds the nodes; without it, the result is a decorator.
        input_signature: A list of `tf.TensorSpec`, one for each argument; then it is traced once.
        autograph: Whether the function may be converted.
        experimental_autograph_options: A `tf.autograph.experimental.Feature`, or several of them.
        experimental_relax_shapes: Whether shapes that differ between calls become unknown, so that
            it is not traced for each.
        experimental_compile: Changes nothing: there is no compiler to choose.

    Returns:
        A function whose calls give what `func` gives, as tensors; without `func` a decorator.

    Raises:
        TypeError: `input_signature` is no tuple or list.
    """
    if func is None:
        return functools.partial(
            function,
            input_signature=input_signature,
            autograph=autograph,
            experimental_autograph_options=experimental_autograph_options,
            experimental_relax_shapes=experimental_relax_shapes,
            experimental_compile=experimental_compile,
        )
    if input_signature is not None and not isinstance(input_signature, (list, tuple)):
        raise TypeError("input_signature must be either a tuple or a list")
    return functools.update_wrapper(
        Function(
            func, input_signature, experimental_relax_shapes, autograph,
            experimental_autograph_options,
        ),
        func,
    )  # fmt: skip


class Function:
    """What `tf.function` makes of a function."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Optional[Sequence[TensorSpec]],
        relaxes_shapes: bool,
        converts: bool = True,
        conversion_options: Any = None,
    ) -> None:
        self._python_function = python_function
        self._converts = converts
        self._conversion_options = conversion_options
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._relaxes_shapes = relaxes_shapes
        self._of_objects: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function of Python."""
        return self._python_function

    @property
    def input_signature(self) -> Any:
        """The `tf.TensorSpec`s that it was given."""
        return self._input_signature

    def __get__(self, instance: Any, owner: Any) -> Any:
        """A method: one function for each object, which is its first argument."""
        if instance is None:
            return self
        try:
            return self._of_objects.setdefault(instance, None) or self._bound_to(instance)
        except TypeError:  # it cannot be a key
            return functools.partial(self, instance)

    def _bound_to(self, instance: Any) -> Function:
        method = _method(self._python_function, instance)
        made = Function(
            method, self._input_signature, self._relaxes_shapes, self._converts,
            self._conversion_options,
        )  # fmt: skip
        self._of_objects[instance] = functools.update_wrapper(made, method)
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph; returns what the function does, as tensors."""
        arguments, tensors = self._canonical(args, kwargs)
        return self._concrete_for(arguments)._call(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The traced function for arguments of that kind.

        Args:
            *args: Tensors, or a `tf.TensorSpec` in place of each; none where it has an
                `input_signature`.
            **kwargs: More of them, by name.

        Raises:
            ValueError: The arguments do not fit the `input_signature`.
        """
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        arguments, _ = self._canonical(args, kwargs)
        return self._concrete_for(arguments)

    def _canonical(self, args: Any, kwargs: Any) -> Tuple[Any, List[Any]]:
        """The arguments with a TensorSpec for each tensor, and the tensors."""
        if kwargs or self._has_defaults():
            bound = inspect.signature(self._python_function).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        structure = [list(args), dict(kwargs)]
        if self._input_signature is not None:
            return self._by_signature(structure)
        leaves, tensors = [], []
        for value in flatten(structure):
            if isinstance(value, TensorSpec):
                leaves.append(value)
                continue
            if not is_tensor(value) and not hasattr(value, "__array__"):
                leaves.append(value)
                continue
            if hasattr(value, "_read_from"):  # a variable, which is captured
                leaves.append(value)
                continue
            tensor = convert_to_tensor(value)
            shape = TensorShape(None) if self._relaxes_shapes else tensor.shape
            leaves.append(TensorSpec(shape, tensor.dtype))
            tensors.append(tensor)
        return pack_as(structure, leaves), tensors

    def _has_defaults(self) -> bool:
        parameters = inspect.signature(self._python_function).parameters.values()
        return any(p.default is not inspect.Parameter.empty for p in parameters)

    def _by_signature(self, structure: Any) -> Tuple[Any, List[Any]]:
        args, kwargs = structure
        signature = list(self._input_signature or ())
        if kwargs or len(args) != len(signature):
            raise ValueError(
                "Structure of Python function inputs does not match input_signature: "
                f"{len(args) + len(kwargs)} arguments for {len(signature)}"
            )
        tensors = []
        for argument, expected in zip(args, signature):
            specs = flatten(expected)
            values = flatten(argument) if is_nested(expected) else [argument]
            if len(values) != len(specs):
                raise ValueError(
                    "Structure of Python function inputs does not match input_signature: "
                    f"{argument!r} for {expected!r}"
                )
            tensors += [_checked(value, spec) for value, spec in zip(values, specs)]
        return [signature, {}], tensors

    def _names_of(self, arguments: Any) -> List[str]:
        """A name for each leaf: that of the parameter of Python that it is in."""
        args, kwargs = arguments
        names = parameter_names(self._python_function, len(args))
        found = [name for name, each in zip(names, args) for _ in flatten(each)]
        return found + [name for name in sorted(kwargs) for _ in flatten(kwargs[name])]

    def concrete_functions(self, graph: Graph) -> List[ConcreteFunction]:
        """Those that were traced in that graph; with an `input_signature`, at least that one."""
        if self._input_signature is not None:
            with graph.as_default():
                self.get_concrete_function()
        return list(self._traced_in(graph).values())

    def _traced_in(self, graph: Graph) -> Dict[Any, ConcreteFunction]:
        """The traces of a graph, which has them: a function lives longer than most graphs."""
        with graph._lock:
            functions = graph._state.setdefault("traced functions", weakref.WeakKeyDictionary())
            # Bodies of functions have the state of the graph around them.
            own: Dict[Graph, Dict[Any, ConcreteFunction]] = functions.setdefault(self, {})
            return own.setdefault(graph, {})

    def _concrete_for(self, arguments: Any) -> ConcreteFunction:
        graph = get_default_graph()
        leaves, known = flatten(arguments), self._traced_in(graph)
        key = (repr(pack_as(arguments, [0] * len(leaves))), *map(_key_of, leaves))
        if key not in known:
            known[key] = traced_or_converted(
                functools.partial(self._trace, graph, arguments),
                self._python_function, self._converts, self._conversion_options,
            )  # fmt: skip
        return known[key]

    def _trace(
        self, graph: Graph, arguments: Any, function: Callable[..., Any]
    ) -> ConcreteFunction:
        body = FunctionGraph(graph, orders_effects=True)
        body.may_make_variables = not self._traced_in(graph)
        values = []
        for leaf, name in zip(flatten(arguments), self._names_of(arguments)):
            if isinstance(leaf, TensorSpec):
                values.append(body.add_argument(leaf.dtype, leaf.shape, leaf.name or name))
            else:
                values.append(leaf)
        args, kwargs = pack_as(arguments, values)
        call = functools.partial(function, **kwargs)
        returned = trace(body, call, tuple(args))
        leaves: List[Any] = []
        results: List[Tensor] = []
        with body.as_default():
            for leaf in flatten(returned):
                if leaf is None or isinstance(leaf, Operation):
                    leaves.append(None)
                    continue
                leaves.append(convert_to_tensor(leaf))
                results.append(body._adopt(leaves[-1]))
        base = getattr(function, "__name__", type(function).__name__)
        name = unique_function_name(f"__inference_{base}")
        structure = pack_as(returned, leaves) if is_nested(returned) else leaves[0]
        return ConcreteFunction(FunctionDefinition(name, body, results), structure, arguments)


def parameter_names(function: Callable[..., Any], count: int) -> List[str]:
    """The names of a function's first parameters; those of the rest, "args_2", are numbered."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind in kinds][:count]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "arg")
    return names + [f"{rest}_{number}" for number in range(count - len(names))]


def _method(function: Callable[..., Any], instance: Any) -> Callable[..., Any]:
    """The function with that first argument, which it does not keep alive."""
    held = weakref.ref(instance)
    parameters = list(inspect.signature(function).parameters.values())[1:]

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        first = held()
        if first is None:
            raise ReferenceError(
                f"the object whose method {function.__name__} is called is gone: keep it"
            )
        return function(first, *args, **kwargs)

    del vars(method)["__wrapped__"]
    vars(method)["__signature__"] = inspect.Signature(parameters)
    return method


def _checked(value: Any, spec: TensorSpec) -> Any:
    """The value as a tensor of that specification, or another one that it allows."""
    tensor = value if isinstance(value, TensorSpec) else convert_to_tensor(value, spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise ValueError(
            f"Python inputs incompatible with input_signature: {value!r} is no {spec!r}"
        )
    return tensor


def _key_of(leaf: Any) -> Any:
    """What tells one argument from another; the object itself where its value does not."""
    if isinstance(leaf, TensorSpec):
        return leaf._key()
    try:
        hash(leaf)
    except TypeError:
        return id(leaf)
    return type(leaf), leaf
