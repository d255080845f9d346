"""A model function of a program: its inputs, and the specs that it returns."""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, Optional

from troupe._src.estimator.input_fns import Inputs, accepts, argument_names, inputs_of
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.platform import logging

_ARGUMENTS = {"features", "labels", "mode", "params", "self", "config"}


class ModelFunction:
    """A model function with its hyperparameters.

    Raises:
        ValueError: The function has not the arguments that it needs.
    """

    def __init__(self, function: Callable[..., Any], params: Optional[Dict[str, Any]]) -> None:
        names = set(argument_names(function))
        if "features" not in names:
            raise ValueError(f"model_fn ({function}) must include features argument.")
        if params is not None and "params" not in names:
            raise ValueError(
                f"model_fn ({function}) does not include params argument, but params "
                f"({params}) is passed to Estimator."
            )
        unknown = names - _ARGUMENTS
        if unknown:
            raise ValueError(
                f"model_fn ({function}) has following not expected args: {unknown}"
            )
        self._function = function
        self._params: Any = copy.deepcopy({} if params is None else params)

    @property
    def params(self) -> Any:
        """A copy of the hyperparameters."""
        return copy.deepcopy(self._params)

    def _input_params(self, mode: str) -> Any:
        """Those that an input function gets."""
        return self.params

    def _model_params(self, mode: str, is_export: bool) -> Any:
        """Those that the model function gets."""
        return self.params

    def _as_spec(self, returned: Any) -> Any:
        """What the function has returned, as an EstimatorSpec."""
        return returned

    def inputs(self, input_fn: Callable[..., Any], mode: str, config: RunConfig) -> Inputs:
        """What an input function gives, on the task's processor."""
        with get_default_graph().device("/cpu:0"):
            return inputs_of(
                lambda: self.call_input_fn(input_fn, mode, config), GraphKeys._INPUT_INITIALIZERS
            )

    def call_input_fn(
        self, input_fn: Callable[..., Any], mode: str, config: RunConfig, context: Any = None
    ) -> Any:
        """Calls an input function with those arguments that it has."""
        given: Dict[str, Any] = {
            "mode": mode,
            "params": self._input_params(mode),
            "config": config,
            "input_context": context,
        }
        return input_fn(**{key: each for key, each in given.items() if accepts(input_fn, key)})

    def spec(
        self, inputs: Inputs, mode: str, config: RunConfig, is_export: bool = False
    ) -> EstimatorSpec:
        """Makes the model in the default graph, of an export where it is said so.

        Raises:
            ValueError: There are labels and no argument for them, or the function returns something
                else.
        """
        names = argument_names(self._function)
        kwargs: Dict[str, Any] = {}
        if "labels" in names:
            kwargs["labels"] = inputs.labels
        elif inputs.labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        params = self._model_params(mode, is_export)
        given: Dict[str, Any] = {"mode": mode, "params": params, "config": config}
        kwargs.update({key: value for key, value in given.items() if key in names})
        logging.info("Calling model_fn.")
        spec = self._as_spec(self._function(features=inputs.features, **kwargs))
        logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec
