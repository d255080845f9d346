"""Maps of features whose products approximate a kernel."""

from __future__ import annotations

import abc
import math
from typing import Any, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


class InvalidShapeError(Exception):
    """Features have another shape than their map takes."""


class DenseKernelMapper(abc.ABC):
    """A map of the rows of a tensor to rows of another size."""

    @abc.abstractmethod
    def map(self, input_tensor: Any) -> Tensor:
        """Maps rows.

        Args:
            input_tensor: The rows.

        Returns:
            The rows of the map.
        """

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of the map."""

    @property
    @abc.abstractmethod
    def output_dim(self) -> int:
        """The size of the rows that it gives."""


@set_module("troupe.contrib.kernel_methods")
class RandomFourierFeatureMapper(DenseKernelMapper):
    """A random map whose products approximate a Gaussian kernel (Rahimi and Recht, 2007).

    It is `tf.contrib.kernel_methods.RandomFourierFeatureMapper`: sqrt(2 / D) * cos(x * W + b), with
    normal W and uniform b.

    Args:
        input_dim: The size of the rows that it takes.
        output_dim: D, the size of the rows that it gives.
        stddev: The standard deviation of the kernel.
        seed: Determines W and b.
        name: The name of the map.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        stddev: float = 1.0,
        seed: Optional[int] = 1,
        name: Optional[str] = None,
    ) -> None:
        self._input_dim, self._output_dim = input_dim, output_dim
        self._stddev, self._seed, self._name = stddev, seed, name

    @property
    def name(self) -> str:
        """The name; without one, a number that no other object has."""
        return self._name or str(id(self))

    @property
    def input_dim(self) -> int:
        """The size of the rows that it takes."""
        return self._input_dim

    @property
    def output_dim(self) -> int:
        """The size of the rows that it gives."""
        return self._output_dim

    def map(self, input_tensor: Any) -> Tensor:
        """Maps rows.

        Args:
            input_tensor: float32, [n, input_dim].

        Returns:
            A tensor, [n, output_dim].

        Raises:
            InvalidShapeError: The tensor has another shape.
        """
        rows = convert_to_tensor(input_tensor)
        if rows.shape.rank != 2:
            raise InvalidShapeError(
                f"The shape of the tensor should be 2. Got {rows.shape.rank} instead."
            )
        if rows.shape[1].value != self._input_dim:
            raise InvalidShapeError(
                f"Invalid dimension: expected {self._input_dim} input features, got "
                f"{rows.shape[1]} instead."
            )
        # The numbers are those of NumPy's own generator for this seed.
        random = np.random.RandomState(self._seed)
        weights = random.normal(
            scale=1.0 / self._stddev, size=[self._input_dim, self._output_dim]
        )
        biases = random.uniform(low=0.0, high=2 * np.pi, size=[self._output_dim])
        product = math_ops.matmul(rows, constant(weights, dtypes.float32))
        angles = product + constant(biases, dtypes.float32)
        return math.sqrt(2.0 / self._output_dim) * gen_ops.cos(angles)
