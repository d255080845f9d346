"""The tape: a context that records what is added to the graph."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional, Tuple

from troupe._src.control_flow.structure import flatten, is_nested, pack_as
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros_like
from troupe._src.set_module import set_module
from troupe._src.tape.jacobians import batch_rows, rows, zeros_of
from troupe._src.tape.record import Record, gradients_of
from troupe._src.train.gradients import UnconnectedGradients, check_unconnected
from troupe._src.variables.variable import Variable


@set_module("troupe")
class GradientTape:
    """A context: gradients of what is added to the graph within it, for what it watches.

    Nodes that are added outside of the context, or before a tensor is watched that they do not
    lead to, pass no gradients. Trainable variables are watched when they are read. Tapes may be
    nested, and `gradient` in the context of an outer one gives what that one differentiates again.

    Args:
        persistent: Whether `gradient` may be called more than once.
        watch_accessed_variables: Whether trainable variables are watched by themselves.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._record: Optional[Record] = None
        self._recording = False

    def __enter__(self) -> GradientTape:
        """Begins to record."""
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the record, unless it has ended."""
        if self._recording:
            self._stop()

    def _start(self) -> None:
        if self._recording:
            raise ValueError("Tape is already recording.")
        if self._record is None:
            self._record = Record(get_default_graph(), self._watch_accessed_variables)
        self._record.open()
        self._recording = True

    def _stop(self) -> None:
        if not self._recording or self._record is None:
            raise ValueError("Tape is not recording.")
        self._record.close()
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Lets gradients with respect to a tensor be taken.

        Args:
            tensor: A tensor or a variable, or a nested structure of them.

        Raises:
            ValueError: Something else is in it.
            RuntimeError: The tape has not begun.
        """
        if self._record is None:
            raise RuntimeError("Trying to watch a tensor with a tape which is not recording.")
        for each in flatten(tensor):
            if not isinstance(each, (Tensor, Variable)):
                raise ValueError(f"Passed in object of type {type(each)}, not tf.Tensor")
            self._record.watch(each)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A context in which nothing is recorded.

        Raises:
            RuntimeError: The tape has not begun.
            ValueError: It is not recording.
        """
        if self._record is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Begins a new record within the context.

        Raises:
            ValueError: The tape is not recording.
        """
        self._stop()
        self._record = None
        self._start()

    def watched_variables(self) -> Tuple[Variable, ...]:
        """The variables that are watched: those that the program names, and those that are read.

        Raises:
            RuntimeError: The tape has not begun, or is used up.
        """
        return tuple(self._known("watched_variables").variables())

    def _known(self, method: str) -> Record:
        if self._record is None:
            raise RuntimeError(
                f"GradientTape.{method} can only be called once on non-persistent tapes."
            )
        return self._record

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradients of the sum of the targets.

        Args:
            target: A tensor or a variable, or a nested structure of them.
            sources: The same.
            output_gradients: The initial gradients of the targets; ones where it or an entry is
                None.
            unconnected_gradients: "none" for None where the targets do not depend on a source,
                "zero" for zeros.

        Returns:
            The structure of the sources, with a tensor, IndexedSlices, or None for each.

        Raises:
            RuntimeError: A tape that is not persistent has given gradients, or has not begun.
            ValueError: An op has no gradient, or an option has another value.
        """
        check_unconnected(unconnected_gradients)
        record = self._used("gradient")
        targets = [self._target(record, each) for each in flatten(target)]
        flat = flatten(sources)
        given = None if output_gradients is None else flatten(output_gradients)
        found = gradients_of(record, targets, flat, given)
        if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
            pairs = zip(found, flat)
            found = [zeros_like(source) if each is None else each for each, source in pairs]
        return pack_as(sources, found) if is_nested(sources) else found[0]

    def _target(self, record: Record, value: Any) -> Tensor:
        if not isinstance(value, Variable):
            return convert_to_tensor(value)
        if self._recording:
            return convert_to_tensor(value)
        record.open()
        try:
            return convert_to_tensor(value)
        finally:
            record.close()

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: Optional[int] = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each element of a target.

        Args:
            target: A tensor.
            sources: A tensor or a variable, or a nested structure of them.
            unconnected_gradients: As of `gradient`.
            parallel_iterations: How many elements are computed at a time.
            experimental_use_pfor: Has no effect: a loop computes them.

        Returns:
            The structure of the sources, with a tensor for each, whose shape is that of the target
            and then that of the source, or None.

        Raises:
            RuntimeError: A tape that is not persistent has given gradients, or has not begun.
            ValueError: An op has no gradient, or an option has another value.
        """
        check_unconnected(unconnected_gradients)
        record = self._used("jacobian")
        flat = flatten(sources)
        found = rows(record, target, flat, parallel_iterations)
        if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
            pairs = zip(found, flat)
            found = [zeros_of(target, each) if row is None else row for row, each in pairs]
        return pack_as(sources, found) if is_nested(sources) else found[0]

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: Optional[int] = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The derivatives of each example of a batch with respect to the same example.

        Args:
            target: A tensor [batch, ...], whose examples depend on the same ones of the source.
            source: A tensor [batch, ...].
            unconnected_gradients: As of `gradient`; zeros are given in any case.
            parallel_iterations: How many elements are computed at a time.
            experimental_use_pfor: Has no effect: a loop computes them.

        Returns:
            A tensor, whose shape is that of the target and then that of an example of the source.

        Raises:
            RuntimeError: A tape that is not persistent has given gradients, or has not begun.
            ValueError: An op has no gradient, an option has another value, or the shapes are not
                those of batches of one size.
        """
        check_unconnected(unconnected_gradients)
        _check_batches(target, source)
        return batch_rows(self._used("batch_jacobian"), target, source, parallel_iterations)

    def _used(self, method: str) -> Record:
        """The record, which ends with this unless the tape is persistent."""
        record = self._known(method)
        if not self._persistent:
            if self._recording:
                self._stop()
            self._record = None
        return record


def _check_batches(target: Any, source: Any) -> None:
    shapes = (target.shape, source.shape)
    ranked = all(shape.ndims is None or shape.ndims >= 2 for shape in shapes)
    if not ranked or not shapes[0][:1].is_compatible_with(shapes[1][:1]):
        raise ValueError(
            f"Need first dimension of target shape ({shapes[0]}) and source shape ({shapes[1]}) "
            "to match."
        )
