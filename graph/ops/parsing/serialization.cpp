#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/sparse/sparse.hpp"

namespace troupe {
namespace {

const DTypes strings_only = {DType::string};

Status infer_serialize_many(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  auto sizes = s.constant_ints(2);
  auto rows = sizes && !sizes->empty() ? sizes->front() : Shape::unknown;
  if (rows < Shape::unknown || rows > Shape::max_elements)
    return invalid_argument("a tensor cannot have " + std::to_string(rows) + " rows");
  s.set(0, {rows, 3});
  return {};
}

Status infer_deserialize(ShapeInference& s) {
  const auto& in = s.input(0);

  if (in.has_rank()) {
    if (in.rank() < 1 || (in[in.rank() - 1] != 3 && in[in.rank() - 1] != Shape::unknown))
      return invalid_argument(
          "serialized sparse tensors must have 3 as their last size, but have shape " +
          in.to_string());
  }
  s.set(0, {Shape::unknown, Shape::unknown});
  s.set(1, {Shape::unknown});
  s.set(2, {Shape::unknown});
  return {};
}

void add_tensor_bytes(OpCatalog& catalog) {
  catalog.add(Op("ParseTensor")
      .doc("The tensor whose serialized TensorProto a scalar holds. Fails unless it has the dtype "
           "`out_type`.")
      .input("serialized", DType::string)
      .output("output", "out_type")
      .attr("out_type", all_dtypes())
      .infer_shape([](ShapeInference& s) { return s.need_rank(0, 0); })
      .gradient(not_differentiable));
  catalog.add(Op("SerializeTensor")
      .doc("A tensor as the bytes of a TensorProto, in a scalar.")
      .input("tensor", "T")
      .output("serialized", DType::string)
      .attr("T", all_dtypes())
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
}

void add_sparse_bytes(OpCatalog& catalog) {
  catalog.add(Op("SerializeSparse")
      .doc("The indices, values and shape of a sparse tensor, each as the bytes of a TensorProto.")
      .input("sparse_indices", DType::int64)
      .input("sparse_values", "T")
      .input("sparse_shape", DType::int64)
      .output("serialized_sparse", "out_type")
      .attr("T", all_dtypes())
      .attr("out_type", strings_only, DType::string)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {3});
        return infer_sparse(s, 0, 1, 2).status();
      })
      .gradient(not_differentiable));
  catalog.add(Op("SerializeManySparse")
      .doc("As SerializeSparse, for each part of a sparse tensor along its first axis.")
      .input("sparse_indices", DType::int64)
      .input("sparse_values", "T")
      .input("sparse_shape", DType::int64)
      .output("serialized_sparse", "out_type")
      .attr("T", all_dtypes())
      .attr("out_type", strings_only, DType::string)
      .infer_shape(infer_serialize_many)
      .gradient(not_differentiable));
  catalog.add(Op("DeserializeSparse")
      .doc("The sparse tensor of what SerializeSparse made: of three strings that tensor itself; "
           "of more, the tensors stacked along the leading axes of the strings, in a shape that "
           "holds each of them.")
      .input("serialized_sparse", "Tserialized")
      .output("sparse_indices", DType::int64)
      .output("sparse_values", "dtype")
      .output("sparse_shape", DType::int64)
      .attr("dtype", all_dtypes())
      .attr("Tserialized", strings_only, DType::string)
      .infer_shape(infer_deserialize)
      .gradient(not_differentiable));
  catalog.add(Op("DeserializeManySparse")
      .doc("As DeserializeSparse, for a matrix of strings.")
      .input("serialized_sparse", DType::string)
      .output("sparse_indices", DType::int64)
      .output("sparse_values", "dtype")
      .output("sparse_shape", DType::int64)
      .attr("dtype", all_dtypes())
      .infer_shape([](ShapeInference& s) {
        if (auto status = s.need_rank(0, 2); !status.ok()) return status;
        return infer_deserialize(s);
      })
      .gradient(not_differentiable));
}

}  // namespace

void add_serialization_ops(OpCatalog& catalog) {
  add_tensor_bytes(catalog);
  add_sparse_bytes(catalog);
}

}  // namespace troupe
