"""Functions of a SavedModel, which can be called again."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from troupe._src.control_flow.structure import flatten, is_nested
from troupe._src.functions.traced import ConcreteFunction
from troupe._src.graph.elements import Operation
from troupe._src.graph.graph import Graph
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.object_saved_models.structures import decode
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.set_module import set_module

_NO_FIT = object()


class SignatureFunction(ConcreteFunction):
    """A function whose arguments are given by name, and whose results are a dict.

    Args:
        other: What it calls.
        keywords: The names of its arguments, in their order.
        positional: How many of them may be given without their names.
    """

    def __init__(
        self, other: ConcreteFunction, keywords: Sequence[str], positional: int
    ) -> None:
        super().__init__(other._definition, other._structure, other._arguments)
        self._keywords, self._positional = list(keywords), positional

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph.

        Args:
            *args: Values of the first arguments.
            **kwargs: Values of the others.

        Returns:
            The results by their names.

        Raises:
            TypeError: There are other arguments.
        """
        if len(args) > self._positional:
            raise TypeError(
                f"Expected at most {self._positional} positional arguments (and the rest keywords, "
                f"of {self._keywords}), got {args}."
            )
        given = {**dict(zip(self._keywords, args)), **kwargs}
        if len(given) < len(args) + len(kwargs):
            raise TypeError(f"an argument has two values: {args} and {kwargs}")
        if set(given) != set(self._keywords):
            missing = [name for name in self._keywords if name not in given]
            raise TypeError(
                f"Expected argument names {self._keywords} but got values for {list(given)}. "
                f"Missing: {missing}."
            )
        specs = leaves_of(self._arguments)
        return self._call(
            [
                convert_to_tensor(given[name], spec.dtype)
                for name, spec in zip(self._keywords, specs)
            ]
        )


@set_module("troupe.saved_model")
class SignatureMap(Mapping[str, Any]):
    """The signatures of a SavedModel: functions by their names.

    Args:
        signatures: The functions.
    """

    def __init__(self, signatures: Optional[Mapping[str, Any]] = None) -> None:
        self._signatures = dict(signatures or {})

    def __getitem__(self, key: str) -> Any:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"


