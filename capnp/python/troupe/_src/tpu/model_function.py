"""A model function that is given the size of batches, and may return a TPUEstimatorSpec."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional

from troupe._src.estimator.input_fns import Inputs, accepts
from troupe._src.estimator.model_function import ModelFunction
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.platform import logging
from troupe._src.tpu.config import InputPipelineConfig
from troupe._src.tpu.examples_hook import ExamplesPerSecondHook
from troupe._src.tpu.spec import TPUEstimatorSpec

NO_TPUS = (
    "Cannot find any TPU cores in the system: this version of troupe computes on processors and "
    "GPUs. Pass use_tpu=False to TPUEstimator; programs mostly have a flag for it."
)


class Place(NamedTuple):
    """Whether a model is meant for TPUs, and its evaluation, too."""

    use_tpu: bool
    eval_on_tpu: bool

    def needs_tpus(self, mode: str) -> bool:
        return self.use_tpu and (self.eval_on_tpu or mode != ModeKeys.EVAL)


class TPUModelFunction(ModelFunction):
    """A model function with its hyperparameters and the sizes of batches, by mode."""

    def __init__(
        self,
        function: Callable[..., Any],
        params: Any,
        batch_sizes: Dict[str, Optional[int]],
        place: Place,
    ) -> None:
        super().__init__(function, {} if params is None else params)
        self._batch_sizes, self._place = batch_sizes, place

    def inputs(self, input_fn: Callable[..., Any], mode: str, config: RunConfig) -> Inputs:
        if not accepts(input_fn, "params"):
            raise ValueError(
                f"input_fn ({input_fn}) does not include params argument, required by TPUEstimator "
                'to pass batch size as params["batch_size"]'
            )
        if self._place.needs_tpus(mode):
            raise RuntimeError(NO_TPUS)
        options: Any = config
        pipeline = options.tpu_config.eval_training_input_configuration
        if pipeline == InputPipelineConfig.SLICED:
            raise ValueError(
                "Invalid TPUConfig `eval_training_input_configuration` value. SLICED mode only "
                "works on use_tpu = True."
            )
        return super().inputs(input_fn, mode, config)

    def spec(
        self, inputs: Inputs, mode: str, config: RunConfig, is_export: bool = False
    ) -> EstimatorSpec:
        if not accepts(self._function, "params"):
            raise ValueError(
                f"model_fn ({self._function}) does not include params argument, required by "
                "TPUEstimator to pass batch size as params['batch_size']"
            )
        logging.info("Running %s on CPU", mode)
        spec = super().spec(inputs, mode, config, is_export)
        size, every = self._batch_sizes[mode], config.log_step_count_steps
        if mode != ModeKeys.TRAIN or is_export or not every or size is None:
            return spec
        folder = config.model_dir if config.save_summary_steps else None
        hook = ExamplesPerSecondHook(size, folder, every)
        return spec._replace(training_hooks=(*spec.training_hooks, hook))

    def _input_params(self, mode: str) -> Any:
        params = self.params
        if self._batch_sizes[mode] is not None:
            _add(params, "batch_size", self._batch_sizes[mode])
        return params

    def _model_params(self, mode: str, is_export: bool) -> Any:
        # The size of what is served is that of each request.
        params = self.params if is_export else self._input_params(mode)
        _add(params, "use_tpu", False)
        return params

    def _as_spec(self, returned: Any) -> Any:
        if isinstance(returned, TPUEstimatorSpec):
            return returned.as_estimator_spec()
        return returned


def _add(params: Any, name: str, value: Any) -> None:
    """Sets one of the hyperparameters, of a dict or of HParams."""
    if not hasattr(params, "set_hparam"):
        params[name] = value
    elif name in params:
        params.set_hparam(name, value)
    else:
        params.add_hparam(name, value)
