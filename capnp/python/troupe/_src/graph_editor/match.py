"""Patterns of operations: their names, and what is before and behind them."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.graph.elements import Operation
from troupe._src.graph_editor.select import can_be_regex, make_regex

__all__ = ["OpMatcher", "op_type"]


def op_type(op_types: Any, op: Optional[Operation] = None) -> Any:
    """Whether an operation is of one of some ops.

    Args:
        op_types: The name of an op, or several names. "Add" is the op of `tf.add`, too.
        op: The operation; None for a function of one.

    Returns:
        The answer, or that function.
    """
    names = [op_types] if isinstance(op_types, str) else list(op_types)

    def matches(given: Operation) -> bool:
        return given.type in names or (given.type == "AddV2" and "Add" in names)

    return matches if op is None else matches(op)


class OpMatcher:
    """A pattern of an operation, which is called with one and says whether it fits."""

    def __init__(self, positive_filter: Any) -> None:
        """A pattern without anything around it.

        Args:
            positive_filter: A regular expression of the name, an operation, a function of one, or
                True for any.

        Raises:
            ValueError: It is something else.
        """
        self.positive_filters = [_filter_of(positive_filter)]
        self.input_op_matches: Optional[List[Any]] = None
        self.control_input_op_matches: Optional[List[Any]] = None
        self.output_op_matches: Optional[List[Any]] = None

    def __call__(self, op: Operation) -> bool:
        """Whether an operation fits.

        Args:
            op: The operation.

        Returns:
            The answer.

        Raises:
            TypeError: It is none.
        """
        if not isinstance(op, Operation):
            raise TypeError(f"Expect tf.Operation, got: {type(op)}")
        return (
            all(fits(op) for fits in self.positive_filters)
            and _all_fit(self.input_op_matches, [tensor.op for tensor in op.inputs])
            and _all_fit(self.control_input_op_matches, op.control_inputs)
            and self._outputs_fit(op)
        )

    def _outputs_fit(self, op: Operation) -> bool:
        wanted = self.output_op_matches
        if wanted is None:
            return True
        pairs = zip(wanted, op.outputs)
        return len(wanted) == len(op.outputs) and all(
            _all_fit(each, tensor.consumers()) for each, tensor in pairs
        )

    def input_ops(self, *args: Any) -> OpMatcher:
        """Says what computes its inputs.

        Args:
            *args: A pattern, or what one is made of, for each; None for any.

        Returns:
            This pattern.

        Raises:
            ValueError: That has been said.
        """
        if self.input_op_matches is not None:
            raise ValueError("input_op_matches is already set.")
        self.input_op_matches = _matchers(args)
        return self

    def control_input_ops(self, *args: Any) -> OpMatcher:
        """Says what it waits for.

        Args:
            *args: A pattern, or what one is made of, for each; None for any.

        Returns:
            This pattern.

        Raises:
            ValueError: That has been said.
        """
        if self.control_input_op_matches is not None:
            raise ValueError("control_input_op_matches is already set.")
        self.control_input_op_matches = _matchers(args)
        return self

    def output_ops(self, *args: Any) -> OpMatcher:
        """Says what takes its outputs.

        Args:
            *args: For each output a pattern, or a list of patterns where several operations take
                it; None for any.

        Returns:
            This pattern.

        Raises:
            ValueError: That has been said.
        """
        if self.output_op_matches is not None:
            raise ValueError("output_op_matches is already set.")
        self.output_op_matches = [
            None if each is None else _matchers(each if isinstance(each, list) else [each])
            for each in args
        ]
        return self


def _filter_of(given: Any) -> Callable[[Operation], Any]:
    if can_be_regex(given):
        pattern = make_regex(given)
        return lambda op: pattern.search(op.name)
    if isinstance(given, Operation):
        return lambda op: op is given
    if callable(given):
        function: Callable[[Operation], Any] = given
        return function
    if given is True:
        return lambda op: True
    raise ValueError(f"Cannot finalize the positive filter: {given}")


def _matchers(given: Sequence[Any]) -> List[Any]:
    return [
        each if each is None or isinstance(each, OpMatcher) else OpMatcher(each) for each in given
    ]


def _all_fit(matchers: Optional[List[Any]], ops: Sequence[Operation]) -> bool:
    if matchers is None:
        return True
    pairs = zip(matchers, ops)
    return len(matchers) == len(ops) and all(fits is None or fits(op) for fits, op in pairs)