class RestoredFunction:
    """What `tf.saved_model.load` makes of a `tf.function`: it has the traces that were saved.

    Args:
        concrete_functions: The traces.
        signature: The arguments of the function of Python.
        input_signature: The one that it was given, or None.
    """

    def __init__(
        self, concrete_functions: Sequence[ConcreteFunction], signature: inspect.Signature,
        input_signature: Any,
    ) -> None:  # fmt: skip
        self._traces = list(concrete_functions)
        self._input_signature = input_signature
        self.__signature__ = signature

    @property
    def input_signature(self) -> Any:
        """The `tf.TensorSpec`s that it was given; None without."""
        return self._input_signature

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function itself."""
        return self

    def concrete_functions(self, graph: Graph) -> List[ConcreteFunction]:
        """Those of that graph."""
        return [each for each in self._traces if each.graph.outer_graph is graph]

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for such arguments.

        Args:
            *args: Tensors, or a `tf.TensorSpec` for each.
            **kwargs: More of them, by name.

        Raises:
            ValueError: There is none.
        """
        if self._input_signature is not None and not args and not kwargs:
            args = tuple(self._input_signature)
        return self._found(args, kwargs)[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call of the trace that fits the arguments to the default graph.

        Args:
            *args: Values of the arguments.
            **kwargs: More of them, by name.

        Returns:
            The results in their structure; None where there are none.

        Raises:
            ValueError: No trace fits.
        """
        function, tensors = self._found(args, kwargs)
        result = function._call(tensors)
        return None if isinstance(result, Operation) else result

    def _found(self, args: Any, kwargs: Any) -> Tuple[ConcreteFunction, List[Any]]:
        given = self._canonical(args, kwargs)
        for converts in (False, True):
            for each in self._traces:
                tensors = _fitted(each.structured_input_signature, given, converts)
                if tensors is not _NO_FIT:
                    return each, tensors
        raise ValueError(self._no_fit(*given))

    def _canonical(self, args: Any, kwargs: Any) -> Tuple[Any, Dict[str, Any]]:
        """The arguments, with those by position and defaults where the traces have them."""
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError:
            return args, kwargs
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _no_fit(self, args: Any, kwargs: Any) -> str:
        if self._input_signature is not None:
            return (
                "Python inputs incompatible with input_signature:\n  inputs: ("
                + ", ".join(map(str, args))
                + ")\n  input_signature: ("
                + ", ".join(map(str, self._input_signature))
                + ")"
            )
        lines = [
            "Could not find matching function to call loaded from the SavedModel. Got:",
            _described(args, kwargs),
            "\nExpected these arguments to match one of the following "
            f"{len(self._traces)} option(s):\n",
        ]
        for number, each in enumerate(self._traces):
            expected = _described(*each.structured_input_signature)
            lines.append(f"Option {number + 1}:\n{expected}\n")
        return "\n".join(lines)


def _described(args: Any, kwargs: Any) -> str:
    listed = "\n    * ".join(map(str, args))
    return (
        f"  Positional arguments ({len(args)} total):\n    * {listed}\n"
        f"  Keyword arguments: {kwargs}"
    )


def _fitted(expected: Any, given: Any, converts: bool) -> Any:
    """The tensors of arguments where they are of that structure, else _NO_FIT."""
    if isinstance(expected, TensorSpec):
        return _as_tensor(expected, given, converts)
    if not is_nested(expected):
        is_same = not hasattr(given, "dtype") and given == expected
        return [] if is_same or given is expected else _NO_FIT
    if not is_nested(given) or len(given) != len(expected):
        return _NO_FIT
    if isinstance(expected, dict) != isinstance(given, dict):
        return _NO_FIT
    if isinstance(expected, dict):
        if set(given) != set(expected):
            return _NO_FIT
        pairs = [(expected[key], given[key]) for key in sorted(expected)]
    else:
        pairs = list(zip(expected, given))
    found: List[Any] = []
    for one, other in pairs:
        tensors = _fitted(one, other, converts)
        if tensors is _NO_FIT:
            return _NO_FIT
        found += tensors
    return found


def _as_tensor(spec: TensorSpec, given: Any, converts: bool) -> Any:
    if converts and not is_tensor(given) and not isinstance(given, TensorSpec):
        try:
            given = convert_to_tensor(given, spec.dtype)
        except (TypeError, ValueError):
            return _NO_FIT
    if isinstance(given, TensorSpec):
        return [given] if spec.is_compatible_with(given) else _NO_FIT
    if not is_tensor(given):
        return _NO_FIT
    tensor = convert_to_tensor(given)
    fits = tensor.dtype == spec.dtype and spec.shape.is_compatible_with(tensor.shape)
    return [tensor] if fits else _NO_FIT


def signature_of(message: Any) -> inspect.Signature:
    """The arguments of a function of Python, without the object that it is a method of.

    Args:
        message: A FunctionSpec.

    Returns:
        The signature.
    """
    spec = decode(message.fullargspec)
    if spec is None:
        return inspect.signature(lambda *args, **kwargs: None)
    kind = inspect.Parameter
    names = list(spec.args)[1 if message.is_method else 0 :]
    defaults = list(spec.defaults or ())
    without = len(names) - len(defaults)
    found = [
        kind(
            name, kind.POSITIONAL_OR_KEYWORD,
            default=defaults[number - without] if number >= without else kind.empty,
        )
        for number, name in enumerate(names)
    ]  # fmt: skip
    if spec.varargs:
        found.append(kind(spec.varargs, kind.VAR_POSITIONAL))
    keyword_defaults = spec.kwonlydefaults or {}
    for name in spec.kwonlyargs or ():
        default = keyword_defaults.get(name, kind.empty)
        found.append(kind(name, kind.KEYWORD_ONLY, default=default))
    if spec.varkw:
        found.append(kind(spec.varkw, kind.VAR_KEYWORD))
    return inspect.Signature(found)


def leaves_of(structure: Any) -> List[TensorSpec]:
    """What a structure says of the tensors in it."""
    return [each for each in flatten(structure) if isinstance(each, TensorSpec)]
