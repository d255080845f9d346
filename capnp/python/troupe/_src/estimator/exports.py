"""Exports a model as a SavedModel, with variables of a checkpoint."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional

from troupe._src.checkpoints.saver import Saver
from troupe._src.estimator.export_folders import copy_assets, new_export_folder
from troupe._src.estimator.export_outputs import EvalOutput, ExportOutput, TrainOutput
from troupe._src.estimator.input_fns import Inputs
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.meta_graph_messages import SignatureDef
from troupe._src.platform import logging
from troupe._src.saved_model import constants
from troupe._src.saved_model.builder import Builder
from troupe._src.saved_model.signatures import is_valid_signature
from troupe._src.session.session import Session
from troupe._src.types import errors

# The tags of the graphs of modes. A training has all variables, so it comes first: those of the
# first graph are saved.
TAGS = {
    ModeKeys.TRAIN: constants.TRAINING,
    ModeKeys.EVAL: constants.EVAL,
    ModeKeys.PREDICT: constants.SERVING,
}


class Export(NamedTuple):
    """What is exported, and how."""

    receiver_fns: Dict[str, Callable[[], Any]]  # by mode
    checkpoint_path: str
    assets_extra: Optional[Dict[str, Any]]
    as_text: bool
    session_config: Any


def export_model(
    base: Any, export: Export, new_graph: Callable[[], Any], make: Callable[..., EstimatorSpec]
) -> str:
    """Writes a SavedModel into a new folder, which is there once it is complete.

    Args:
        base: The folder of the new one.
        export: What is exported.
        new_graph: Returns a context with a new default graph.
        make: Makes the model of inputs and a mode.

    Returns:
        The new folder.

    Raises:
        ValueError: There is no input for any mode, or the checkpoint lacks a variable.
    """
    unknown = set(export.receiver_fns) - set(TAGS)
    if unknown or not export.receiver_fns:
        raise ValueError(f"No valid modes for exporting found. Got {list(export.receiver_fns)}.")
    with new_export_folder(base) as folder:
        builder = Builder(folder.temporary)
        is_first = True
        for mode in TAGS:
            if mode not in export.receiver_fns:
                continue
            with new_graph():
                receiver = export.receiver_fns[mode]()
                inputs = Inputs(receiver.features, getattr(receiver, "labels", None))
                spec = make(inputs, mode)
                _add_graph(builder, export, mode, spec, receiver, is_first)
            is_first = False
        builder.save(export.as_text)
        copy_assets(folder.temporary, export.assets_extra)
    return folder.final


def _add_graph(
    builder: Builder, export: Export, mode: str, spec: EstimatorSpec, receiver: Any, is_first: bool
) -> None:
    """Adds the default graph to the SavedModel, if it is the first with its variables."""
    signatures = _signatures(mode, spec, receiver)
    if spec.train_op is not None:  # a training may go on from the export
        get_default_graph().add_to_collection(constants.TRAIN_OP_KEY, spec.train_op)
    options: Dict[str, Any] = {
        "signature_def_map": signatures,
        "assets_collection": get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS),
        "main_op": spec.scaffold.with_local_init_op().local_init_op,
        "saver": spec.scaffold.saver or Saver(sharded=True),
    }
    with Session(config=export.session_config) as session:
        try:
            options["saver"].restore(session, export.checkpoint_path)
        except errors.NotFoundError as error:
            raise ValueError(
                "Could not load all requested variables from checkpoint. Please make sure your "
                "model_fn does not expect variables that were not saved in the checkpoint.\n\n"
                f"Encountered error with mode `{mode}` while restoring checkpoint from: "
                f"`{export.checkpoint_path}`.\n\n{error}"
            ) from error
        if is_first:
            builder.add_meta_graph_and_variables(session, [TAGS[mode]], **options)
        else:
            builder.add_meta_graph([TAGS[mode]], **options)


def _signatures(mode: str, spec: EstimatorSpec, receiver: Any) -> Dict[str, SignatureDef]:
    """The signatures of all outputs, for the inputs and for all others that may be fed.

    An output that has none for the inputs is left out: a classification takes examples only.
    """
    if mode == ModeKeys.PREDICT:
        outputs: Dict[str, ExportOutput] = spec.export_outputs or {}
    else:
        kind = TrainOutput if mode == ModeKeys.TRAIN else EvalOutput
        key = (
            constants.DEFAULT_TRAIN_SIGNATURE_DEF_KEY
            if mode == ModeKeys.TRAIN
            else constants.DEFAULT_EVAL_SIGNATURE_DEF_KEY
        )
        outputs = {key: kind(spec.loss, spec.predictions, spec.eval_metric_ops)}
    alternatives = getattr(receiver, "receiver_tensors_alternatives", None) or {}
    found: Dict[str, SignatureDef] = {}
    for name, inputs in {"": receiver.receiver_tensors, **alternatives}.items():
        for key, output in outputs.items():
            full_name = f"{name}:{key}" if name else key
            try:
                signature = output.as_signature_def(inputs)
            except ValueError as error:
                logging.info("Signature %r is not part of the export: %s", full_name, error)
                continue
            if mode != ModeKeys.PREDICT or is_valid_signature(signature):
                found[full_name] = signature
    if not found:
        logging.warning("Export includes no signatures!")
    elif mode == ModeKeys.PREDICT and constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in found:
        logging.warning("Export includes no default signature!")
    else:
        logging.info("Signatures of the export for mode %s: %s", mode, sorted(found))
    return found
