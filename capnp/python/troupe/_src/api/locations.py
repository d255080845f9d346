"""Modules that programs import by their place in TensorFlow's source, and what each one offers.

A module of the tables in `source_locations` has the names of the public modules that its entry
lists, "" being the package itself. It is made when a program imports it, by the finder that
`serve_locations` adds.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.api.keras_modules import serve_modules
from troupe._src.source_locations.contrib_locations import CONTRIB_OWNERS
from troupe._src.source_locations.further_locations import FURTHER_OWNERS, FURTHER_RENAMED
from troupe._src.source_locations.renamed import RENAMED

_PACKAGE = __name__.split(".")[0]
_OPS = "_src.api.source_ops"  # the functions of all ops
_REFERENCE_OPS = "_src.api.reference_ops"
_RAGGED = "_src.ragged_functions.source_names ragged "
_UTIL = "_src.api.source_utilities"

# The public modules whose names a module has, by the folder of TensorFlow's source.
_OWNERS: Dict[str, Dict[str, str]] = {
    "core.example": {"example_pb2 feature_pb2": "train"},
    "core.framework": {
        "graph_pb2 node_def_pb2 step_stats_pb2 summary_pb2 types_pb2 tensor_pb2 attr_value_pb2": "",
        "tensor_shape_pb2 variable_pb2 versions_pb2": "",
    },
    "core.profiler": {"tfprof_log_pb2": ""},
    "core.protobuf": {
        "config_pb2 rewriter_config_pb2": "",
        "meta_graph_pb2": " _src.messages.meta_graph_messages",
        "cluster_pb2 saver_pb2": "train",
        "tensorflow_server_pb2 queue_runner_pb2": "train",
    },
    "core.util": {"event_pb2": ""},
    # Libraries import AutoGraph's parts, which do not exist, though most programs use none.
    "python.autograph.converters": {"break_statements continue_statements return_statements": ""},
    "python.autograph.core": {"converter naming": ""},
    "python.autograph.pyct": {
        "anno compiler inspect_utils parser qual_names templates transformer": "",
    },
    "python.autograph.pyct.common_transformers": {"anf": ""},
    "python.client": {"session": "", "timeline": "_src.messages.timeline", "device_lib": ""},
    "python.compiler.xla": {"jit xla": "_src.functions.xla"},
    "python.data.ops": {
        "dataset_ops iterator_ops readers": "data",
        "multi_device_iterator_ops": "_src.data_files.multi_device",
    },
    "python.data.util": {"nest": "_src.data.nest"},
    "python.eager": {"context": ""},
    "python.estimator": {
        "estimator exporter model_fn run_config training warm_starting_util": "estimator",
    },
    "python.estimator.export": {"export export_output": "estimator.export"},
    "python.estimator.inputs": {"inputs numpy_io pandas_io": "estimator.inputs"},
    "python.feature_column": {
        "feature_column feature_column_lib feature_column_v2": (
            "feature_column _src.feature_columns.protocols"
        ),
    },
    "python.framework": {
        "dtypes": " _src.types.dtypes",
        "ops constant_op tensor_shape tensor_util random_seed sparse_tensor function": "",
        "device device_spec": " _src.graph.device_spec",
        "importer graph_io meta_graph versions graph_util_impl": " train graph_util",
        "errors errors_impl": "errors",
        "graph_util": "graph_util",
        "smart_cond": "_src.control_flow.smart_cond",
        "test_util": "_src.testing.test_util test",
        "load_library common_shapes": "",
        "composite_tensor": "_src.types.composite_tensor",
        "type_spec": "_src.types.type_spec",
        "indexed_slices": "",
        "graph_to_function_def": "",
        "tensor_spec": "",
    },
    "python.keras": {
        "backend": "_src.keras.backend keras.backend",
        "optimizers": "keras.optimizers",
        "utils": "keras.utils",
    },
    "python.keras.mixed_precision.experimental": {
        "loss_scale_optimizer": "keras.mixed_precision.experimental",
        "policy": "_src.mixed_precision.policy",
        "autocast_variable": "_src.mixed_precision.auto_cast_variable",
    },
    "python.keras.optimizer_v2": {
        "adadelta adagrad adam adamax ftrl gradient_descent nadam rmsprop": "keras.optimizers",
        "learning_rate_schedule": "keras.optimizers.schedules keras.experimental",
        "optimizer_v2": "keras.optimizers",
    },
    "python.keras.utils": {"tf_utils": "_src.keras.reachable"},
    "python": {"keras": "keras", "debug": "debug", "tf2": "_src.libraries.tf2"},
    "python.debug.lib": {"debug_data": "debug"},
    "python.debug.wrappers": {"dumping_wrapper framework hooks local_cli_wrapper": "debug"},
    "python.distribute": {
        "all_reduce": "contrib.all_reduce",
        "summary_op_util": "",
    },
    "python.layers": {
        "base convolutional core layers normalization pooling": "layers",
        "utils": "_src.layers.utils",
    },
    "python.lib.io": {
        "file_io": "_src.platform.file_io gfile",
        "python_io tf_record": "python_io io",
    },
    "python.ops": {
        "array_ops check_ops clip_ops confusion_matrix control_flow_ops custom_gradient": " math",
        "collective_ops control_flow_util critical_section_ops summary_op_util": "",
        "nccl_ops": "_src.collectives.nccl_ops",
        "cond_v2 while_v2": "",
        "resources": "_src.data_flow.resources",
        "inplace_ops": "_src.api.inplace_ops",
        "data_flow_ops functional_ops gradients gradients_impl gradient_checker": " test",
        "gradients_util gradient_checker_v2 spectral_ops_test_util unconnected_gradients": "",
        "op_selector": "_src.graph.walks",
        "histogram_ops init_ops linalg_ops linalg_impl map_fn": " io linalg",
        "io_ops": f" io {_OPS}",
        "lookup_ops": "contrib.lookup lookup lookup.experimental ",
        "logging_ops special_math_ops math_ops numerics parsing_ops": " math io summary",
        "partitioned_variables random_ops resource_variable_ops script_ops session_ops": " random",
        "sparse_ops standard_ops state_ops string_ops template": " strings sparse",
        "tensor_array_ops variable_scope variables sets_impl bitwise_ops": " sets bitwise",
        "candidate_sampling_ops ctc_ops embedding_ops nn nn_impl nn_ops": "nn ",
        "rnn rnn_cell rnn_cell_impl": "nn nn.rnn_cell ",
        "image_ops image_ops_impl": "image",
        "metrics metrics_impl": "metrics",
        "gen_array_ops gen_audio_ops gen_candidate_sampling_ops": _OPS,
        "gen_bitwise_ops": f"bitwise {_OPS}",
        "gen_control_flow_ops gen_ctc_ops gen_data_flow_ops gen_dataset_ops gen_image_ops": _OPS,
        "gen_io_ops gen_linalg_ops gen_logging_ops gen_lookup_ops gen_math_ops gen_nn_ops": _OPS,
        "gen_parsing_ops gen_random_ops gen_resource_variable_ops gen_sparse_ops": _OPS,
        "gen_rnn_ops gen_spectral_ops gen_string_ops gen_stateless_random_ops": _OPS,
        "gen_sdca_ops sdca_ops": f"train {_OPS}",
        "gen_state_ops": _REFERENCE_OPS,
        "summary_ops": "summary",
    },
    "python.ops.distributions": {
        "bernoulli beta categorical dirichlet dirichlet_multinomial distribution": "distributions",
        "distributions exponential gamma kullback_leibler laplace multinomial": "distributions",
        "normal student_t uniform": "distributions",
    },
    "python.ops.linalg": {
        "linalg linalg_impl linear_operator linear_operator_adjoint": "linalg",
        "linear_operator_composition linear_operator_diag linear_operator_full_matrix": "linalg",
        "linear_operator_identity linear_operator_inversion": "linalg",
        "linear_operator_low_rank_update linear_operator_lower_triangular": "linalg",
        "linear_operator_block_diag linear_operator_circulant": "linalg",
        "linear_operator_householder linear_operator_kronecker linear_operator_toeplitz": "linalg",
        "linear_operator_util linear_operator_zeros": "linalg",
        "linear_operator_addition": "contrib.linalg _src.linalg.operator_addition",
        "linear_operator_algebra": "_src.linalg.operator_algebra",
    },
    "python.ops.losses": {"losses losses_impl util": "losses"},
    "python.ops.ragged": {
        "ragged_array_ops ragged_batch_gather_ops ragged_concat_ops": _RAGGED,
        "ragged_conversion_ops ragged_dispatch ragged_factory_ops ragged_functional_ops": _RAGGED,
        "ragged_gather_ops ragged_map_ops ragged_math_ops ragged_operators": _RAGGED,
        "ragged_squeeze_op ragged_tensor ragged_tensor_shape": _RAGGED,
        "ragged_batch_gather_with_default_op": _RAGGED,
        "ragged_string_ops": "_src.ragged_functions.splitting strings ",
        "ragged_tensor_value ragged_util ragged_where_op segment_id_ops": _RAGGED,
    },
    "python.ops.signal": {
        "dct_ops fft_ops mel_ops mfcc_ops reconstruction_ops shape_ops": "signal",
        "signal spectral_ops window_ops": "signal",
    },
    "python.platform": {
        "app": "app",
        "flags": "flags",
        "gfile": "gfile",
        "benchmark googletest test": "test",
        "tf_logging": "logging",
    },
    "python.profiler": {
        "model_analyzer": "_src.profiler.model_analyzer profiler",
        "option_builder": "profiler",
    },
    "python.saved_model": {
        "builder builder_impl": "saved_model.builder",
        "loader loader_impl": "_src.saved_model.loader",
        "signature_def_utils signature_def_utils_impl": "_src.saved_model.signatures",
        "saved_model simple_save": "saved_model",
        "utils utils_impl": "saved_model.utils",
        "constants": "_src.saved_model.constants",
        "main_op main_op_impl": "saved_model.main_op",
        "signature_constants": "saved_model.signature_constants",
        "tag_constants": "saved_model.tag_constants",
    },
    "python.summary": {
        "summary summary_iterator text_summary": "summary train",
        "writer.writer": "summary",
    },
    "python.summary.writer": {"writer writer_cache": "summary"},
    "python.training": {
        "adadelta adagrad adagrad_da adam basic_loops basic_session_run_hooks": "train",
        "checkpoint_management checkpoint_state_pb2 checkpoint_utils": "train",
        "coordinator device_setter ftrl": "train",
        "gradient_descent input learning_rate_decay momentum": "train",
        "monitored_session": "train _src.train.hooks.hooked_session",
        "moving_averages optimizer proximal_adagrad proximal_gradient_descent": "train",
        "queue_runner queue_runner_impl rmsprop saver server_lib session_manager": "train",
        "session_run_hook slot_creator summary_io supervisor sync_replicas_optimizer": "train",
        "training training_util": "train",
        "training_ops gen_training_ops": f"{_REFERENCE_OPS} train",
    },
    "python.training.experimental": {
        "loss_scale": "_src.mixed_precision.loss_scale",
        "loss_scale_optimizer mixed_precision": "train.experimental",
    },
    "python.training.saving": {"saveable_object": "train"},
    "python.tools": {
        "freeze_graph": "_src.saved_model.freeze_graph",
        "inspect_checkpoint": "_src.checkpoints.inspect_checkpoint",
        "strip_unused_lib": "_src.saved_model.strip_unused",
    },
    "python.util": {
        "compat": "compat",
        "nest": "contrib.framework.nest",
        "all_util deprecation function_utils tf_contextlib tf_decorator": _UTIL,
        "tf_export tf_inspect": _UTIL,
        "lazy_loader": "",
    },
    "": {"python.pywrap_tensorflow": "train"},
}

def _owners() -> Dict[str, Tuple[str, ...]]:
    """{module: the public modules whose names it has}, with a row for each folder."""
    found: Dict[str, Tuple[str, ...]] = {}
    for folder, modules in (
        *_OWNERS.items(), *CONTRIB_OWNERS.items(), *FURTHER_OWNERS.items(),
    ):  # fmt: skip
        parts = folder.split(".") if folder else []
        for count in range(1, len(parts) + 1):
            found.setdefault(".".join(parts[:count]), ())
        for names, owners in modules.items():
            for name in names.split():
                found[f"{folder}.{name}".lstrip(".")] = tuple(owners.split(" "))
    return found


OWNERS = _owners()


def _renamed(place: str) -> Dict[str, str]:
    """{name in that module: the public name}, of those that are public under other names only."""
    return {**RENAMED.get(place, {}), **FURTHER_RENAMED.get(place, {})}


class Location(types.ModuleType):
    """A module of the table."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name, f"Public names, where TensorFlow's source has them: {place}.")
        self.__dict__["_place"] = place

    def __getattr__(self, name: str) -> Any:
        place = self.__dict__["_place"]
        if name == "__all__":
            return _names_to_import(place)
        if name.startswith("__"):
            raise AttributeError(name)
        renamed = _renamed(place).get(name)
        if renamed is not None:
            value = public_name(renamed)
        elif f"{place}.{name}" in OWNERS:
            return importlib.import_module(f"{self.__name__}.{name}")
        else:
            value = _find(place, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> List[str]:
        """Its modules, and the names of the public modules that it stands for."""
        place = self.__dict__["_place"]
        found = {*_renamed(place), *(name for name in vars(self) if name != "_place")}
        for owner in OWNERS.get(place, ()):
            found.update(getattr(_module(owner), "__all__", ()))
        inner = f"{place}."
        found.update(each[len(inner) :] for each in OWNERS if each.startswith(inner))
        return sorted(name for name in found if "." not in name)


def _names_to_import(place: str) -> List[str]:
    """What `from MODULE import *` gives: not all that the package has, which hides builtins."""
    found = set(_renamed(place))
    for owner in filter(None, OWNERS.get(place, ())):
        found.update(getattr(_module(owner), "__all__", ()))
    return sorted(name for name in found if not name.startswith("_") and name not in dir(builtins))


def public_name(path: str) -> Any:
    """The value at "module.name" of the package."""
    module, _, name = path.rpartition(".")
    return getattr(_module(module), name)


def _module(path: str) -> Any:
    """A public module, or what a public module has under that path."""
    try:
        return importlib.import_module(f"{_PACKAGE}.{path}".rstrip("."))
    except ImportError:
        outer, _, name = path.rpartition(".")
        return getattr(importlib.import_module(f"{_PACKAGE}.{outer}".rstrip(".")), name)


def _find(place: str, name: str) -> Any:
    reasons = []
    for owner in OWNERS[place]:
        try:
            return getattr(_module(owner), name)
        except AttributeError as error:
            reasons.append(str(error))
    reasons.sort(key=lambda reason: f"'{name}'" not in reason)  # owners may be missing themselves
    reason = reasons[0] if reasons else "it is a folder"
    raise AttributeError(f"module 'tensorflow.{place}' has no '{name}': {reason}")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes the modules of the table; for others it says why there are none."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        package, _, place = name.partition(".")
        if package != _PACKAGE or not _is_location(place):
            return None
        if place in OWNERS:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        outer, _, last = place.rpartition(".")
        if outer in OWNERS:
            if hasattr(importlib.import_module(f"{_PACKAGE}.{outer}"), last):
                return None
            reason = _reason(outer, last)
            text = f"{_PACKAGE} has no tensorflow.{place}: {reason}"
            raise ImportError(text, name=name)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return Location(spec.name, spec.name.partition(".")[2])

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing: names are looked up when they are used."""


def _is_location(place: str) -> bool:
    """Whether it is in a folder of TensorFlow's source that has no public names of its own."""
    parts = place.split(".")
    if parts[0] in ("core", "python") or place in OWNERS:
        return True
    return parts[0] == "contrib" and parts[2:3] == ["python"]


def _reason(place: str, name: str) -> str:
    try:
        _find(place, name)
    except AttributeError as error:
        return str(error)
    return ""


def install_finder() -> None:
    """Lets programs import the modules of the table."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
        serve_modules(f"{_PACKAGE}.python.keras", OWNERS)


def serve_locations(place: str) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The `__getattr__` and the `__dir__` of the module at the top of a folder; adds the finder."""
    install_finder()
    location = Location(f"{_PACKAGE}.{place}", place)
    return location.__getattr__, location.__dir__
