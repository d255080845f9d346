"""The signatures of public functions are those of TensorFlow: names, order and defaults."""

import json
import pathlib
import unittest

from record_signatures import MODULES, format_signature

import troupe as tf

RECORDED = json.loads(pathlib.Path(__file__).with_name("signatures.json").read_text())

# Names whose signature differs from the recorded one: the signature here, and the reason.
OLDER = "TensorFlow 2 has changed it since 1.15"
FLOAT = "the default of a float is one"
CREATED = "programs do not create it by its class"
DIFFERENT = {
    "OptionalSpec": ("value_structure", OLDER),
    "RaggedTensor": (
        "values, row_splits, cached_row_lengths=None, cached_value_rowids=None, cached_nrows=None, "
        "internal=False", OLDER,
    ),
    "RaggedTensorSpec": (
        RECORDED["RaggedTensorSpec"].replace(", flat_values_spec=None", ""), OLDER,
    ),
    "all_variables": ("scope=None", "it is global_variables"),
    "batch_to_space": (
        "input, crops, block_size=None, name=None, block_shape=None", "either name is enough",
    ),
    **{
        name: (RECORDED[name].replace(", align='RIGHT_LEFT'", ""), OLDER)
        for name in ("matrix_diag", "matrix_diag_part", "matrix_set_diag")
    },
    **{
        f"{prefix}fake_quant_with_min_max_args{kind}": (
            RECORDED[f"fake_quant_with_min_max_args{kind}"].replace("=-6, max=6", "=-6.0, max=6.0"),
            FLOAT,
        )
        for prefix in ("", "quantization.")
        for kind in ("", "_gradient")
    },
    "fill": ("dims, value, name=None", OLDER),
    "function": (
        "func=None, input_signature=None, autograph=True, experimental_autograph_options=None, "
        "experimental_relax_shapes=False, experimental_compile=None", OLDER,
    ),
    "gather_nd": ("params, indices, name=None, batch_dims=0", OLDER),
    "group": ("*inputs, name='group_deps'", "its only keyword is named"),
    "image.decode_and_crop_jpeg": (
        RECORDED["image.decode_and_crop_jpeg"].replace("fraction=1,", "fraction=1.0,"), FLOAT,
    ),
    "image.decode_jpeg": (
        RECORDED["image.decode_jpeg"].replace("fraction=1,", "fraction=1.0,"), FLOAT,
    ),
    "image.non_max_suppression_padded": (
        "boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=-inf, "
        "pad_to_max_output_size=False, name=None", OLDER,
    ),
    "image.ssim": (
        "img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03", OLDER,
    ),
    "layers.Flatten": ("data_format=None, **kwargs", OLDER),
    "layers.InputSpec": (
        "dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None", OLDER,
    ),
    "lin_space": ("start, stop, num, name=None", OLDER),
    "linspace": ("start, stop, num, name=None", OLDER),
    "map_fn": (RECORDED["map_fn"].removesuffix(", fn_output_signature=None"), OLDER),
    "matmul": (
        "a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, "
        "a_is_sparse=False, b_is_sparse=False, name=None", OLDER,
    ),
    "train.MonitoredTrainingSession": (
        RECORDED["train.MonitoredTrainingSession"].replace(", save_graph_def=True", ""), OLDER,
    ),
    "nn.ctc_greedy_decoder": ("inputs, sequence_length, merge_repeated=True", OLDER),
    "nn.fused_batch_norm": (
        "x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format='NHWC', "
        "is_training=True, name=None", OLDER,
    ),
    "nn.sigmoid_cross_entropy_with_logits": (
        "_sentinel=None, labels=None, logits=None, name=None", OLDER,
    ),
    "nn.softmax_cross_entropy_with_logits": (
        "_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None", OLDER,
    ),
    "nn.sparse_softmax_cross_entropy_with_logits": (
        "_sentinel=None, labels=None, logits=None, name=None", OLDER,
    ),
    "math.top_k": ("input, k=1, sorted=True, name=None", OLDER),
    "nn.top_k": ("input, k=1, sorted=True, name=None", OLDER),
    "random.stateless_normal": (
        "shape, seed, mean=0.0, stddev=1.0, dtype=tf.float32, name=None", OLDER,
    ),
    "random.stateless_truncated_normal": (
        "shape, seed, mean=0.0, stddev=1.0, dtype=tf.float32, name=None", OLDER,
    ),
    "random.stateless_uniform": (
        "shape, seed, minval=0, maxval=None, dtype=tf.float32, name=None", OLDER,
    ),
    "nn.swish": ("features", OLDER),
    "nondifferentiable_batch_function": (
        RECORDED["nondifferentiable_batch_function"].replace(
            ", enable_large_batch_splitting=True", ""
        ), OLDER,
    ),
    "scatter_nd": ("indices, updates, shape, name=None", OLDER),
    **{
        f"tensor_scatter_{kind}": ("tensor, indices, updates, name=None", OLDER)
        for kind in ("add", "nd_add", "nd_sub", "sub")
    },
    "ones": ("shape, dtype=tf.float32, name=None", OLDER),
    "quantization.quantize_and_dequantize": (
        RECORDED["quantization.quantize_and_dequantize"].removesuffix(", axis=None"), OLDER,
    ),
    "shape": ("input, name=None, out_type=tf.int32", OLDER),
    "size": ("input, name=None, out_type=tf.int32", OLDER),
    **{
        f"{prefix}segment_{name}": (
            "data, indices, segment_ids, name=None, num_segments=None", OLDER,
        )
        for prefix in ("sparse_", "sparse.")
        for name in ("mean", "sqrt_n", "sum")
    },
    **{
        name: (RECORDED[name].replace(", allow_fast_lookup=False", ""), OLDER)
        for name in ("nn.embedding_lookup_sparse", "nn.safe_embedding_lookup_sparse")
    },
    "sparse.cross": ("inputs, name=None", OLDER),
    "vectorized_map": ("fn, elems", OLDER),
    "zeros": ("shape, dtype=tf.float32, name=None", OLDER),
}  # fmt: skip

# Enumerations that this package does not have are None by default.
WITHOUT_ENUMERATIONS = ("get_local_variable", "get_variable")

NOT_COMPARED = {
    "DType": CREATED,
    "OpError": CREATED,
    "Tensor": CREATED,
    "Variable": "arguments after the name are keywords",
    "VariableScope": CREATED,
    "dtypes.DType": CREATED,
}

# Public names that are not TensorFlow's, or whose recorded signature says nothing.
OWN = {
    "AttrValue", "ConfigProto", "Event", "GPUOptions", "GraphDef", "GraphOptions", "HistogramProto",
    "IndexedSlicesValue", "LogMessage", "MetaGraphDef", "NameAttrList", "NodeDef", "Operation",
    "RPCOptions",
    "SessionLog", "Summary", "SummaryMetadata", "TensorInfo", "TensorProto", "TensorShapeProto",
    "OptimizerOptions", "RunMetadata", "RunOptions", "math.cast", "math.div", "math.matmul",
    "math.range", "math.to_float", "math.to_int32", "math.to_int64", "nn.fractional_avg_pool_v2",
    "nn.fractional_max_pool_v2", "queue.ClusterRunner",
    "queue.list_runners", "queue.pause_runner", "queue.resume_runner", "queue.stop_runner",
}  # fmt: skip


def public_functions():
    """("module.name", function or class) for all public names that are callable.

    Classes of `train` have TensorFlow's arguments and some of their own.
    """
    for module in MODULES:
        owner = getattr(tf, module) if module else tf
        for name in owner.__all__:
            value = getattr(owner, name)
            if callable(value) and not (module == "train" and isinstance(value, type)):
                yield f"{module}.{name}".lstrip("."), value


def functions_of_ops():
    """("name", function) for recorded names of `tf` that only the catalog of ops has."""
    for name in RECORDED.keys() - set(tf.__all__):
        if "." not in name and hasattr(tf, name):
            yield name, getattr(tf, name)


class SignaturesTest(unittest.TestCase):
    own_of_train = {"train.run", "train.stop_server", "train.remove_checkpoint"}

    def test_signatures_are_those_of_tensorflow(self):
        for name, function in (*public_functions(), *functions_of_ops()):
            if name in OWN | NOT_COMPARED.keys() | self.own_of_train:
                continue
            with self.subTest(name):
                expected = DIFFERENT[name][0] if name in DIFFERENT else RECORDED[name]
                if name in WITHOUT_ENUMERATIONS:
                    for kind in ("Synchronization", "Aggregation"):
                        expected = expected.replace(f"<Variable{kind}>", "None")
                self.assertEqual(format_signature(function), expected)

    def test_the_lists_of_differences_name_what_exists_and_differs(self):
        public = {name for name, _ in (*public_functions(), *functions_of_ops())}
        self.assertLessEqual(OWN | DIFFERENT.keys() | NOT_COMPARED.keys(), public)
        for name, (signature, _) in DIFFERENT.items():
            self.assertNotEqual(signature, RECORDED[name], name)
        self.assertFalse(OWN & RECORDED.keys())

    def test_functions_of_modules_are_those_of_the_package(self):
        for module in ("math", "bitwise", "dtypes", "io", "debugging"):
            owner = getattr(tf, module)
            for name in owner.__all__:
                if name in tf.__all__ and name != "gfile":
                    self.assertIs(getattr(owner, name), getattr(tf, name), f"{module}.{name}")


if __name__ == "__main__":
    unittest.main()
