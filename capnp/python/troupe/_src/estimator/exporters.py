"""What `train_and_evaluate` exports after evaluations: `tf.estimator.Exporter` and its kinds."""

from __future__ import annotations

import glob
import os
from typing import Any, Callable, Dict, Iterator, Optional

from troupe._src.estimator.export_folders import remove_old_exports
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary.event_file import summary_iterator

Results = Dict[str, Any]


@set_module("troupe.estimator")
class Exporter:
    """Exports a model after an evaluation, if it will."""

    @property
    def name(self) -> str:
        """The name of the folder of its exports, in "export" of the folder of the model."""
        raise NotImplementedError

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Results,
        is_the_final_export: bool,
    ) -> Any:
        """Exports a model.

        Args:
            estimator: The Estimator.
            export_path: The folder of its exports.
            checkpoint_path: The checkpoint that was evaluated.
            eval_result: The results of the evaluation.
            is_the_final_export: Whether the training has reached its last step.

        Returns:
            The folder of the export; None where it has not exported.
        """
        raise NotImplementedError


class _SavedModelExporter(Exporter):
    """Exports models as SavedModels.

    Args:
        name: The name of the folder of its exports.
        serving_input_receiver_fn: As of `Estimator.export_saved_model`.
        assets_extra: As of `Estimator.export_saved_model`.
        as_text: Writes protobuf's text form.
        exports_to_keep: How many exports are kept; None: all.

    Raises:
        ValueError: The number is not positive.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Optional[Dict[str, Any]],
        as_text: bool,
        exports_to_keep: Optional[int] = None,
    ) -> None:
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be a positive number.")
        self._name, self._input_fn = name, serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text
        self._exports_to_keep = exports_to_keep

    @property
    def name(self) -> str:
        return self._name

    def _is_due(self, estimator: Any, results: Results, is_final: bool) -> bool:
        """Whether this model is to be exported."""
        raise NotImplementedError

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Results,
        is_the_final_export: bool,
    ) -> Any:
        if not self._is_due(estimator, eval_result, is_the_final_export):
            return None
        exported = estimator.export_saved_model(
            export_path,
            self._input_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )
        remove_old_exports(os.fsdecode(export_path), self._exports_to_keep)
        return exported


@set_module("troupe.estimator")
class LatestExporter(_SavedModelExporter):
    """Exports the model of each evaluation, and keeps the last exports.

    Args:
        name: The name of the folder of its exports.
        serving_input_receiver_fn: As of `Estimator.export_saved_model`.
        assets_extra: As of `Estimator.export_saved_model`.
        as_text: Writes protobuf's text form.
        exports_to_keep: How many exports are kept; None: all.

    Raises:
        ValueError: The number is not positive.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Optional[Dict[str, Any]] = None,
        as_text: bool = False,
        exports_to_keep: Optional[int] = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def _is_due(self, estimator: Any, results: Results, is_final: bool) -> bool:
        return True


@set_module("troupe.estimator")
class FinalExporter(_SavedModelExporter):
    """Exports the model once, when the training has reached `max_steps`.

    Args:
        name: The name of the folder of its export.
        serving_input_receiver_fn: As of `Estimator.export_saved_model`.
        assets_extra: As of `Estimator.export_saved_model`.
        as_text: Writes protobuf's text form.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Optional[Dict[str, Any]] = None,
        as_text: bool = False,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def _is_due(self, estimator: Any, results: Results, is_final: bool) -> bool:
        if is_final:
            logging.info("Performing the final export in the end of training.")
        return is_final


def _loss_smaller(best_eval_result: Results, current_eval_result: Results) -> bool:
    """Whether the loss is smaller; ValueError where one of the results has none."""
    for name, results in (("best", best_eval_result), ("current", current_eval_result)):
        if not results or "loss" not in results:
            raise ValueError(f"{name}_eval_result cannot be empty or no loss is found in it.")
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


@set_module("troupe.estimator")
class BestExporter(_SavedModelExporter):
    """Exports the model of each evaluation that is better than all before it.

    Args:
        name: The name of the folder of its exports.
        serving_input_receiver_fn: As of `Estimator.export_saved_model`.
        event_file_pattern: The files, in the folder of the model, that have the results of
            evaluations before this program began, such as "eval/*.tfevents.*". By default none: the
            first evaluation of a program is exported.
        compare_fn: Says of `best_eval_result` and `current_eval_result`, dicts of results by name,
            whether the current one is better. By default the one with the smaller loss.
        assets_extra: As of `Estimator.export_saved_model`.
        as_text: Writes protobuf's text form.
        exports_to_keep: How many exports are kept; None: all.

    Raises:
        ValueError: There is no `compare_fn`, or the number is not positive.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Any = None,
        event_file_pattern: Optional[str] = None,
        compare_fn: Any = _loss_smaller,
        assets_extra: Optional[Dict[str, Any]] = None,
        as_text: bool = False,
        exports_to_keep: Optional[int] = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        self._compare = compare_fn
        self._event_file_pattern = event_file_pattern
        self._model_dir: Optional[str] = None
        self._best: Optional[Results] = None

    def _is_due(self, estimator: Any, results: Results, is_final: bool) -> bool:
        if self._event_file_pattern and self._model_dir != estimator.model_dir:
            self._model_dir = estimator.model_dir
            pattern = os.path.join(estimator.model_dir, self._event_file_pattern)
            self._best = self._best_in(pattern, results.get(GraphKeys.GLOBAL_STEP))
        if self._best is not None and not self._compare(
            best_eval_result=self._best, current_eval_result=results
        ):
            return False
        logging.info("Performing best model export.")
        self._best = results
        return True

    def _best_in(self, pattern: str, current_step: Any) -> Optional[Results]:
        """The best results in event files, without those of the current evaluation."""
        best: Optional[Results] = None
        for results in _results_in(pattern, current_step):
            if best is None or self._compare(best_eval_result=best, current_eval_result=results):
                best = results
        return best


def _results_in(pattern: str, current_step: Any) -> Iterator[Results]:
    for path in sorted(glob.glob(pattern)):
        for event in summary_iterator(path):
            if event.step == current_step:
                continue
            values = [v for v in event.summary.value if v.WhichOneof("value") == "simple_value"]
            if values:
                yield {value.tag: value.simple_value for value in values}
