"""Divergences and cross entropies of pairs of distributions, by their classes."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple, TypeVar

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.set_module import set_module

_Function = TypeVar("_Function", bound=Callable[..., Any])

_DIVERGENCES: Dict[Tuple[type, type], Callable[..., Any]] = {}


@set_module("troupe.distributions")
class RegisterKL:
    """A decorator: a function computes the divergence of objects of two classes."""

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        """A decorator for those classes, and the ones derived from them.

        Args:
            dist_cls_a: The class of the first distribution.
            dist_cls_b: The class of the second one.
        """
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: _Function) -> _Function:
        """Registers the function.

        Args:
            kl_fn: Called with the distributions and `name`.

        Returns:
            The function.

        Raises:
            TypeError: It cannot be called.
            ValueError: The classes have a function.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            first, second = (each.__name__ for each in self._key)
            raise ValueError(
                f"KL({first} || {second}) has already been registered to: {_DIVERGENCES[self._key]}"
            )
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


def _registered(first: type, second: type) -> Optional[Callable[..., Any]]:
    """The function of the nearest of the classes that they derive from."""
    found = [
        (i + j, _DIVERGENCES[each, other])
        for i, each in enumerate(first.__mro__)
        for j, other in enumerate(second.__mro__)
        if (each, other) in _DIVERGENCES
    ]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The divergence of Kullback and Leibler: the mean over the first of log(first / second).

    Args:
        distribution_a: The first distribution.
        distribution_b: The second one.
        allow_nan_stats: False makes results that are not defined an error of the step.

    Returns:
        The divergences, in the shape of the batch.

    Raises:
        NotImplementedError: There is no function for such distributions.
    """
    function = _registered(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type "
            f"{type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        found: Tensor = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return found
        is_defined = gen_ops.logical_not(math_ops.reduce_any(gen_ops.is_nan(found)))
        text = f"KL({distribution_a.name} || {distribution_b.name}) is not a number"
        with control_dependencies([Assert(is_defined, [text, found])]):
            return array_ops.identity(found, name="checked_kl")


def cross_entropy(
    ref: Any, other: Any, allow_nan_stats: bool = True, name: Optional[str] = None
) -> Tensor:
    """The mean over one distribution of -log of the probability by another one.

    Args:
        ref: The distribution of the mean.
        other: The one of the probabilities.
        allow_nan_stats: False makes results that are not defined an error of the step.

    Returns:
        The cross entropies, in the shape of the batch.

    Raises:
        NotImplementedError: There is no divergence for such distributions.
    """
    with name_scope(name, "cross_entropy"):
        entropy: Tensor = ref.entropy()
        return entropy + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)
