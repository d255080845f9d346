"""The graph of a forest: its trees, their training, and what they predict together."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.framework.model_variables import VariableDeviceChooser
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.selection_ops import gather, where
from troupe._src.platform import logging
from troupe._src.random.random_ops import random_uniform
from troupe._src.tensor_forest.data_spec import (
    ParseDataTensorOrDict,
    ParseLabelTensorOrDict,
    TensorForestDataSpec,
)
from troupe._src.tensor_forest.params import build_params_proto
from troupe._src.tensor_forest.params_messages import TensorForestParams
from troupe._src.tensor_forest.tree_graphs import RandomTreeGraphs
from troupe._src.tensor_forest.variables import fertile_stats_variable, tree_variable
from troupe._src.types import dtypes
from troupe._src.variables.variable_scope import get_variable


class TreeVariables:
    """A tree, and what it learns from.

    Args:
        params: The hyperparameters, which get their message where they have none.
        tree_num: The number of the tree, which is in the names.
        training: Whether it learns.
        tree_config: What it is as the bytes of a decision_trees.Model; none for one leaf.
        tree_stat: What is known of its leaves as the bytes of a FertileStats.
    """

    def __init__(
        self, params: Any, tree_num: int, training: bool, tree_config: Any = "",
        tree_stat: Any = "",
    ) -> None:  # fmt: skip
        if not isinstance(getattr(params, "params_proto", None), TensorForestParams):
            params.params_proto = build_params_proto(params)
        params.serialized_params_proto = params.params_proto.SerializeToString()
        self.stats: Optional[Tensor] = None
        if training:
            name = self.get_tree_name("stats", tree_num)
            self.stats = fertile_stats_variable(params, tree_stat, name)
        name = self.get_tree_name("tree", tree_num)
        self.tree: Tensor = tree_variable(params, tree_config, self.stats, name)

    def get_tree_name(self, name: str, num: int) -> str:
        """The name of a part of a tree.

        Args:
            name: What it is.
            num: The number of the tree.

        Returns:
            The name.
        """
        return f"{name}-{num}"


class ForestVariables:
    """The trees of a forest with what they learn from, which indices give.

    Args:
        params: The hyperparameters.
        device_assigner: A device function, for each tree.
        training: Whether they learn.
        tree_variables_class: Makes the parts of a tree.
        tree_configs: What the trees are, each as bytes.
        tree_stats: What is known of their leaves, each as bytes.
    """

    def __init__(
        self, params: Any, device_assigner: Any, training: bool = True,
        tree_variables_class: Any = TreeVariables, tree_configs: Any = None,
        tree_stats: Any = None,
    ) -> None:  # fmt: skip
        graph = get_default_graph()
        # Variables whose devices are those of the trees.
        self.device_dummies: List[Any] = []
        with graph.device(device_assigner):
            for i in range(params.num_trees):
                self.device_dummies.append(get_variable(name=f"device_dummy_{i}", shape=0))
        self.variables: List[Any] = []
        for i, dummy in enumerate(self.device_dummies):
            given = {}
            if tree_configs is not None:
                given["tree_config"] = tree_configs[i]
            if tree_stats is not None:
                given["tree_stat"] = tree_stats[i]
            with graph.device(dummy.device):
                self.variables.append(tree_variables_class(params, i, training, **given))

    def __setitem__(self, t: int, val: Any) -> None:
        self.variables[t] = val

    def __getitem__(self, t: int) -> Any:
        return self.variables[t]


class RandomForestGraphs:
    """Makes the graph of a forest.

    Args:
        params: The hyperparameters, filled.
        tree_configs: What the trees are, each as the bytes of a decision_trees.Model.
        tree_stats: What is known of their leaves, each as the bytes of a FertileStats.
        device_assigner: A device function, for each tree; None for one that takes parameter servers
            in turn.
        variables: The variables of the trees; None for new ones.
        tree_variables_class: Makes the variables of a tree.
        tree_graphs: Makes the graph of a tree; None for `RandomTreeGraphs`.
        training: Whether the trees learn.
    """

    def __init__(
        self, params: Any, tree_configs: Any = None, tree_stats: Any = None,
        device_assigner: Any = None, variables: Any = None,
        tree_variables_class: Any = TreeVariables, tree_graphs: Any = None, training: bool = True,
    ) -> None:  # fmt: skip
        self.params = params
        self.device_assigner = device_assigner or VariableDeviceChooser()
        logging.info("Constructing forest with params = ")
        logging.info(str(self.params.__dict__))
        self.variables = variables or ForestVariables(
            params, self.device_assigner, training, tree_variables_class, tree_configs, tree_stats
        )
        made = tree_graphs or RandomTreeGraphs
        self.trees: List[Any] = [
            made(self.variables[i], params, i) for i in range(params.num_trees)
        ]

    def _on_device_of(self, tree: int) -> Any:
        return get_default_graph().device(self.variables.device_dummies[tree].device)

    def _bag_features(self, tree_num: int, input_data: Any) -> Tensor:
        columns = array_ops.split(
            value=input_data, num_or_size_splits=self.params.num_features, axis=1
        )
        own = [columns[at] for at in self.params.bagged_features[tree_num]]
        found: Tensor = array_ops.concat(own, 1)
        return found

    def _own_features(
        self, tree: int, dense: Any, sparse: Any, data_spec: TensorForestDataSpec
    ) -> Tuple[Any, TensorForestDataSpec]:
        """The dense features that a tree sees, and their columns."""
        if not self.params.bagged_features:
            return dense, data_spec
        if sparse is not None:
            raise NotImplementedError("Feature bagging not supported with sparse features.")
        chosen = data_spec.chosen(self.params.bagged_features[tree])
        return self._bag_features(tree, dense), chosen

    def get_all_resource_handles(self) -> List[Any]:
        """The handles of all trees, then those of what they learn from."""
        count = range(len(self.trees))
        return [self.variables[i].tree for i in count] + [self.variables[i].stats for i in count]

    def training_graph(
        self, input_data: Any, input_labels: Any, num_trainers: int = 1, trainer_id: int = 0,
        **tree_kwargs: Any,
    ) -> Any:  # fmt: skip
        """Makes the op of a training step.

        Args:
            input_data: The features, [batch, features], a SparseTensor, or such ones by names.
            input_labels: The labels of the examples.
            num_trainers: Among how many trainers the trees are split.
            trainer_id: Which of them this one is.
            **tree_kwargs: More arguments of each tree's `training_graph`.

        Returns:
            The op.

        Raises:
            NotImplementedError: Trees get parts of sparse features.
        """
        dense, sparse, data_spec = ParseDataTensorOrDict(input_data)
        labels = None if input_labels is None else ParseLabelTensorOrDict(input_labels)
        trees_each = self.params.num_trees / num_trainers
        steps = []
        for i in range(int(trainer_id * trees_each), int((trainer_id + 1) * trees_each)):
            with self._on_device_of(i):
                seed = self.params.base_random_seed
                seed = seed + i if seed != 0 else 0
                own, own_labels = self._own_examples(dense, sparse, labels, seed)
                own, spec = self._own_features(i, own, sparse, data_spec)
                step = self.trees[i].training_graph(
                    own, own_labels, seed, data_spec=spec, sparse_features=sparse,
                    **tree_kwargs,
                )  # fmt: skip
                steps.append(step)
        return group(*steps, name="train")

    def _own_examples(self, dense: Any, sparse: Any, labels: Any, seed: int) -> Tuple[Any, Any]:
        """The examples that a tree is trained with, drawn without replacement."""
        fraction = self.params.bagging_fraction
        if not fraction < 1.0:
            return dense, labels
        if sparse is not None:
            raise NotImplementedError("Bagging not supported with sparse features.")
        drawn = random_uniform(array_ops.shape(dense)[:1], seed=seed)
        mask = gen_ops.less(drawn, creation_ops.ones_like(drawn) * fraction)
        own = array_ops.squeeze(where(mask), axis=[1])
        return gather(dense, own), gather(labels, own)

    def inference_graph(
        self, input_data: Any, **inference_args: Any
    ) -> Tuple[Tensor, Tensor, Tensor]:
        """What the forest predicts.

        Args:
            input_data: The features, of the same columns as those of the training.
            **inference_args: More arguments of each tree's `inference_graph`.

        Returns:
            The mean of what the trees predict, [batch, outputs], the ways of the examples through
            each tree, and the variance of what the trees predict.

        Raises:
            NotImplementedError: Trees get parts of sparse features.
        """
        dense, sparse, data_spec = ParseDataTensorOrDict(input_data)
        predictions, paths = [], []
        for i, tree in enumerate(self.trees):
            with self._on_device_of(i):
                own, spec = self._own_features(i, dense, sparse, data_spec)
                predicted, path = tree.inference_graph(
                    own, spec, sparse_features=sparse, **inference_args
                )
                predictions.append(predicted)
                paths.append(path)
        with self._on_device_of(0):
            by_tree = array_ops.stack(predictions, axis=1)
            count = self.params.num_trees
            average = math_ops.div(math_ops.reduce_sum(by_tree, 1), count, name="probabilities")
            tree_paths = array_ops.stack(paths, axis=1)
            squares = math_ops.div(math_ops.reduce_sum(by_tree * by_tree, 1), count)
            variance = gen_ops.maximum(0.0, squares - average * average)
            return average, tree_paths, variance

    def average_size(self) -> Tensor:
        """How many nodes the trees have on average."""
        sizes = []
        for i, tree in enumerate(self.trees):
            with self._on_device_of(i):
                sizes.append(tree.size())
        mean: Tensor = math_ops.reduce_mean(math_ops.cast(array_ops.stack(sizes), dtypes.float32))
        return mean

    def training_loss(self, features: Any, labels: Any, name: str = "training_loss") -> Tensor:
        """What falls while the forest grows: the average size of its trees, negative.

        Args:
            features: Has no effect.
            labels: Has no effect.
            name: The name of the op.

        Returns:
            A scalar.
        """
        loss: Tensor = gen_ops.negative(self.average_size(), name=name)
        return loss

    def validation_loss(self, features: Any, labels: Any) -> Tensor:
        """As `training_loss`.

        Args:
            features: Has no effect.
            labels: Has no effect.

        Returns:
            A scalar.
        """
        loss: Tensor = gen_ops.negative(self.average_size())
        return loss

    def average_impurity(self) -> Tensor:
        """The average of what `average_impurity` of each tree says, which trees of other classes
        than `RandomTreeGraphs` may have."""
        impurities = []
        for i, tree in enumerate(self.trees):
            with self._on_device_of(i):
                impurities.append(tree.average_impurity())
        mean: Tensor = math_ops.reduce_mean(array_ops.stack(impurities))
        return mean

    def feature_importances(self) -> Tensor:
        """The part that each feature has of all splits."""
        counts = array_ops.stack([tree.feature_usage_counts() for tree in self.trees], 0)
        total = math_ops.reduce_sum(counts, 0)
        parts: Tensor = total / math_ops.reduce_sum(total)
        return parts
