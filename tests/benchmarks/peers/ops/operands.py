"""What the cases compute with: variables of given shapes, with the same values on both sides."""

import dataclasses
from typing import Callable, Sequence


@dataclasses.dataclass(frozen=True)
class Operand:
    """A variable, and its initial value as a function of NumPy and of one of its RandomStates.

    NumPy is an argument, as the comparison lists its cases without it; only the sides have it.
    """

    dtype: str
    shape: Sequence[int]
    value: Callable

    @property
    def what(self):
        return f"{self.dtype} {list(self.shape)}"


def floats(*shape, low=0.5, high=1.5, dtype="float32"):
    """Random numbers in [low, high)."""
    return Operand(
        dtype, shape, lambda numpy, random: random.random_sample(shape) * (high - low) + low
    )


def complexes(*shape):
    def value(numpy, random):
        return random.random_sample(shape) + 1j * random.random_sample(shape)

    return Operand("complex64", shape, value)


def integers(*shape, high, low=0, dtype="int32"):
    """Random integers in [low, high)."""
    return Operand(dtype, shape, lambda numpy, random: random.randint(low, high, shape))


def booleans(*shape):
    return Operand("bool", shape, lambda numpy, random: random.random_sample(shape) < 0.5)


def sorted_integers(count, high):
    """Random integers in [0, high), as the ids of segments are."""
    return Operand(
        "int32", [count], lambda numpy, random: numpy.sort(random.randint(0, high, count))
    )


def sorted_floats(rows, columns):
    """Rows of sorted random numbers in [0, 1)."""
    return Operand(
        "float32", [rows, columns], lambda numpy, random: numpy.sort(random.rand(rows, columns))
    )


def scalar(value, dtype="int32"):
    return Operand(dtype, [], lambda numpy, random: value)


def every_second(start, stop):
    """start, start + 2 and so on, up to stop."""
    return Operand(
        "int32", [(stop - start + 1) // 2], lambda numpy, random: numpy.arange(start, stop, 2)
    )


def sparse_indices(count, rows, columns):
    """Of `count` random elements of a sparse matrix, by rows."""

    def value(numpy, random):
        of_rows = numpy.sort(random.randint(0, rows, count))
        return numpy.stack([of_rows, random.randint(0, columns, count)], axis=1)

    return Operand("int64", [count, 2], value)


def all_indices(rows, columns):
    """Of a sparse matrix whose elements are all there."""

    def value(numpy, random):
        return numpy.indices((rows, columns)).reshape(2, -1).T

    return Operand("int64", [rows * columns, 2], value)


def positive_definite(size):
    """A symmetric matrix whose eigenvalues are positive and far from zero."""

    def value(numpy, random):
        factor = random.rand(size, size)
        return factor @ factor.T + size * numpy.eye(size)

    return Operand("float32", [size, size], value)


def boxes(count):
    """Squares whose sides are a tenth of the image's."""

    def value(numpy, random):
        corners = random.rand(count, 2)
        return numpy.concatenate([corners, corners + 0.1], axis=1)

    return Operand("float32", [count, 4], value)


def strings(count, text_of):
    """The texts of 0 to count - 1."""

    def value(numpy, random):
        return numpy.array([text_of(index) for index in range(count)], dtype=object)

    return Operand("string", [count], value)


class Variables:
    """The variables of a case's operands, with the values that they are to be initialized with."""

    def __init__(self, tf):
        import numpy

        self._tf = tf
        self._numpy = numpy
        self._random = numpy.random.RandomState(0)
        self.values = {}  # by placeholder

    def new(self, operand):
        """A variable that is initialized by the value of a placeholder."""
        value = self._numpy.asarray(operand.value(self._numpy, self._random))
        if operand.dtype != "string":
            value = value.astype(operand.dtype)
        initial = self._tf.placeholder(operand.dtype, operand.shape)
        name = f"operand_{len(self.values)}"
        variable = self._tf.get_variable(name, initializer=initial, use_resource=True)
        self.values[initial] = value
        return variable
