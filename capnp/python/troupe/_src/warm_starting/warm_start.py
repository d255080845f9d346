"""`tf.train.warm_start`."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set

from troupe._src.checkpoints.checkpoint_reader import load_checkpoint
from troupe._src.checkpoints.object_graph import keys_of_names
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops, creation_ops, gen_ops, selection_ops
from troupe._src.ops.convert import constant
from troupe._src.platform import logging
from troupe._src.variables.variable import Variable
from troupe._src.warm_starting.init_from_checkpoint import restore_at_init
from troupe._src.warm_starting.initial_values import (
    full_shape,
    initialize_with,
    of_part,
    parts_of,
    restored,
)
from troupe._src.warm_starting.vocabulary_changes import VocabInfo


def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Optional[Dict[str, VocabInfo]] = None,
    var_name_to_prev_var_name: Optional[Dict[str, str]] = None,
) -> None:
    """Lets the initializers of variables assign the values of a checkpoint.

    Args:
        ckpt_to_initialize_from: A checkpoint, or a folder with checkpoints.
        vars_to_warm_start: A pattern of the names of trainable variables; a list of patterns of
            the names of any variables, or of variables; None for those with vocabularies only.
        var_name_to_vocab_info: The vocabularies of variables whose words have changed.
        var_name_to_prev_var_name: The names in the checkpoint where they are others.

    Raises:
        ValueError: A name of the dicts belongs to no variable, the checkpoint has not a name, or
            a shape is another one.
    """
    vocabularies = dict(var_name_to_vocab_info or {})
    earlier = dict(var_name_to_prev_var_name or {})
    grouped = _grouped(_chosen(vars_to_warm_start, vocabularies))
    unused = (set(vocabularies) | set(earlier)) - set(grouped)
    if unused:
        raise ValueError(
            "You provided the names of variables that are not warm-started, in "
            f"var_name_to_vocab_info or var_name_to_prev_var_name: {sorted(unused)}"
        )
    reader = load_checkpoint(ckpt_to_initialize_from)
    shapes = reader.get_variable_to_shape_map()
    keys = keys_of_names(reader)
    for name, variables in grouped.items():
        saved = earlier.get(name, keys.get(name, name))
        info = vocabularies.get(name)
        if info is None:
            restore_at_init(variables, reader, saved, shapes)
            continue
        if saved not in shapes:
            raise ValueError(f"Tensor {saved} is not found in {reader._prefix} checkpoint")
        for variable in variables:
            _remap(variable, reader._prefix, saved, info)
    logging.info("Warm-starting %d variables from %s", len(grouped), reader._prefix)


def _chosen(given: Any, vocabularies: Dict[str, VocabInfo]) -> List[Variable]:
    graph = get_default_graph()
    if given is None:
        names = set(vocabularies)
        return [
            variable
            for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if _whole_name(variable) in names
        ]
    if isinstance(given, str):
        logging.info("Warm-starting variables only in TRAINABLE_VARIABLES.")
        return graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, given)
    if not isinstance(given, (list, tuple)):
        raise ValueError(
            "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`."
        )
    found: List[Variable] = []
    for each in given:
        if isinstance(each, str):
            found += graph.get_collection(GraphKeys.GLOBAL_VARIABLES, each)
        else:
            found += parts_of(each)
    return found


def _whole_name(variable: Variable) -> str:
    info = variable._get_save_slice_info()
    return str(info.full_name) if info is not None else str(variable._shared_name)


def _grouped(variables: Sequence[Variable]) -> Dict[str, List[Variable]]:
    """The parts of each variable by its name, each once."""
    groups: Dict[str, List[Variable]] = {}
    seen: Set[int] = set()
    for variable in variables:
        if id(variable) not in seen:
            seen.add(id(variable))
            groups.setdefault(_whole_name(variable), []).append(variable)
    return groups


def _remap(variable: Variable, prefix: str, saved: str, info: VocabInfo) -> None:
    """Rows or columns of words that the checkpoint has, and other ones of new words."""
    shape = full_shape([variable])
    count = info.new_vocab_size + info.num_oov_buckets
    if shape[info.axis] != count:
        raise ValueError(
            f"The variable {variable.name} has {shape[info.axis]} words along axis {info.axis}, "
            f"its vocabulary {count}"
        )

    def value() -> Tensor:
        places = _old_places(info)
        saved_values = restored(prefix, saved, variable)
        old = selection_ops.gather(saved_values, gen_ops.maximum(places, 0), axis=info.axis)
        mask_shape = [1] * len(shape)
        mask_shape[info.axis] = count
        is_old = array_ops.reshape(places >= 0, mask_shape)
        found = selection_ops.where_v2(is_old, old, _backup(variable, shape, info))
        return of_part(variable, found)

    initialize_with(variable, value)


def _old_places(info: VocabInfo) -> Tensor:
    """The place of each new word in the old vocabulary; -1 of those that are not there."""
    places, _ = gen_ops.generate_vocab_remapping(
        info.new_vocab, info.old_vocab, new_vocab_offset=0, num_new_vocab=info.new_vocab_size,
        old_vocab_size=info.old_vocab_size,
    )  # fmt: skip
    others = constant([-1] * info.num_oov_buckets, places.dtype)
    return array_ops.concat([places, others], 0)


def _backup(variable: Variable, shape: List[int], info: VocabInfo) -> Tensor:
    dtype = variable.dtype.base_dtype
    if info.backup_initializer is None:
        return creation_ops.zeros(shape, dtype)
    value: Tensor = info.backup_initializer(shape, dtype=dtype)
    return value
