"""Optimizers that are no nodes of a graph, but call steps: that of SciPy, and those of programs."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_session
from troupe._src.ops import array_ops, creation_ops
from troupe._src.platform import logging
from troupe._src.platform.optional_modules import optional_module
from troupe._src.set_module import set_module
from troupe._src.train.gradients import gradients
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import trainable_variables


@set_module("troupe.contrib.opt")
class ExternalOptimizerInterface:
    """Minimizes a loss by an algorithm outside of the graph, which a class derived from it calls.

    It is `tf.contrib.opt.ExternalOptimizerInterface`: such a class defines `_minimize`. The
    algorithm sees all variables as one vector. What it tries is fed in the place of the variables,
    which are set when it has ended.

    Args:
        loss: What is minimized, a scalar.
        var_list: The variables, whose shapes are known; None for all trainable ones.
        equalities: Scalars that are to be 0.
        inequalities: Scalars that are not to be negative.
        var_to_bounds: {variable: (least, greatest)}, each a number or an array that is broadcast
            to the variable's shape.
        **optimizer_kwargs: Arguments of the algorithm.
    """

    def __init__(
        self,
        loss: Tensor,
        var_list: Optional[Sequence[Variable]] = None,
        equalities: Optional[Sequence[Tensor]] = None,
        inequalities: Optional[Sequence[Tensor]] = None,
        var_to_bounds: Optional[Dict[Variable, Any]] = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self.optimizer_kwargs = optimizer_kwargs
        self._loss = loss
        self._equalities, self._inequalities = list(equalities or ()), list(inequalities or ())
        self._vars = trainable_variables() if var_list is None else list(var_list)
        self._shapes = [tuple(variable.shape.as_list()) for variable in self._vars]
        self._bounds = None if var_to_bounds is None else self._packed_bounds(var_to_bounds)
        self._new_values = [creation_ops.placeholder(var.dtype, var.shape) for var in self._vars]
        self._updates = [var.assign(new) for var, new in zip(self._vars, self._new_values)]
        self._packed = _flat(self._vars)
        self._loss_gradient = self._gradient(loss)
        self._equality_gradients = [self._gradient(each) for each in self._equalities]
        self._inequality_gradients = [self._gradient(each) for each in self._inequalities]

    def minimize(
        self,
        session: Any = None,
        feed_dict: Optional[Dict[Any, Any]] = None,
        fetches: Optional[Sequence[Any]] = None,
        step_callback: Optional[Callable[..., Any]] = None,
        loss_callback: Optional[Callable[..., Any]] = None,
        **run_kwargs: Any,
    ) -> None:
        """Runs the algorithm, and then sets the variables to what it found.

        Args:
            session: The session; None for the default one.
            feed_dict: What the steps are fed, besides the variables.
            fetches: What `loss_callback` is given, in order.
            step_callback: Called with the vector of all variables after each step of the algorithm.
            loss_callback: Called each time when the loss has been computed.
            **run_kwargs: Arguments of `Session.run` for the assignment of the variables.

        Raises:
            ValueError: There is no session.
        """
        run = session or get_default_session()
        if run is None:
            raise ValueError("There is neither a session nor a default one.")
        given = (run, dict(feed_dict or {}), list(fetches or ()))

        def functions_of(tensors: Sequence[Tensor]) -> List[Callable[..., Any]]:
            return [self._function([tensor], *given, None) for tensor in tensors]

        initial = run.run(self._packed)
        found = self._minimize(
            initial_val=initial,
            loss_grad_func=self._function(
                [self._loss, self._loss_gradient], *given, loss_callback
            ),
            equality_funcs=functions_of(self._equalities),
            equality_grad_funcs=functions_of(self._equality_gradients),
            inequality_funcs=functions_of(self._inequalities),
            inequality_grad_funcs=functions_of(self._inequality_gradients),
            packed_bounds=self._bounds,
            step_callback=step_callback or (lambda values: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        self._assign(run, found, **run_kwargs)

    def _minimize(self, **given: Any) -> Any:
        """The vector that the algorithm finds.

        It is given `initial_val`, the vector to begin with; `packed_bounds`, a pair for each
        element or None; `step_callback`; `optimizer_kwargs`; and functions of a vector, which
        return lists: `loss_grad_func` the loss and its gradient, and in the lists `equality_funcs`,
        `equality_grad_funcs`, `inequality_funcs` and `inequality_grad_funcs` each one value.
        """
        raise NotImplementedError(f"{type(self).__name__} has no _minimize")

    def _gradient(self, of: Tensor) -> Tensor:
        found = gradients(of, self._vars)
        return _flat(
            [
                creation_ops.zeros_like(variable) if gradient is None else gradient
                for gradient, variable in zip(found, self._vars)
            ]
        )

    def _packed_bounds(self, bounds: Dict[Variable, Any]) -> List[Any]:
        """(least, greatest) for each element of the vector."""
        pairs: List[Any] = []
        for variable, shape in zip(self._vars, self._shapes):
            both = bounds.get(variable, (-np.inf, np.inf))
            pairs += zip(*(np.broadcast_to(bound, shape).ravel() for bound in both))
        return pairs

    def _unpacked(self, vector: Any) -> List[Any]:
        sizes = [int(np.prod(shape)) for shape in self._shapes]
        ends = list(itertools.accumulate(sizes))
        parts = [vector[end - size : end] for size, end in zip(sizes, ends)]
        return [np.reshape(part, shape) for part, shape in zip(parts, self._shapes)]

    def _function(
        self, tensors: List[Tensor], session: Any, feeds: Any, fetches: List[Any], callback: Any
    ) -> Callable[..., Any]:
        """The values of tensors as a function of the vector of all variables."""

        def evaluate(vector: Any) -> Any:
            fed = {**feeds, **dict(zip(self._vars, self._unpacked(vector)))}
            results = session.run([*tensors, *fetches], fed)
            if callback is not None:
                callback(*results[len(tensors) :])
            return results[: len(tensors)]

        return evaluate

    def _assign(self, session: Any, vector: Any, **run_kwargs: Any) -> None:
        values = dict(zip(self._new_values, self._unpacked(vector)))
        session.run(self._updates, values, **run_kwargs)


@set_module("troupe.contrib.opt")
class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes a loss by `scipy.optimize.minimize`: `tf.contrib.opt.ScipyOptimizerInterface`.

    Args:
        loss: What is minimized, a scalar.
        var_list: The variables, whose shapes are known; None for all trainable ones.
        equalities: Scalars that are to be 0.
        inequalities: Scalars that are not to be negative.
        var_to_bounds: {variable: (least, greatest)}.
        **optimizer_kwargs: Arguments of `scipy.optimize.minimize`; the method is "L-BFGS-B" by
            default, which takes no equalities and inequalities.
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(self, **given: Any) -> Any:
        optimize = optional_module("scipy.optimize", "scipy", "ScipyOptimizerInterface")
        arguments = {
            "method": self._DEFAULT_METHOD,
            "jac": True,
            "callback": given["step_callback"],
            "constraints": [
                {"type": kind, "fun": _number_of(function), "jac": _vector_of(gradient)}
                for kind, name in (("eq", "equality"), ("ineq", "inequality"))
                for function, gradient in zip(given[f"{name}_funcs"], given[f"{name}_grad_funcs"])
            ],
            "bounds": given["packed_bounds"],
        }
        options = dict(given["optimizer_kwargs"])
        for name in options.keys() & arguments.keys() - {"method"}:
            hint = "use var_to_bounds" if name == "bounds" else "it is set by this class"
            raise ValueError(f"Optimizer keyword arg '{name}' cannot be given: {hint}")

        def loss_and_gradient(vector: Any) -> Any:
            loss, gradient = given["loss_grad_func"](vector)
            return loss, np.asarray(gradient, np.float64)

        initial, chosen = given["initial_val"], {**arguments, **options}
        if str(chosen["method"]).lower() != "nelder-mead":
            # Methods with derivatives take float64; a simplex has the resolution of the variables.
            initial = np.asarray(initial, np.float64)
        result = optimize.minimize(loss_and_gradient, initial, **chosen)
        logging.info("%s, loss %s", result.message, result.fun)
        return result["x"]


def _number_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda vector: float(function(vector)[0])


def _vector_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda vector: np.asarray(function(vector)[0], np.float64)


def _flat(tensors: Sequence[Any]) -> Tensor:
    """Tensors or variables as one vector."""
    return array_ops.concat([array_ops.reshape(tensor, [-1]) for tensor in tensors], 0)
