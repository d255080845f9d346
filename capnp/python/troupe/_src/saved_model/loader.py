"""Loads graphs and the values of their variables."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Optional, Tuple

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.messages.meta_graph_messages import AssetFileDef, MetaGraphDef, SavedModel
from troupe._src.messages.proto_message import DecodeError
from troupe._src.messages.text_parser import ParseError, parse_text
from troupe._src.platform import logging
from troupe._src.saved_model import constants
from troupe._src.saved_model.tensor_infos import scoped_name
from troupe._src.train.meta_graphs import import_with_elements
from troupe._src.checkpoints.saver import Saver
from troupe._src.types import errors
from troupe._src.variables.variable_sets import global_variables


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether a folder has the file of a SavedModel, or its text form.

    Args:
        export_dir: The folder.

    Returns:
        True or false.
    """
    return any(os.path.exists(path) for path in constants.model_files(export_dir))


contains_saved_model = maybe_saved_model_directory


def parse_saved_model(export_dir: Any) -> SavedModel:
    """The message of a SavedModel.

    Args:
        export_dir: Its folder.

    Returns:
        A SavedModel.

    Raises:
        OSError: There is no file of one, or it is damaged.
    """
    pb, pbtxt = constants.model_files(export_dir)
    for path, parse in (
        (pb, SavedModel.FromString), (pbtxt, lambda data: parse_text(data, SavedModel()))
    ):  # fmt: skip
        if not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            data = file.read()
        try:
            return parse(data)
        except (DecodeError, ParseError, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {path}: {error}.") from None
    raise OSError(
        f"SavedModel file does not exist at: {os.fsdecode(export_dir)}/"
        f"{{{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}"
    )


class SavedModelLoader:
    """Loads the graphs of a SavedModel, one by one."""

    def __init__(self, export_dir: Any) -> None:
        """Reads the message; OSError where there is none."""
        self._export_dir = os.fsdecode(export_dir)
        self._saved_model = parse_saved_model(export_dir)

    @property
    def export_dir(self) -> str:
        """The folder."""
        return str(self._export_dir)

    @property
    def variables_path(self) -> str:
        """The name of the checkpoint."""
        return constants.variables_path(self._export_dir)

    @property
    def saved_model(self) -> SavedModel:
        """The message."""
        return self._saved_model

    def get_meta_graph_def_from_tags(self, tags: Iterable[str]) -> MetaGraphDef:
        """The graph with just those tags; RuntimeError where there is none."""
        wanted = {tags} if isinstance(tags, str) else set(tags)
        known = [set(each.meta_info_def.tags) for each in self._saved_model.meta_graphs]
        for graph, its_tags in zip(self._saved_model.meta_graphs, known):
            if its_tags == wanted:
                return graph  # type: ignore[no-any-return]
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found in "
            "SavedModel. To inspect available tag-sets in the SavedModel, please use the SavedModel"
            f" CLI: `saved_model_cli`\navailable_tags: {known}"
        )

    def load_graph(
        self, graph: Graph, tags: Iterable[str], import_scope: Optional[str] = None, **kwargs: Any
    ) -> Tuple[Optional[Saver], Any]:
        """Adds the nodes to a graph.

        Args:
            graph: The graph.
            tags: Those of the graph to load.
            import_scope: The prefix of all names.
            **kwargs: As of tf.train.import_meta_graph.

        Returns:
            The saver of its variables, and the elements that were asked for.
        """
        message = self.get_meta_graph_def_from_tags(tags)
        with graph.as_default():
            return import_with_elements(message, import_scope=import_scope, **kwargs)

    def restore_variables(
        self, sess: Any, saver: Optional[Saver], import_scope: Optional[str] = None
    ) -> None:
        """Gives the variables their values; ValueError where that takes a saver, and it is None."""
        with sess.graph.as_default():
            if saver is None and not global_variables(import_scope):
                logging.info(
                    "The specified SavedModel has no variables; no checkpoints were restored."
                )
            elif isinstance(saver, Saver):
                saver.restore(sess, self.variables_path)
            else:
                raise ValueError(
                    "No tf.train.Saver object was passed to the function "
                    "SavedModelLoader.restore_variables. Since there are variables in the graph, a "
                    "saver is required."
                )

    def run_init_ops(
        self, sess: Any, tags: Iterable[str], import_scope: Optional[str] = None
    ) -> None:
        """Runs what initializes the graph, with the files that it reads where they are now."""
        message = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            init_op = get_init_op(message, import_scope)
            if init_op is not None:
                sess.run(
                    [init_op], get_asset_tensors(self._export_dir, message, import_scope)
                )

    def load(
        self, sess: Any, tags: Iterable[str], import_scope: Optional[str] = None, **kwargs: Any
    ) -> MetaGraphDef:
        """Adds the nodes, restores the variables and initializes the rest.

        Returns:
            The message of the graph.
        """
        saver, _ = self.load_graph(sess.graph, tags, import_scope, **kwargs)
        self.restore_variables(sess, saver, import_scope)
        self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)


