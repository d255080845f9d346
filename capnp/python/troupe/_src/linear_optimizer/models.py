"""Linear models that are learned by dual ascent: `SdcaModel`, and that of estimators."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import colocate_with, name_scope
from troupe._src.linear_optimizer import weights as of_weights
from troupe._src.linear_optimizer.dual_ascent import as_named, sdca_fprint, sdca_shrink_l1
from troupe._src.linear_optimizer.losses import LOSSES
from troupe._src.linear_optimizer.sharded_tables import ShardedMutableDenseHashTable
from troupe._src.ops import arithmetic_ops, array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.selection_ops import gather
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import scalar
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add

_SPARSE, _DENSE = "sparse_features_weights", "dense_features_weights"


class DualAscentModel:
    """A linear model whose weights are variables, and the examples that it learns from.

    Args:
        examples: A dict: "sparse_features", a list of SparseFeatureColumn; "dense_features", a list
            of matrices of float32; "example_labels", "example_weights" and "example_ids", vectors
            of float32, float32 and string.
        variables: A dict: "sparse_features_weights" and "dense_features_weights", lists of
            variables; each may be a list of parts, or a PartitionedVariable.
        options: A dict: "loss_type", "symmetric_l1_regularization", "symmetric_l2_regularization";
            and, where they are given, "num_loss_partitions", how many such models learn at once,
            "num_table_shards", how many tables have the states of the examples, and "adaptive",
            whether examples that have more to learn from are likelier.

    Raises:
        ValueError: Something is missing, or an option is wrong.
    """

    _suffix = "_unshrunk"  # of the variables of the weights before L1 regularization

    def __init__(
        self, examples: Dict[str, Any], variables: Dict[str, Any], options: Dict[str, Any]
    ) -> None:
        if not examples or not variables or not options:
            raise ValueError("examples, variables and options must all be specified.")
        if options["loss_type"] not in LOSSES:
            raise ValueError("Unsupported loss_type: ", options["loss_type"])
        _check_given(examples, ["example_labels", "example_weights", "example_ids"])
        _check_lists(examples, ["sparse_features", "dense_features"])
        _check_lists(variables, [_SPARSE, _DENSE])
        _check_given(options, ["symmetric_l2_regularization", "symmetric_l1_regularization"])
        self._check_regularization(options)
        self._examples, self._variables, self._options = examples, variables, options
        self._slots = {
            name: [of_weights.zeros_beside(each, self._suffix) for each in variables[name]]
            for name in (_SPARSE, _DENSE)
        }
        self._table = ShardedMutableDenseHashTable(
            dtypes.int64,
            dtypes.float32,
            num_shards=options.get("num_table_shards") or 1,
            default_value=[0.0, 0.0, 0.0, 0.0],
            empty_key=[0, 0],
            deleted_key=[1, 1],
        )
        scalar("approximate_duality_gap", self.approximate_duality_gap())
        scalar("examples_seen", self._table.size())

    def _check_regularization(self, options: Dict[str, Any]) -> None:
        l2 = options["symmetric_l2_regularization"]
        if l2 <= 0.0:
            raise ValueError("symmetric_l2_regularization should be positive.")
        if l2 <= 1.0:
            logging.warning(
                "symmetric_l2_regularization for SDCA should typically be larger than for online "
                "optimization methods. Recommended value is of the order of the average L2 norm of "
                "the training examples."
            )
        if options["symmetric_l1_regularization"] < 0.0:
            raise ValueError("symmetric_l1_regularization should be non-negative.")

    @property
    def _l1(self) -> float:
        return float(self._options["symmetric_l1_regularization"])

    @property
    def _l2(self) -> float:
        return float(self._options["symmetric_l2_regularization"])

    def minimize(self, global_step: Any = None, name: Optional[str] = None) -> Operation:
        """Learns from the examples once.

        Args:
            global_step: A variable that is then raised by 1, or None.
            name: The name of the scope.

        Returns:
            The operation. The variables of the model change by that of `update_weights`.
        """
        with name_scope(name, "sdca/minimize"):
            ids = sdca_fprint(convert_to_tensor(self._examples["example_ids"]))
            features = self._examples["sparse_features"]
            # Each feature that an example has is looked up, and changed, once.
            distinct = [gen_ops.unique(each.feature_indices)[0] for each in features]
            rows = [
                of_weights.Rows.of(slot, each) for slot, each in zip(self._slots[_SPARSE], distinct)
            ]
            state, of_sparse, of_dense = self._ascend(self._table.lookup(ids), rows)
            with get_default_graph().control_dependencies([state]):
                updates: List[Any] = [self._table.insert(ids, state)]
                for each, update in zip(rows, of_sparse):
                    updates += each.add(update)
                for slot, update in zip(self._slots[_DENSE], of_dense):
                    updates += of_weights.add_to_all(slot, update)
            if global_step is None:
                done: Operation = group(*updates)
                return done
            with get_default_graph().control_dependencies(updates):
                counted: Operation = assign_add(global_step, 1, name=name).op
            return counted

    def _ascend(self, state: Tensor, rows: List[of_weights.Rows]) -> Any:
        examples = self._examples
        features = examples["sparse_features"]
        outputs = raw_ops.SdcaOptimizerV2(
            sparse_example_indices=[each.example_indices for each in features],
            sparse_feature_indices=[each.feature_indices for each in features],
            sparse_feature_values=[
                each.feature_values for each in features if each.feature_values is not None
            ],
            dense_features=[of_weights.as_tensor(each) for each in examples["dense_features"]],
            example_weights=examples["example_weights"],
            example_labels=examples["example_labels"],
            sparse_indices=[each.ids for each in rows],
            sparse_weights=[each.values() for each in rows],
            dense_weights=[of_weights.as_tensor(slot) for slot in self._slots[_DENSE]],
            example_state_data=state,
            loss_type=self._options["loss_type"],
            l1=self._l1,
            l2=self._l2,
            num_loss_partitions=self._options.get("num_loss_partitions", 1),
            num_inner_iterations=1,
            adaptive=self._options.get("adaptive", True),
        )
        return as_named(outputs, len(features))

    def update_weights(self, train_op: Any) -> Operation:
        """Gives the variables of the model what was learned, with L1 regularization.

        Args:
            train_op: The operation of `minimize`, which runs before.

        Returns:
            The operation.
        """
        graph = get_default_graph()
        with graph.control_dependencies([train_op]):
            copied: List[Any] = []
            for parts, slot in self._weights_and_slots():
                copied += of_weights.copy_to(parts, slot)
        with graph.control_dependencies(copied):
            shrunk = self._shrink(self._all_parts())
        done: Operation = group(*copied, *shrunk)
        return done

    def _shrink(self, variables: List[Any]) -> List[Any]:
        """Applies L1 regularization to variables, after the control dependencies."""
        if self._l1 == 0:
            return []
        shrunk, least = [], self._l1 / self._l2
        for each in variables:
            with colocate_with(each):
                value = each.read_value()
                rest = gen_ops.maximum(0.0, arithmetic_ops.abs(value) - least)
                shrunk.append(each.assign(gen_ops.sign(value) * rest))
        return shrunk

    def _weights_and_slots(self) -> Iterator[Tuple[List[Any], List[Any]]]:
        for name in (_SPARSE, _DENSE):
            for weights, slot in zip(self._variables[name], self._slots[name]):
                yield of_weights.parts_of(weights), slot

    def _all_parts(self) -> List[Any]:
        return [part for parts, _ in self._weights_and_slots() for part in parts]

    def _sum_of_weights(self, function: Callable[[Tensor], Tensor]) -> Tensor:
        sums = []
        for part in self._all_parts():
            with colocate_with(part):
                value = math_ops.cast(convert_to_tensor(part), dtypes.float64)
                sums.append(math_ops.reduce_sum(function(value)))
        total: Tensor = arithmetic_ops.add_n(sums)
        return total

    def _l1_loss(self) -> Tensor:
        with name_scope("sdca/l1_loss"):
            return self._l1 * self._sum_of_weights(arithmetic_ops.abs)

    def _l2_loss(self, l2: float) -> Tensor:
        with name_scope("sdca/l2_loss"):
            return l2 * self._sum_of_weights(gen_ops.square) / 2.0

    def approximate_duality_gap(self) -> Tensor:
        """How far the loss is from the best one at most, for the examples that it learned from.

        Returns:
            A scalar of float64; NaN where there are none yet.
        """
        with name_scope("sdca/approximate_duality_gap"):
            sums: List[Tensor] = []
            for values in self._table.export_sharded()[1]:
                # One after the other: each is large, and twice as large as float64.
                with get_default_graph().control_dependencies(sums), colocate_with(values):
                    doubles = math_ops.cast(values, dtypes.float64)
                    sums.append(math_ops.reduce_sum(doubles, 0))
            total = arithmetic_ops.add_n(sums)
            losses = total[1] + total[2] + self._l1_loss() + 2.0 * self._l2_loss(self._l2)
            return losses / total[3]

    def _scores(self, examples: Dict[str, Any]) -> Tensor:
        """The weighted sums of features, a vector."""
        with name_scope("sdca/prediction"):
            count = array_ops.shape(convert_to_tensor(examples["example_weights"]))[0]
            sums = []
            for features, weights in zip(examples["sparse_features"], self._variables[_SPARSE]):
                flat = array_ops.reshape(of_weights.as_tensor(weights), [-1])
                found = gather(flat, features.feature_indices)
                if features.feature_values is not None:
                    found = found * features.feature_values
                sums.append(gen_ops.unsorted_segment_sum(found, features.example_indices, count))
            for numbers, weights in zip(examples["dense_features"], self._variables[_DENSE]):
                column = array_ops.reshape(of_weights.as_tensor(weights), [-1, 1])
                product = math_ops.matmul(of_weights.as_tensor(numbers), column)
                sums.append(array_ops.reshape(product, [-1]))
            total: Tensor = arithmetic_ops.add_n(sums)
            return total

    def predictions(self, examples: Dict[str, Any]) -> Tensor:
        """What the model predicts.

        Args:
            examples: As of the constructor; labels and ids are not needed.

        Returns:
            A vector of float32: probabilities for "logistic_loss", rates for "poisson_loss", else
            weighted sums.

        Raises:
            ValueError: Something is missing.
        """
        _check_given(examples, ["example_weights"])
        _check_lists(examples, ["sparse_features", "dense_features"])
        scores = self._scores(examples)
        if self._options["loss_type"] == "logistic_loss":
            with name_scope("sdca/logistic_prediction"):
                return gen_ops.sigmoid(scores)
        if self._options["loss_type"] == "poisson_loss":
            with name_scope("sdca/poisson_prediction"):
                return gen_ops.exp(scores)
        return scores

    def unregularized_loss(self, examples: Dict[str, Any]) -> Tensor:
        """The mean of the losses of examples.

        Args:
            examples: As of the constructor; ids are not needed.

        Returns:
            A scalar of float64.

        Raises:
            ValueError: Something is missing.
        """
        _check_given(examples, ["example_labels", "example_weights"])
        _check_lists(examples, ["sparse_features", "dense_features"])
        with name_scope("sdca/unregularized_loss"):
            scores, labels, weights = (
                math_ops.cast(convert_to_tensor(each), dtypes.float64)
                for each in (
                    self._scores(examples), examples["example_labels"], examples["example_weights"]
                )
            )  # fmt: skip
            losses = LOSSES[self._options["loss_type"]](labels, scores)
            return math_ops.reduce_sum(losses * weights) / math_ops.reduce_sum(weights)

    def regularized_loss(self, examples: Dict[str, Any]) -> Tensor:
        """The mean of the losses of examples, and the losses of L1 and L2 regularization.

        Args:
            examples: As of the constructor; ids are not needed.

        Returns:
            A scalar of float64.

        Raises:
            ValueError: Something is missing.
        """
        _check_given(examples, ["example_labels", "example_weights"])
        l2 = float(self._options["symmetric_l2_regularization"])  # as it was given
        with name_scope("sdca/regularized_loss"):
            weights = convert_to_tensor(examples["example_weights"])
            total = math_ops.reduce_sum(math_ops.cast(weights, dtypes.float64))
            regularization = (self._l1_loss() + self._l2_loss(l2)) / total
            return regularization + self.unregularized_loss(examples)


@set_module("troupe.contrib.linear_optimizer")
class SdcaModel(DualAscentModel):
    """A linear model that is learned by stochastic dual coordinate ascent.

    L2 regularization has a strength of at least 1.

    Args:
        examples: A dict: "sparse_features", a list of SparseFeatureColumn; "dense_features", a list
            of matrices of float32; "example_labels", "example_weights" and "example_ids", vectors
            of float32, float32 and string.
        variables: A dict: "sparse_features_weights" and "dense_features_weights", lists of
            variables; each may be a list of parts, or a PartitionedVariable.
        options: A dict: "loss_type" ("logistic_loss", "squared_loss", "hinge_loss",
            "smooth_hinge_loss" or "poisson_loss"), "symmetric_l1_regularization",
            "symmetric_l2_regularization"; and, where they are given, "num_loss_partitions", how
            many such models learn at once, "num_table_shards", how many tables have the states of
            the examples, and "adaptive", whether examples that have more to learn from are
            likelier.

    Raises:
        ValueError: Something is missing, or an option is wrong.
    """

    _suffix = "_unshrinked/SDCAOptimizer"

    def _check_regularization(self, options: Dict[str, Any]) -> None:
        for name in ("symmetric_l1_regularization", "symmetric_l2_regularization"):
            if options[name] < 0.0:
                raise ValueError(f"{name} should be non-negative. Found ({options[name]:f})")

    @property
    def _l2(self) -> float:
        return max(super()._l2, 1.0)

    def _shrink(self, variables: List[Any]) -> List[Any]:
        shrunk = []
        for each in variables:
            with colocate_with(each):
                shrunk.append(sdca_shrink_l1([each], self._l1, self._l2))
        return shrunk


def _check_given(given: Dict[str, Any], names: List[str]) -> None:
    for name in names:
        if given[name] is None:
            raise ValueError(f"{name} must be specified.")


def _check_lists(given: Dict[str, Any], names: List[str]) -> None:
    _check_given(given, names)
    for name in names:
        if not isinstance(given[name], list):
            raise ValueError(f"{name} must be a list.")
