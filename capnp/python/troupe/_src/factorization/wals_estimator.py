"""An estimator of the factors of a matrix: `WALSMatrixFactorization`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence

from troupe._src.control_flow.conditional import cond
from troupe._src.factorization.wals_model import WALSModel
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.ops import creation_ops, gen_ops, math_ops
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues,
)  # fmt: skip
from troupe._src.types import dtypes
from troupe._src.types.paths import PathLike
from troupe._src.variables.assign_ops import assign, assign_add
from troupe._src.variables.scatter_ops import scatter_update
from troupe._src.variables.variable import Variable


class _Sweep(NamedTuple):
    """What a training runs for rows, or for columns."""

    before: List[Any]  # in this order before a sweep
    train_op: Any


class _SweepHook(SessionRunHook):
    """Trains rows until all are updated, then columns, and so on."""

    def __init__(
        self, is_row_sweep: Variable, is_done: Variable, init_op: Any, switch_op: Any,
        rows: _Sweep, columns: _Sweep,
    ) -> None:  # fmt: skip
        self._is_row_sweep, self._is_done = is_row_sweep, is_done
        self._init_op, self._switch_op = init_op, switch_op
        self._rows, self._columns = rows, columns
        self._is_initialized = False

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        session = run_context.session
        is_done = session.run(self._is_done)
        if not self._is_initialized:
            logging.info("SweepHook running init op.")
            session.run(self._init_op)
        if is_done:
            logging.info("SweepHook starting the next sweep.")
            session.run(self._switch_op)
        is_row_sweep = session.run(self._is_row_sweep)
        sweep = self._rows if is_row_sweep else self._columns
        if is_done or not self._is_initialized:
            kind = "row" if is_row_sweep else "col"
            logging.info("SweepHook running prep ops for the %s sweep.", kind)
            for op in sweep.before:
                session.run(op)
        self._is_initialized = True
        logging.info("Next fit step starting.")
        return SessionRunArgs([sweep.train_op])


class _CountHook(SessionRunHook):
    """Increments the global step before each step."""

    def __init__(self) -> None:
        step = get_global_step()
        assert step is not None  # an estimator's graph has one
        self._count = group(assign_add(step, 1, name="global_step_incr"))

    def before_run(self, run_context: SessionRunContext) -> None:
        run_context.session.run(self._count)


class _StopHook(SessionRunHook):
    """Ends a training after some sweeps."""

    def __init__(self, sweeps: Variable, last: int) -> None:
        self._sweeps, self._last = sweeps, last

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if run_context.session.run(self._sweeps) >= self._last:
            run_context.request_stop()


def _model_fn(features: Any, labels: Any, mode: str, params: Dict[str, Any]) -> ModelFnOps:
    assert labels is None
    is_training = mode == ModeKeys.TRAIN
    model = WALSModel(
        params["num_rows"],
        params["num_cols"],
        params["embedding_dimension"],
        unobserved_weight=params["unobserved_weight"],
        regularization=params["regularization_coeff"],
        row_init=params["row_init"],
        col_init=params["col_init"],
        num_row_shards=params["num_row_shards"],
        num_col_shards=params["num_col_shards"],
        row_weights=params["row_weights"],
        col_weights=params["col_weights"],
        use_factors_weights_cache=params["use_factors_weights_cache"] and is_training,
        use_gramian_cache=params["use_gramian_cache"] and is_training,
    )
    names = WALSMatrixFactorization
    rows, columns = features[names.INPUT_ROWS], features[names.INPUT_COLS]
    if is_training:
        return _training(model, rows, columns, params)
    if mode == ModeKeys.INFER:
        weights = features.get(names.PROJECTION_WEIGHTS)
        projection = cond(
            features[names.PROJECT_ROW],
            lambda: model.project_row_factors(rows, False, weights),
            lambda: model.project_col_factors(columns, True, weights),
        )
        found = {names.PROJECTION_RESULT: projection}
        return ModelFnOps(ModeKeys.INFER, predictions=found, train_op=no_op())

    def total(update: Callable[..., Any], given: Any, transposed: bool) -> Any:
        _, _, loss, regularization, _ = update(given, transposed)
        return loss + regularization

    loss = cond(
        features[names.PROJECT_ROW],
        lambda: total(model.update_row_factors, rows, False),
        lambda: total(model.update_col_factors, columns, True),
    )
    return ModelFnOps(ModeKeys.EVAL, predictions={}, loss=loss, train_op=no_op())


class _State:
    """The variables of a training."""

    def __init__(self) -> None:
        names = WALSMatrixFactorization
        self.is_row_sweep = _variable(True, "is_row_sweep")
        self.is_done = _variable(False, "is_sweep_done")
        self.sweeps = _variable(0, names.COMPLETED_SWEEPS)
        self.loss = _variable(0.0, names.LOSS)
        self.error = _variable(0.0, names.RWSE)


def _variable(first: Any, name: str) -> Variable:
    collections = [GraphKeys.GLOBAL_VARIABLES]
    return Variable(first, trainable=False, name=name, collections=collections)


def _training(model: WALSModel, rows: Any, columns: Any, params: Dict[str, Any]) -> ModelFnOps:
    state = _State()
    summary_ops.scalar("loss", state.loss)
    summary_ops.scalar("root_weighted_squared_error", state.error)
    summary_ops.scalar("completed_sweeps", state.sweeps)
    updated = model.update_row_factors(rows, False)
    reset_rows, row_op = _axis(state, rows, params["num_rows"], updated, "rows")
    updated = model.update_col_factors(columns, True)
    reset_columns, column_op = _axis(state, columns, params["num_cols"], updated, "cols")
    other = assign(state.is_row_sweep, gen_ops.logical_not(state.is_row_sweep.read_value()))
    switch_op = group(other, reset_rows, reset_columns, name="sweep_switch_op")
    before_rows = [model.row_update_prep_gramian_op, model.initialize_row_update_op]
    before_columns = [model.col_update_prep_gramian_op, model.initialize_col_update_op]
    hooks: List[SessionRunHook] = [
        _SweepHook(
            state.is_row_sweep, state.is_done, model.worker_init, switch_op,
            _Sweep(before_rows, row_op), _Sweep(before_columns, column_op),
        ),
        _CountHook(),
    ]  # fmt: skip
    if params["max_sweeps"] is not None:
        hooks.append(_StopHook(state.sweeps, params["max_sweeps"]))
    return ModelFnOps(
        ModeKeys.TRAIN,
        predictions={},
        loss=state.loss,
        train_op=no_op(),
        training_hooks=hooks,
    )


def _axis(state: _State, given: Any, size: int, updated: Any, name: str) -> Any:
    """What begins a sweep of rows or columns, and a step of it."""
    graph = get_default_graph()
    processed = _variable(creation_ops.fill([size], False), f"processed_{name}")
    _, update_op, loss, regularization, weights = updated
    numbers = given.indices[:, 0]
    noted = [
        update_op,
        assign(state.loss, loss + regularization),
        assign(state.error, gen_ops.sqrt(loss / weights)),
    ]
    with control_dependencies(noted):
        with graph.colocate_with(processed.op):
            done = creation_ops.ones_like(numbers, dtype=dtypes.bool_)
            update_name = f"update_processed_{name}_indices"
            marked = scatter_update(processed, numbers, done, name=update_name)
        with control_dependencies([marked]):
            is_done = math_ops.reduce_all(processed.read_value())
            step = group(
                assign(state.is_done, is_done),
                assign_add(state.sweeps, math_ops.cast(is_done, dtypes.int32)),
                name=f"{name}_sweep_train_op",
            )
    return processed.initializer, step


@set_module("troupe.contrib.factorization")
class WALSMatrixFactorization(Estimator):
    """An estimator of the factors of a matrix, by weighted alternating least squares.

    It is `tf.contrib.factorization.WALSMatrixFactorization`, with a `WALSModel`. Its features are
    `INPUT_ROWS`, a SparseTensor of rows of the matrix; `INPUT_COLS`, one of columns, transposed;
    and, except for training, `PROJECT_ROW`, a bool: whether the rows or the columns are meant; and
    for projections `PROJECTION_WEIGHTS`, the weights of these, if there are any. There are no
    labels.

    Args:
        num_rows: The number of rows.
        num_cols: The number of columns.
        embedding_dimension: The number of factors.
        unobserved_weight: The weight of all elements.
        regularization_coeff: The weight of the squares of factors; None for none.
        row_init: As of `WALSModel`.
        col_init: As of `WALSModel`.
        num_row_shards: As of `WALSModel`.
        num_col_shards: As of `WALSModel`.
        row_weights: As of `WALSModel`.
        col_weights: As of `WALSModel`.
        use_factors_weights_cache_for_training: Whether training copies factors and weights.
        use_gramian_cache_for_training: Whether training copies the products of factors.
        max_sweeps: After how many updates of all rows, or all columns, training ends; None for no
            end.
        model_dir: As of `tf.contrib.learn.Estimator`.
        config: As of `tf.contrib.learn.Estimator`.

    Raises:
        ValueError: There are several workers.
    """

    INPUT_ROWS = "input_rows"
    INPUT_COLS = "input_cols"
    PROJECT_ROW = "project_row"
    PROJECTION_WEIGHTS = "projection_weights"
    PROJECTION_RESULT = "projection"
    COMPLETED_SWEEPS = "completed_sweeps"
    LOSS = "WALS_loss"
    RWSE = "WALS_RWSE"

    def __init__(
        self,
        num_rows: int,
        num_cols: int,
        embedding_dimension: int,
        unobserved_weight: float = 0.1,
        regularization_coeff: Optional[float] = None,
        row_init: Any = "random",
        col_init: Any = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: Any = 1,
        col_weights: Any = 1,
        use_factors_weights_cache_for_training: bool = True,
        use_gramian_cache_for_training: bool = True,
        max_sweeps: Optional[int] = None,
        model_dir: Optional[PathLike] = None,
        config: Any = None,
    ) -> None:
        params = {
            "num_rows": num_rows,
            "num_cols": num_cols,
            "embedding_dimension": embedding_dimension,
            "unobserved_weight": unobserved_weight,
            "regularization_coeff": regularization_coeff,
            "row_init": row_init,
            "col_init": col_init,
            "num_row_shards": num_row_shards,
            "num_col_shards": num_col_shards,
            "row_weights": row_weights,
            "col_weights": col_weights,
            "use_factors_weights_cache": use_factors_weights_cache_for_training,
            "use_gramian_cache": use_gramian_cache_for_training,
            "max_sweeps": max_sweeps,
        }
        self._shards = {"row": num_row_shards, "col": num_col_shards}
        super().__init__(_model_fn, model_dir, config, params)
        if self.config.num_worker_replicas > 1:
            raise ValueError("WALSMatrixFactorization must be run on a single worker replica.")

    def _factors(self, kind: str) -> Sequence[Any]:
        names = [f"{kind}_factors_shard_{i}" for i in range(self._shards[kind])]
        return [self.get_variable_value(name) for name in names]

    def get_row_factors(self) -> Sequence[Any]:
        """The trained factors of rows, an array for each shard."""
        return self._factors("row")

    def get_col_factors(self) -> Sequence[Any]:
        """The trained factors of columns, an array for each shard."""
        return self._factors("col")

    def get_projections(self, input_fn: Callable[[], Any]) -> Iterator[Any]:
        """The factors of rows, or of columns, that need not be in the matrix.

        Args:
            input_fn: Returns the features, and None.

        Returns:
            An iterator of arrays.
        """
        found = self.predict(input_fn=input_fn)
        return (each[self.PROJECTION_RESULT] for each in found)
