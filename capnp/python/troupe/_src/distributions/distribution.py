"""What all distributions have in common."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, Optional, Sequence

import numpy as np

from troupe._src.distributions import divergences
from troupe._src.distributions.parameter_shapes import ParameterShapes
from troupe._src.distributions.reparameterization import ReparameterizationType
from troupe._src.distributions.unimplemented import Unimplemented
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import TensorShape, as_shape, unknown_shape


@set_module("troupe.distributions")
class Distribution(ParameterShapes, Unimplemented):
    """A batch of distributions of one kind, which are independent of each other.

    A class of distributions defines `_log_prob`, `_sample_n` and its like, and the shapes of the
    batch and of one event. A sample has the sample's shape, then that of the batch and the event.
    """

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: Optional[Dict[str, Any]] = None,
        graph_parents: Optional[Sequence[Tensor]] = None,
        name: Optional[str] = None,
    ) -> None:
        """For the constructors of classes of distributions.

        Args:
            dtype: The dtype of samples.
            reparameterization_type: Whether samples have gradients by the parameters.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step,
                where they are NaN otherwise.
            parameters: The arguments of the constructor, for `copy`; "self" is left out.
            graph_parents: The tensors of the parameters.

        Raises:
            ValueError: Something in `graph_parents` is not a tensor.
        """
        for index, each in enumerate(graph_parents or []):
            if not is_tensor(each):
                raise ValueError(f"Graph parent item {index} is not a Tensor; {each}.")
        if not name or not name.endswith("/"):
            with name_scope(name or type(self).__name__) as scope:
                name = scope
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters = dict(parameters or {})
        self._graph_parents = list(graph_parents or [])
        self._name = name

    @property
    def name(self) -> str:
        """The scope of its nodes."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self) -> Dict[str, Any]:
        """The arguments that it was made with, by name."""
        return {
            key: value
            for key, value in self._parameters.items()
            if key != "self" and not key.startswith("__")
        }

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether samples have gradients by the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether statistics that are not defined are NaN, not an error of the step."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether steps check the parameters and the values."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Another distribution of this class.

        Args:
            **override_parameters_kwargs: Arguments of the constructor that are others.

        Returns:
            The distribution.
        """
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    def _batch_shape(self) -> TensorShape:
        return unknown_shape()

    def _event_shape(self) -> TensorShape:
        return unknown_shape()

    @property
    def batch_shape(self) -> TensorShape:
        """The sizes of the batch, as far as they are known."""
        return as_shape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The sizes of a sample of one distribution, as far as they are known."""
        return as_shape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The sizes of the batch, int32."""
        with self._name_scope(name):
            return _sizes(self.batch_shape, self._batch_shape_tensor)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The sizes of a sample of one distribution, int32."""
        with self._name_scope(name):
            return _sizes(self.event_shape, self._event_shape_tensor)

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Whether a sample of one distribution is a number, a bool tensor."""
        with self._name_scope(name):
            return _is_scalar(self.event_shape, self._event_shape_tensor)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Whether there is one distribution without a batch, a bool tensor."""
        with self._name_scope(name):
            return _is_scalar(self.batch_shape, self._batch_shape_tensor)

    def sample(
        self, sample_shape: Any = (), seed: Optional[int] = None, name: str = "sample"
    ) -> Any:
        """Draws samples.

        Args:
            sample_shape: A number of samples for each distribution, or their shape; by default
                one.
            seed: Makes the samples repeatable, together with the seed of the graph.

        Returns:
            The samples, of the shape `sample_shape` + `batch_shape` + `event_shape`.

        Raises:
            ValueError: `sample_shape` is neither a number nor a vector.
        """
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(
        self, sample_shape: Any, seed: Optional[int], name: str, **kwargs: Any
    ) -> Any:
        with self._name_scope(name):
            return self._in_shape(sample_shape, lambda count: self._sample_n(count, seed, **kwargs))

    def _in_shape(
        self,
        sample_shape: Any,
        draw: Callable[[Any], Any],
        transform: Optional[Callable[[Any], Any]] = None,
    ) -> Any:
        """A function of a number of samples, in their shape, and what is made of the samples."""
        sizes = convert_to_tensor(sample_shape, dtypes.int32)
        if sizes.shape.rank not in (None, 0, 1):
            raise ValueError("Input is neither scalar nor vector.")
        known = array_ops.get_static_value(sizes)
        drawn = draw(math_ops.reduce_prod(sizes) if known is None else int(np.prod(known)))
        sizes = array_ops.reshape(sizes, [-1])
        of_one = array_ops.shape(drawn)[1:]
        samples = array_ops.reshape(drawn, array_ops.concat([sizes, of_one], 0))
        if transform is not None:
            samples = transform(samples)
        if known is not None:
            shape = as_shape(np.reshape(known, [-1]).tolist())
            samples.set_shape(shape.concatenate(self.batch_shape).concatenate(self.event_shape))
        return samples

    def log_prob(self, value: Any, name: str = "log_prob") -> Tensor:
        """The logarithm of the probability or its density.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.

        Returns:
            A number for each value.
        """
        return self._of_value(name, value, self._log_prob, self._prob, gen_ops.log)

    def prob(self, value: Any, name: str = "prob") -> Tensor:
        """The probability or its density.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.

        Returns:
            A number for each value.
        """
        return self._of_value(name, value, self._prob, self._log_prob, gen_ops.exp)

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Tensor:
        """The logarithm of the probability of this value and lower ones.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.

        Returns:
            A number for each value.
        """
        return self._of_value(name, value, self._log_cdf, self._cdf, gen_ops.log)

    def cdf(self, value: Any, name: str = "cdf") -> Tensor:
        """The probability of this value and lower ones.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.

        Returns:
            A number for each value.
        """
        return self._of_value(name, value, self._cdf, self._log_cdf, gen_ops.exp)

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Tensor:
        """The logarithm of the probability of higher values.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.

        Returns:
            A number for each value.
        """

        def rest(found: Any) -> Any:
            return gen_ops.log1p(-found)

        return self._of_value(name, value, self._log_survival_function, self.cdf, rest)

    def survival_function(self, value: Any, name: str = "survival_function") -> Tensor:
        """The probability of higher values.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.

        Returns:
            A number for each value.
        """

        def rest(found: Any) -> Any:
            return 1.0 - found

        return self._of_value(name, value, self._survival_function, self.cdf, rest)

    def quantile(self, value: Any, name: str = "quantile") -> Tensor:
        """The value whose `cdf` is this probability.

        Args:
            value: Probabilities, of a shape that broadcasts with `batch_shape`.

        Returns:
            A number for each probability.
        """
        with self._name_scope(name):
            found: Tensor = self._quantile(convert_to_tensor(value, preferred_dtype=self.dtype))
            return found

    def entropy(self, name: str = "entropy") -> Tensor:
        """The mean of -`log_prob`."""
        return self._statistic(name, self._entropy)

    def mean(self, name: str = "mean") -> Tensor:
        """The mean."""
        return self._statistic(name, self._mean)

    def variance(self, name: str = "variance") -> Tensor:
        """The mean square of the distance from the mean."""
        return self._statistic(name, self._variance, self._stddev, gen_ops.square)

    def stddev(self, name: str = "stddev") -> Tensor:
        """The root of the variance."""
        return self._statistic(name, self._stddev, self._variance, gen_ops.sqrt)

    def covariance(self, name: str = "covariance") -> Tensor:
        """The covariances of the elements of an event, `batch_shape` + [size, size]."""
        return self._statistic(name, self._covariance)

    def mode(self, name: str = "mode") -> Tensor:
        """The value of the highest probability."""
        return self._statistic(name, self._mode)

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Tensor:
        """The mean of -log of the probability that another distribution gives.

        Args:
            other: The other distribution.

        Returns:
            The cross entropies, in the shape of the batch.
        """
        with self._name_scope(name):
            return divergences.cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Tensor:
        """The mean of log(this / the other).

        Args:
            other: The other distribution.

        Returns:
            The divergences, in the shape of the batch.
        """
        with self._name_scope(name):
            return divergences.kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def __repr__(self) -> str:
        dtype = self.dtype.name if isinstance(self.dtype, DType) else self.dtype
        return (
            f"<tf.distributions.{type(self).__name__} {self.name!r} "
            f"batch_shape={self.batch_shape} event_shape={self.event_shape} dtype={dtype}>"
        )

    @contextlib.contextmanager
    def _name_scope(self, name: str) -> Iterator[str]:
        """A scope in that of the distribution, whatever scope the caller is in."""
        with name_scope(self.name), name_scope(name) as scope:
            yield scope

    def _of_value(
        self,
        name: str,
        value: Any,
        function: Callable[[Any], Any],
        other: Callable[[Any], Any],
        from_other: Callable[[Any], Any],
    ) -> Tensor:
        """What a function gives for a value; if it is not defined, by means of another one."""
        with self._name_scope(name):
            tensor = convert_to_tensor(value, preferred_dtype=self.dtype)
            return _first(lambda: function(tensor), lambda: from_other(other(tensor)))

    def _statistic(
        self,
        name: str,
        function: Callable[[], Any],
        other: Optional[Callable[[], Any]] = None,
        from_other: Optional[Callable[[Any], Any]] = None,
    ) -> Tensor:
        with self._name_scope(name):
            if other is None or from_other is None:
                return _first(function, function)
            by, makes = other, from_other
            return _first(function, lambda: makes(by()))


def _first(function: Callable[[], Any], fallback: Callable[[], Any]) -> Tensor:
    try:
        found: Tensor = function()
    except NotImplementedError as original:
        try:
            found = fallback()
        except NotImplementedError:
            raise original from None
    return found


def _sizes(known: TensorShape, of_step: Callable[[], Any]) -> Tensor:
    if known.is_fully_defined():
        return convert_to_tensor(known.as_list(), dtypes.int32)
    found: Tensor = of_step()
    return found


def _is_scalar(known: TensorShape, of_step: Callable[[], Any]) -> Tensor:
    if known.rank is not None:
        return convert_to_tensor(known.rank == 0)
    return gen_ops.equal(array_ops.shape(of_step())[0], 0)
