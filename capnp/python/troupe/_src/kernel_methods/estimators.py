"""Linear classifiers of features that approximate a kernel."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from troupe._src.contrib_columns.numbers import RealValuedColumn, real_valued_column
from troupe._src.kernel_methods.mappers import DenseKernelMapper
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads.kinds import multi_class_head
from troupe._src.learn_models.linear import linear_model_fn
from troupe._src.learn_models.results import ClassEstimator
from troupe._src.ops.array_ops import concat
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike

_Mappers = Mapping[Any, Sequence[DenseKernelMapper]]


def _kernel_model_fn(
    features: Any, labels: Any, mode: str, params: Dict[str, Any], config: Any = None
) -> ModelFnOps:
    mapped, columns = _mapped(features, params["feature_columns"], params["kernel_mappers"])
    return linear_model_fn(mapped, labels, mode, {**params, "feature_columns": columns}, config)


def _mapped(features: Any, columns: Any, mappers: Optional[_Mappers]) -> Tuple[Any, Any]:
    """The features and the columns, with those that the maps give."""
    if mappers is None:
        return features, columns
    features, columns = dict(features), set(columns)
    for column, own in mappers.items():
        if not isinstance(column, RealValuedColumn):
            logging.warning(
                "Updates are currently supported on RealValuedColumns only. Metadata for "
                "FeatureColumn %s will not be updated.",
                column.name,
            )
            continue
        name = column.name + "_MAPPED"
        columns.add(real_valued_column(name, sum(mapper.output_dim for mapper in own)))
        features[name] = concat([mapper.map(features[column.name]) for mapper in own], 1)
    return features, columns


@set_module("troupe.contrib.kernel_methods")
class KernelLinearClassifier(ClassEstimator):
    """A linear classifier of columns, and of maps of them.

    It is `tf.contrib.kernel_methods.KernelLinearClassifier`.

    Args:
        feature_columns: Columns of `tf.contrib.layers` that are taken as they are.
        model_dir: As of `tf.contrib.learn.Estimator`.
        n_classes: How many classes there are.
        weight_column_name: The name of the feature of weights of examples; None for none.
        optimizer: An optimizer, its name, or a function that makes one; by default Ftrl.
        kernel_mappers: For columns that are mapped the maps, whose results are concatenated.
        config: As of `tf.contrib.learn.Estimator`.

    Raises:
        ValueError: There are neither columns nor maps, a map is none, or there are too few classes.
    """

    def __init__(
        self,
        feature_columns: Optional[Sequence[Any]] = None,
        model_dir: Optional[PathLike] = None,
        n_classes: int = 2,
        weight_column_name: Optional[str] = None,
        optimizer: Any = None,
        kernel_mappers: Optional[_Mappers] = None,
        config: Any = None,
    ) -> None:
        if not feature_columns and not kernel_mappers:
            raise ValueError("You should set at least one of feature_columns, kernel_mappers.")
        for mappers in (kernel_mappers or {}).values():
            if not all(isinstance(mapper, DenseKernelMapper) for mapper in mappers):
                raise ValueError("Invalid kernel mappers.")
        params = {
            "head": multi_class_head(n_classes, weight_column_name=weight_column_name),
            "feature_columns": feature_columns or [],
            "optimizer": optimizer,
            "kernel_mappers": kernel_mappers,
        }
        super().__init__(_kernel_model_fn, model_dir, config, params)
