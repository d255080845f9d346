"""An estimator of mixtures of Gaussian distributions: `GMM`."""

from __future__ import annotations

import time
from typing import Any, Iterator, Optional

import numpy as np

from troupe._src.checkpoints.checkpoint_reader import load_variable
from troupe._src.factorization.mixtures import FULL_COVARIANCE, GmmAlgorithm, gmm
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.ops.array_ops import concat, identity
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.types.paths import PathLike
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable import Variable


class _MeansHook(SessionRunHook):
    """Begins a training when the initial means are chosen, which the chief does."""

    SECONDS = 1.0  # after which another worker looks again

    def __init__(self, init_op: Any, is_initialized: Any, is_chief: bool) -> None:
        self._init_op, self._is_initialized = init_op, is_initialized
        self._is_chief = is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        while not session.run(self._is_initialized):
            if self._is_chief:
                session.run(self._init_op)
            else:
                time.sleep(self.SECONDS)


@set_module("troupe.contrib.factorization")
class GMM(Estimator):
    """An estimator of mixtures of Gaussian distributions, whose step takes all examples.

    It is `tf.contrib.factorization.GMM`. Features are the rows of a float32 tensor, or of several,
    which are concatenated by their names. There are no labels.

    Args:
        num_clusters: How many distributions there are.
        model_dir: As of `tf.contrib.learn.Estimator`.
        random_seed: Makes the choice of means repeatable.
        params: What training changes: "w" for weights, "m" for means, "c" for covariances.
        initial_clusters: The means to begin with, [clusters, d], or "random" for random examples.
        covariance_type: "full" or "diag".
        config: As of `tf.contrib.learn.Estimator`.
    """

    SCORES = "scores"
    LOG_LIKELIHOOD = "loss"
    ASSIGNMENTS = "assignments"

    def __init__(
        self,
        num_clusters: int,
        model_dir: Optional[PathLike] = None,
        random_seed: int = 0,
        params: str = "wmc",
        initial_clusters: Any = "random",
        covariance_type: str = FULL_COVARIANCE,
        config: Any = None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            assert labels is None, labels
            rows = features
            if isinstance(features, dict):
                rows = concat([features[key] for key in sorted(features)], 1)
            loss, scores, assignments, train_op, init_op, is_initialized = gmm(
                rows, initial_clusters, num_clusters, random_seed, covariance_type, params
            )
            step = get_global_step()
            assert step is not None  # an estimator's graph has one
            with control_dependencies([train_op, assign_add(step, 1)]):
                step_op = identity(loss)
            total = Variable(0.0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
            return ModelFnOps(
                mode,
                predictions={self.ASSIGNMENTS: assignments[0][0]},
                loss=loss,
                train_op=step_op,
                eval_metric_ops={
                    self.SCORES: scores,
                    self.LOG_LIKELIHOOD: (total.value(), total.assign_add(loss)),
                },
                training_hooks=[_MeansHook(init_op, is_initialized, config.is_chief)],
            )

        super().__init__(model_fn, model_dir, config)

    def predict_assignments(
        self, input_fn: Any = None, batch_size: Optional[int] = None, outputs: Any = None
    ) -> Iterator[Any]:
        """The numbers of the likeliest distributions of examples.

        Args:
            input_fn: Returns the features, and None.
            batch_size: As of `predict`.
            outputs: As of `predict`.

        Yields:
            A number for each example.
        """
        for each in self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs):
            yield each[self.ASSIGNMENTS]

    def score(
        self, input_fn: Any = None, batch_size: Optional[int] = None, steps: Optional[int] = None
    ) -> Any:
        """The logarithm of the sum of the densities at all examples.

        Args:
            input_fn: Returns the features, and None.
            batch_size: As of `evaluate`.
            steps: As of `evaluate`.

        Returns:
            A number.
        """
        found = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return np.log(np.sum(np.exp(found[self.SCORES])))

    def weights(self) -> Any:
        """The trained weights of the distributions, [clusters]."""
        return load_variable(self.model_dir, GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> Any:
        """The trained means, [clusters, d]."""
        return np.squeeze(load_variable(self.model_dir, GmmAlgorithm.CLUSTERS_VARIABLE), 1)

    def covariances(self) -> Any:
        """The trained covariances, [clusters, d, d], or [clusters, d] of type "diag"."""
        return load_variable(self.model_dir, GmmAlgorithm.CLUSTERS_COVS_VARIABLE)