def load(
    sess: Any,
    tags: Iterable[str],
    export_dir: Any,
    import_scope: Optional[str] = None,
    **saver_kwargs: Any,
) -> MetaGraphDef:
    """Loads a graph of a SavedModel and the values of its variables.

    Args:
        sess: The session, whose graph gets the nodes.
        tags: Those that the graph was saved with, all of them.
        export_dir: The folder.
        import_scope: The prefix of all names, by default none.
        **saver_kwargs: As of tf.train.import_meta_graph.

    Returns:
        A MetaGraphDef, of which one can look up the signatures.

    Raises:
        OSError: The folder has no SavedModel, or a damaged one.
        RuntimeError: There is no graph with those tags.
    """
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


def get_asset_tensors(
    export_dir: Any, meta_graph_def_to_load: MetaGraphDef, import_scope: Optional[str] = None
) -> Dict[str, str]:
    """The paths of the files that a graph reads, by the names of the tensors that have them."""
    assets = list(meta_graph_def_to_load.asset_file_def)
    collections = meta_graph_def_to_load.collection_def
    if not assets and constants.ASSETS_KEY in collections:
        for packed in collections[constants.ASSETS_KEY].any_list.value:
            asset = AssetFileDef()
            if packed.Unpack(asset):
                assets.append(asset)
    folder = os.path.join(os.fsdecode(export_dir), constants.ASSETS_DIRECTORY)
    return {
        scoped_name(asset.tensor_info.name, import_scope): os.path.join(folder, asset.filename)
        for asset in assets
    }


def get_init_op(meta_graph_def: MetaGraphDef, import_scope: Optional[str] = None) -> Any:
    """The operation that initializes an imported graph; None where it needs none."""
    return (
        _of_signature(meta_graph_def, constants.INIT_OP_SIGNATURE_KEY, import_scope)
        or _of_collection(meta_graph_def, constants.MAIN_OP_KEY, import_scope)
        or _of_collection(meta_graph_def, constants.LEGACY_INIT_OP_KEY, import_scope)
    )


def get_train_op(meta_graph_def: MetaGraphDef, import_scope: Optional[str] = None) -> Any:
    """The operation of a training's step; None where the graph has none."""
    return _of_signature(
        meta_graph_def, constants.TRAIN_OP_SIGNATURE_KEY, import_scope
    ) or _of_collection(meta_graph_def, constants.TRAIN_OP_KEY, import_scope)


def _of_signature(message: MetaGraphDef, key: str, import_scope: Optional[str]) -> Any:
    if key not in message.signature_def:
        return None
    name = scoped_name(message.signature_def[key].outputs[key].name, import_scope)
    try:
        return get_default_graph().as_graph_element(name)
    except (KeyError, ValueError):
        raise errors.NotFoundError(
            None, None, f"The {key} could not be found in the graph: {name}"
        ) from None


def _of_collection(message: MetaGraphDef, key: str, import_scope: Optional[str]) -> Any:
    if key not in message.collection_def:
        return None
    names = list(message.collection_def[key].node_list.value)
    if len(names) != 1:
        raise RuntimeError(f"Expected exactly one SavedModel init op. Found: {names}")
    return get_default_graph().as_graph_element(scoped_name(names[0], import_scope))
