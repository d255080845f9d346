"""Callbacks of trainings that TensorFlow's differ from Keras's in."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Optional, Union

from troupe._src.checkpoints.checkpoint_state import checkpoint_exists, latest_checkpoint
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_callbacks = keras_module("callbacks.callbacks")
_ModelCheckpoint: Any = _callbacks.ModelCheckpoint
_TensorBoard: Any = keras_module("callbacks.tensorboard_v1").TensorBoard


def _latest_file(pattern: str) -> Optional[str]:
    """The file that was written last, of those with names of that pattern; None without any."""
    folder, name = os.path.split(pattern)
    first, _, rest = name.partition("{")
    given = re.escape(first)
    if rest:
        given += ".*" + re.escape(rest.rpartition("}")[2])
    newest = latest_checkpoint(folder or ".")
    if newest is not None and re.fullmatch(given, os.path.basename(newest)):
        return newest
    listed = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
    found = [os.path.join(folder, each) for each in listed if re.fullmatch(given, each)]
    return max(found, key=lambda path: (os.path.getmtime(path), path), default=None)


@set_module("troupe.keras.callbacks")
class ModelCheckpoint(_ModelCheckpoint):  # type: ignore[misc]
    """Saves a model, or its weights, after epochs or after a number of examples.

    Args:
        filepath: The name, in which "{epoch}" and the names of logs are replaced.
        monitor: What `save_best_only` looks at.
        verbose: Prints what is saved if it is 1.
        save_best_only: Saves no model that is worse than the last one.
        save_weights_only: Saves the weights alone; models with a function `call` are saved so.
        mode: "min", "max" or "auto": which of two is better.
        save_freq: "epoch", or a number of examples.
        **kwargs: `period`, a number of epochs; `load_weights_on_restart`, whether a training
            begins with the latest of what is at `filepath`.

    Raises:
        ValueError: `save_freq` is neither.
    """

    def __init__(
        self, filepath: str, monitor: str = "val_loss", verbose: int = 0,
        save_best_only: bool = False, save_weights_only: bool = False, mode: str = "auto",
        save_freq: Union[str, int] = "epoch", **kwargs: Any,
    ) -> None:  # fmt: skip
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}")
        super().__init__(
            filepath, monitor=monitor, verbose=verbose, save_best_only=save_best_only,
            save_weights_only=save_weights_only, mode=mode, period=kwargs.get("period", 1),
        )  # fmt: skip
        self.save_freq = save_freq
        self.load_weights_on_restart = kwargs.get("load_weights_on_restart", False)
        self._seen = self._epoch = 0

    def set_model(self, model: Any) -> None:
        """Sets the model that is trained."""
        super().set_model(model)
        is_sequential = isinstance(model, keras_module("models").Sequential)
        if not model._is_graph_network and not is_sequential:
            self.save_weights_only = True

    def on_train_begin(self, logs: Optional[Dict[str, Any]] = None) -> None:
        """Loads the weights that were saved last, if that was asked for."""
        latest = _latest_file(self.filepath) if self.load_weights_on_restart else None
        if latest is not None and checkpoint_exists(latest):
            self.model.load_weights(latest)

    def on_epoch_begin(self, epoch: int, logs: Optional[Dict[str, Any]] = None) -> None:
        """Notes the epoch."""
        self._epoch = epoch

    def on_batch_end(self, batch: int, logs: Optional[Dict[str, Any]] = None) -> None:
        """Saves after so many examples."""
        if not isinstance(self.save_freq, int):
            return
        self._seen += (logs or {}).get("size", 1)
        if self._seen >= self.save_freq:
            self._seen, self.epochs_since_last_save = 0, self.period
            super().on_epoch_end(self._epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Optional[Dict[str, Any]] = None) -> None:
        """Saves after an epoch."""
        if self.save_freq == "epoch":
            super().on_epoch_end(epoch, logs)


@set_module("troupe.keras.callbacks")
class TensorBoard(_TensorBoard):  # type: ignore[misc]
    """Writes what a training logs as summaries: "epoch_loss" and the like.

    Args:
        log_dir: The folder.
        histogram_freq: How many epochs are from one histogram of the weights to the next; 0: none.
        batch_size: How many examples of the validation are looked at together for these.
        write_graph: Writes the graph, too.
        write_grads: Writes histograms of the gradients, too.
        write_images: Writes the weights as images, too.
        embeddings_freq: How many epochs are from one saving of embeddings to the next; 0: none.
        embeddings_layer_names: The layers whose outputs are saved so.
        embeddings_metadata: Files about them.
        embeddings_data: What they are computed of.
        update_freq: "epoch", "batch", or a number of examples.
        profile_batch: Changes nothing: `tf.profiler` measures steps.
    """

    def __init__(
        self, log_dir: str = "./logs", histogram_freq: int = 0, batch_size: int = 32,
        write_graph: bool = True, write_grads: bool = False, write_images: bool = False,
        embeddings_freq: int = 0, embeddings_layer_names: Any = None,
        embeddings_metadata: Any = None, embeddings_data: Any = None,
        update_freq: Union[str, int] = "epoch", profile_batch: int = 2,
    ) -> None:  # fmt: skip
        super().__init__(
            log_dir, histogram_freq, batch_size, write_graph, write_grads, write_images,
            embeddings_freq, embeddings_layer_names, embeddings_metadata, embeddings_data,
            update_freq,
        )  # fmt: skip
        if profile_batch not in (0, 2):
            logging.warning("TensorBoard: profile_batch=%s is not measured", profile_batch)
        self._batches = self.samples_seen = self.samples_seen_at_last_write = 0

    def _write_logs(self, logs: Dict[str, Any], index: int, prefix: str = "epoch_") -> None:
        left_out = ("batch", "size", "num_steps")
        named = {prefix + key: value for key, value in logs.items() if key not in left_out}
        super()._write_logs(named, index)

    def _write_custom_summaries(self, step: int, logs: Optional[Dict[str, Any]] = None) -> None:
        """Writes scalars by their names, for callbacks of programs that derive from this one."""
        super()._write_logs(logs or {}, step)

    def on_batch_end(self, batch: int, logs: Optional[Dict[str, Any]] = None) -> None:
        """Writes the logs of a batch, after so many examples."""
        logs = logs or {}
        self.samples_seen += logs.get("size", 1)
        since = self.samples_seen - self.samples_seen_at_last_write
        if self.update_freq != "epoch" and since >= self.update_freq:
            self._write_logs(logs, self._batches, "batch_")
            self.samples_seen_at_last_write = self.samples_seen
        self._batches += 1
