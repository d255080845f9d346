"""Functions that take the rows of several steps at once."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.functions.traced import Function
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import raw_ops
from troupe._src.set_module import set_module
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.types.shapes import TensorShape


def _of_any_rows(shape: TensorShape) -> TensorShape:
    """The shape of a batch of tensors of that shape."""
    return TensorShape([None]).concatenate(shape[1:]) if shape.ndims else shape


@set_module("troupe")
def batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Optional[Sequence[int]] = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., List[Tensor]]]:
    """A decorator: calls of the function by several steps at once are made as one.

    The rows of the arguments of all these steps are one after the other, and each step gets its
    rows of the results. It has no gradient.

    Args:
        num_batch_threads: How many batches are processed beside each other.
        max_batch_size: The most rows of a batch.
        batch_timeout_micros: After how long a batch that is not full is processed.
        allowed_batch_sizes: The numbers of rows, in order, that batches are padded to, the last of
            which is `max_batch_size`; by default they are not padded.
        max_enqueued_batches: The most batches that wait; a step that brings more fails.
        autograph: Changes nothing.

    Returns:
        A decorator of functions of tensors. Such a function returns a list of tensors.

    Raises:
        ValueError: In a call, an argument is no tensor.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., List[Tensor]]:
        def decorated(*args: Any) -> List[Tensor]:
            for each in args:
                if not isinstance(each, Tensor):
                    raise ValueError(
                        "All arguments to functions decorated with `batch_function`  are supposed "
                        f"to be Tensors; found {each!r}"
                    )
            specs = [TensorSpec(_of_any_rows(each.shape), each.dtype) for each in args]
            computation = Function(function, None, False).get_concrete_function(*specs)
            with get_default_graph().name_scope("batch") as name:
                results: List[Tensor] = raw_ops.BatchFunction(
                    in_tensors=list(args),
                    captured_tensors=list(computation.captured_inputs),
                    f=computation,
                    num_batch_threads=num_batch_threads,
                    max_batch_size=max_batch_size,
                    batch_timeout_micros=batch_timeout_micros,
                    allowed_batch_sizes=list(allowed_batch_sizes or []),
                    max_enqueued_batches=max_enqueued_batches,
                    shared_name=name,
                    Tout=[each.dtype for each in computation.outputs],
                )
            return results

        return decorated

    return decorate
