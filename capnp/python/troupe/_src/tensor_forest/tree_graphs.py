"""The graph of one tree: its training, and what it predicts."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import gen_ops
from troupe._src.tensor_forest.data_spec import TensorForestDataSpec


class RandomTreeGraphs:
    """Makes the graph of a tree.

    Args:
        variables: The `TreeVariables` of the tree.
        params: The hyperparameters of the forest.
        tree_num: The number of the tree.
    """

    def __init__(self, variables: Any, params: Any, tree_num: int) -> None:
        self.variables, self.params, self.tree_num = variables, params, tree_num

    def training_graph(
        self, input_data: Any, input_labels: Any, random_seed: int,
        data_spec: TensorForestDataSpec, sparse_features: Any = None, input_weights: Any = None,
    ) -> Any:  # fmt: skip
        """Makes the op of a training step.

        Args:
            input_data: The dense features, [batch, features]; None for none.
            input_labels: The labels of the examples.
            random_seed: The seed of what is drawn; 0 for any.
            data_spec: The columns of the features.
            sparse_features: The sparse features; None for none.
            input_weights: The weights of the examples; None for 1.

        Returns:
            The op.
        """
        params = self.params.serialized_params_proto
        weights = [] if input_weights is None else input_weights
        features = _features(input_data, sparse_features)
        spec = data_spec.SerializeToString()
        tree, stats = self.variables.tree, self.variables.stats
        leaf_ids = gen_ops.traverse_tree_v4(tree, **features, input_spec=spec, params=params)
        update = gen_ops.update_model_v4(tree, leaf_ids, input_labels, weights, params=params)
        finished = gen_ops.process_input_v4(
            tree, stats, **features, input_labels=input_labels, input_weights=weights,
            leaf_ids=leaf_ids, random_seed=random_seed, input_spec=spec, params=params,
        )  # fmt: skip
        with control_dependencies([update]):
            return gen_ops.grow_tree_v4(tree, stats, finished, params=params)

    def inference_graph(
        self, input_data: Any, data_spec: TensorForestDataSpec, sparse_features: Any = None
    ) -> Tuple[Tensor, Tensor]:
        """What the tree predicts.

        Args:
            input_data: The dense features, [batch, features]; None for none.
            data_spec: The columns of the features.
            sparse_features: The sparse features; None for none.

        Returns:
            The probabilities of classes or the numbers of a regression, and the ways of the
            examples through the tree, of which there are none unless the hyperparameters ask for
            them.
        """
        predictions, paths = gen_ops.tree_predictions_v4(
            self.variables.tree,
            **_features(input_data, sparse_features),
            input_spec=data_spec.SerializeToString(),
            params=self.params.serialized_params_proto,
        )
        return predictions, paths

    def size(self) -> Tensor:
        """How many nodes the tree has."""
        found: Tensor = gen_ops.tree_size(self.variables.tree)
        return found

    def feature_usage_counts(self) -> Tensor:
        """How many splits use each feature."""
        counts: Tensor = gen_ops.feature_usage_counts(
            self.variables.tree, params=self.params.serialized_params_proto
        )
        return counts


def _features(dense: Any, sparse: Any) -> Dict[str, Any]:
    """Dense features, and the parts of sparse ones, as the ops take them."""
    return {
        "input_data": [] if dense is None else dense,
        "sparse_input_indices": [] if sparse is None else sparse.indices,
        "sparse_input_values": [] if sparse is None else sparse.values,
        "sparse_input_shape": [] if sparse is None else sparse.dense_shape,
    }
