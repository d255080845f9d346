"""What programs say to XLA, which is not part of this runtime: kernels run as they are."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.array_ops import identity
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group


@contextlib.contextmanager
def experimental_jit_scope(
    compile_ops: Any = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """A block whose nodes TensorFlow may compile together; here it has no effect.

    Args:
        compile_ops: Whether they are compiled, or a function of a node that says it.
        separate_compiled_gradients: Whether their gradients are compiled by themselves.
    """
    yield


def compile(  # noqa: A001
    computation: Callable[..., Any], inputs: Optional[Sequence[Any]] = None
) -> Any:
    """Adds what a function computes, which TensorFlow would compile as a whole.

    Args:
        computation: A function of the inputs, whose result is a structure of tensors, or a
            sequence of tensors with operations behind them.
        inputs: The inputs, each a structure of what can be a tensor.

    Returns:
        The results, as a list if they were no deeper structure, each after the operations; where
        there are no tensors, an operation after all that the function adds.

    Raises:
        TypeError: The inputs are no sequence.
        ValueError: An operation comes before a tensor.
    """
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a list")
    graph = get_default_graph()
    given = [
        nest.map_structure(lambda each: identity(convert_to_tensor(each)), each)
        for each in inputs or ()
    ]
    before = len(graph.get_operations())
    results = computation(*given)
    if _is_nested_deeply(results):
        operations: List[Operation] = []
        tensors = [convert_to_tensor(each) for each in nest.flatten(results)]
    else:
        tensors, operations = _split(results)
    if not tensors:
        return group(*operations, *graph.get_operations()[before:], name="output_0")
    with graph.control_dependencies(operations):
        outputs = [identity(each, name=f"output_{i}") for i, each in enumerate(tensors)]
    return nest.pack_sequence_as(results, outputs) if _is_nested_deeply(results) else outputs


def _is_nested_deeply(results: Any) -> bool:
    if isinstance(results, (list, tuple)):
        return any(nest.is_nested(each) for each in results)
    return nest.is_nested(results)


def _split(results: Any) -> Tuple[List[Tensor], List[Operation]]:
    if results is None:
        return [], []
    flat = list(results) if isinstance(results, (list, tuple)) else [results]
    tensors: List[Tensor] = []
    operations: List[Operation] = []
    for each in flat:
        if isinstance(each, Operation):
            operations.append(each)
        elif operations:
            raise ValueError(
                "XLA computation function must return zero or more Tensor values followed by zero "
                "or more Operations."
            )
        else:
            tensors.append(convert_to_tensor(each))
    return tensors, operations
