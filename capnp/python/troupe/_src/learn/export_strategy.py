"""When and how the models of an experiment are exported."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.contrib_columns.checks import create_feature_spec_for_parsing
from troupe._src.estimator.estimator import Estimator as CoreEstimator
from troupe._src.estimator.input_fns import argument_names
from troupe._src.estimator.serving_inputs import build_parsing_serving_input_receiver_fn
from troupe._src.learn.export_inputs import build_parsing_serving_input_fn
from troupe._src.learn.keys import MetricKey
from troupe._src.platform.gfile import DeleteRecursively, ListDirectory
from troupe._src.set_module import set_module


@set_module("troupe.contrib.learn")
class ExportStrategy(NamedTuple):
    """The name of exports, and the function that makes them.

    The function is called with the estimator and the folder of exports, and as far as it has such
    arguments with `checkpoint_path`, `eval_result` and `strip_default_attrs`; it returns the folder
    of the export.
    """

    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: Optional[bool] = None

    def export(
        self, estimator: Any, export_path: Any, checkpoint_path: Optional[str] = None,
        eval_result: Any = None,
    ) -> Any:  # fmt: skip
        """Exports a model.

        Args:
            estimator: The estimator.
            export_path: The folder of exports.
            checkpoint_path: The checkpoint, by default the latest one.
            eval_result: The results of its evaluation.

        Returns:
            What the function returns.

        Raises:
            ValueError: The function takes results, and no checkpoint.
        """
        names = argument_names(self.export_fn)
        if "eval_result" in names and "checkpoint_path" not in names:
            raise ValueError(
                "An export_fn accepting eval_result must also accept checkpoint_path."
            )
        given = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        chosen = {key: value for key, value in given.items() if key in names}
        return self.export_fn(estimator, export_path, **chosen)


def make_export_strategy(
    serving_input_fn: Callable[[], Any], default_output_alternative_key: Optional[str] = None,
    assets_extra: Optional[Dict[str, Any]] = None, as_text: bool = False,
    exports_to_keep: Optional[int] = 5, strip_default_attrs: Optional[bool] = None,
) -> ExportStrategy:  # fmt: skip
    """A strategy that exports SavedModels.

    Args:
        serving_input_fn: As of `export_savedmodel` of the estimator, and so are the next ones.
        default_output_alternative_key: As there.
        assets_extra: As there.
        as_text: As there.
        exports_to_keep: How many exports stay; None for all.
        strip_default_attrs: Has no effect.

    Returns:
        The strategy, whose name is "Servo".
    """

    def export_fn(
        estimator: Any, export_dir_base: Any, checkpoint_path: Optional[str] = None
    ) -> Any:
        options: Dict[str, Any] = {
            "assets_extra": assets_extra, "as_text": as_text, "checkpoint_path": checkpoint_path,
        }  # fmt: skip
        if not isinstance(estimator, CoreEstimator):
            options["default_output_alternative_key"] = default_output_alternative_key
        elif default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key is not supported in core Estimator. Given: "
                f"{default_output_alternative_key}"
            )
        made = estimator.export_savedmodel(export_dir_base, serving_input_fn, **options)
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return made

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def make_parsing_export_strategy(
    feature_columns: Any, default_output_alternative_key: Optional[str] = None,
    assets_extra: Optional[Dict[str, Any]] = None, as_text: bool = False,
    exports_to_keep: Optional[int] = 5, target_core: bool = False,
    strip_default_attrs: Optional[bool] = None,
) -> ExportStrategy:  # fmt: skip
    """A strategy that exports SavedModels which parse serialized messages Example.

    Args:
        feature_columns: The columns of the model, of `tf.contrib.layers`.
        default_output_alternative_key: As of `make_export_strategy`, and so are the next ones.
        assets_extra: As there.
        as_text: As there.
        exports_to_keep: As there.
        target_core: Whether the estimator is one of `tf.estimator`.
        strip_default_attrs: Has no effect.

    Returns:
        The strategy, whose name is "Servo".

    Raises:
        TypeError: There is something else than columns.
    """
    spec = create_feature_spec_for_parsing(feature_columns)
    serving: Any = build_parsing_serving_input_fn(spec)
    if target_core:
        serving = build_parsing_serving_input_receiver_fn(spec)
    return make_export_strategy(
        serving, default_output_alternative_key, assets_extra, as_text, exports_to_keep,
        strip_default_attrs,
    )  # fmt: skip


def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any], exports_to_keep: Optional[int] = 1,
    compare_fn: Optional[Callable[[Any, Any], bool]] = None,
    default_output_alternative_key: Optional[str] = None,
) -> ExportStrategy:  # fmt: skip
    """A strategy that exports a SavedModel of a checkpoint that is better than those before.

    Args:
        serving_input_fn: As of `make_export_strategy`.
        exports_to_keep: As of `make_export_strategy`, for a checkpoint.
        compare_fn: Whether its second results are better than its first ones; by default those of a
            lower loss are.
        default_output_alternative_key: As of `make_export_strategy`.

    Returns:
        The strategy, whose name is "best_model".
    """
    every = make_export_strategy(
        serving_input_fn, default_output_alternative_key, exports_to_keep=exports_to_keep
    )
    best: List[Any] = []

    def export_fn(
        estimator: Any, export_dir_base: Any, checkpoint_path: Any, eval_result: Any = None
    ) -> Any:
        path = checkpoint_path or latest_checkpoint(estimator.model_dir)
        if not path:
            raise ValueError("Checkpoint path is empty.")
        if eval_result is None:
            raise ValueError(f"{path} has empty evaluation results.")
        if best and not (compare_fn or _has_lower_loss)(best[0], eval_result):
            return ""
        best[:] = [eval_result]
        folder = os.path.join(os.fsdecode(export_dir_base), os.path.basename(path))
        return every.export(estimator, folder, path, eval_result)

    return ExportStrategy("best_model", export_fn)


def _has_lower_loss(best: Any, candidate: Any) -> bool:
    for name, results in (("curr_best", best), ("cand", candidate)):
        if not results or MetricKey.LOSS not in results:
            raise ValueError(f"{name}_eval_result cannot be empty or no loss is found in it.")
    return bool(best[MetricKey.LOSS] > candidate[MetricKey.LOSS])


def garbage_collect_exports(export_dir_base: Any, exports_to_keep: Optional[int]) -> None:
    """Deletes old exports.

    Args:
        export_dir_base: The folder of exports, which are named by the times when they were made.
        exports_to_keep: How many of the latest ones stay; None for all.
    """
    if exports_to_keep is None:
        return
    base = os.fsdecode(export_dir_base)
    names = (os.fsdecode(name).rstrip("/") for name in ListDirectory(base))
    found = sorted(int(name) for name in names if len(name) == 10 and name.isdigit())
    for time in found[: max(0, len(found) - exports_to_keep)]:
        DeleteRecursively(os.path.join(base, str(time)))
