"""The steps along a sequence of conditional random fields, as cells of recurrent networks."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.rnn.cell import RNNCell
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


class _TransitionsCell(RNNCell):
    """A cell whose state has a number for each tag."""

    def __init__(self, transition_params: Any) -> None:
        """A cell for a matrix of transitions.

        Args:
            transition_params: The scores of each tag after each other one, [tags, tags].
        """
        super().__init__()
        transitions = convert_to_tensor(transition_params)
        # [1, tag before, tag], to be added to the state of each sequence, [batch, tag before, 1].
        self._transitions = array_ops.expand_dims(transitions, 0)
        self._num_tags = transitions.shape[0].value

    @property
    def state_size(self) -> Any:
        """The number of tags."""
        return self._num_tags

    @property
    def output_size(self) -> Any:
        """The number of tags."""
        return self._num_tags

    def _scores(self, state: Any) -> Tensor:
        """Those of each tag after each tag before, [batch, tag before, tag]."""
        return math_ops.add(array_ops.expand_dims(state, 2), self._transitions)


@set_module("troupe.contrib.crf")
class CrfForwardRnnCell(_TransitionsCell):
    """Adds up the scores of all sequences of tags so far, by the tag that they end with."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Tensor, Tensor]:
        """Computes a step.

        Args:
            inputs: The unary scores of the step, [batch, tags].
            state: The logarithms of the sums so far, [batch, tags].
            scope: Is not used.

        Returns:
            The next state, twice.
        """
        sums = inputs + reduction_ops.reduce_logsumexp(self._scores(state), [1])
        return sums, sums


@set_module("troupe.contrib.crf")
class CrfDecodeForwardRnnCell(_TransitionsCell):
    """Finds the best sequence of tags so far, by the tag that it ends with."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Tensor, Tensor]:
        """Computes a step.

        Args:
            inputs: The unary scores of the step, [batch, tags].
            state: The best scores so far, [batch, tags].
            scope: Is not used.

        Returns:
            The tag before each tag in the best sequence, int32, and the next state.
        """
        scores = self._scores(state)
        before = reduction_ops.argmax(scores, 1, output_type=dtypes.int32)
        return before, inputs + math_ops.reduce_max(scores, [1])


@set_module("troupe.contrib.crf")
class CrfDecodeBackwardRnnCell(RNNCell):
    """Follows the tags before, from the last step to the first."""

    def __init__(self, num_tags: Any) -> None:
        """A cell for so many tags.

        Args:
            num_tags: The number of tags.
        """
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self) -> Any:
        """One tag."""
        return 1

    @property
    def output_size(self) -> Any:
        """One tag."""
        return 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Tensor, Tensor]:
        """Computes a step.

        Args:
            inputs: The tag before each tag, [batch, tags].
            state: The tag of the next step, [batch, 1].
            scope: Is not used.

        Returns:
            The tag of this step, [batch, 1], twice.
        """
        rows = math_ops.range(array_ops.shape(inputs)[0])
        places = array_ops.stack([rows, array_ops.squeeze(state, axis=[1])], axis=1)
        tags = array_ops.expand_dims(gen_ops.gather_nd(inputs, places), axis=-1)
        return tags, tags
