#include <algorithm>
#include <array>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/sparse/sparse.hpp"

namespace troupe {
namespace {

const DTypes& set_dtypes() {
  static const DTypes dtypes = {DType::int8,  DType::int16,  DType::int32, DType::int64,
                                DType::uint8, DType::uint16, DType::string};
  return dtypes;
}

Status check_set_rank(int64_t rank) {
  if (rank == Shape::unknown || rank >= 2) return {};
  return invalid_argument(
      "sets lie along the last of at least 2 axes, but the rank is " + std::to_string(rank));
}

/// The rank of the operand that begins at that input, as far as it is known.
Result<int64_t> set_rank(ShapeInference& s, int input, bool is_sparse) {
  if (!is_sparse) {
    auto rank = s.input(input).has_rank() ? s.input(input).rank() : Shape::unknown;
    auto status = check_set_rank(rank);
    return status.ok() ? Result<int64_t>(rank) : status;
  }
  auto form = infer_sparse(s, input, input + 1, input + 2);
  if (!form) return form.status();
  auto status = check_set_rank(form->rank);
  return status.ok() ? Result<int64_t>(form->rank) : status;
}

Op::InferShape infer_set_operation(bool is_sparse1, bool is_sparse2) {
  return [=](ShapeInference& s) -> Status {
    const auto& operation = s.attr<std::string>("set_operation");
    constexpr std::array known = {"a-b", "b-a", "intersection", "union"};
    if (!std::ranges::count(known, operation))
      return invalid_argument(
          "attribute 'set_operation' must be a-b, b-a, intersection or union, but is '" +
          operation + "'");
    auto rank1 = set_rank(s, 0, is_sparse1);
    if (!rank1) return rank1.status();
    auto rank2 = set_rank(s, is_sparse1 ? 3 : 1, is_sparse2);
    if (!rank2) return rank2.status();
    auto rank = Shape{*rank1}.merge({*rank2});
    if (!rank)
      return invalid_argument(
          "the sets must have one rank, but have " + std::to_string(*rank1) + " and " +
          std::to_string(*rank2));
    s.set(0, {Shape::unknown, (*rank)[0]});
    s.set(1, {Shape::unknown});
    s.set(2, {(*rank)[0]});
    return {};
  };
}

Op set_operation(const char* name, bool is_sparse1, bool is_sparse2) {
  Op op(name);
  std::move(op).doc(
      "The union, the intersection, or the difference (\"a-b\", \"b-a\") of the sets along the "
      "last axis of two tensors, of which the other axes agree; as a sparse tensor, each set in "
      "order.");
  auto add = [&](const std::string& set, bool is_sparse) {
    if (!is_sparse) {
      std::move(op).input(set, "T");
      return;
    }
    std::move(op)
        .input(set + "_indices", DType::int64)
        .input(set + "_values", "T")
        .input(set + "_shape", DType::int64);
  };
  add("set1", is_sparse1);
  add("set2", is_sparse2);
  return std::move(op)
      .output("result_indices", DType::int64)
      .output("result_values", "T")
      .output("result_shape", DType::int64)
      .attr("set_operation", AttrType::string)
      .attr("validate_indices", true)
      .attr("T", set_dtypes())
      .infer_shape(infer_set_operation(is_sparse1, is_sparse2))
      .gradient(not_differentiable);
}

Status infer_set_size(ShapeInference& s) {
  auto rank = set_rank(s, 0, true);
  if (!rank) return rank.status();
  auto sizes = s.constant_ints(2);
  if (sizes && !sizes->empty()) {
    auto shape = Shape::make(std::span<const int64_t>(*sizes).first(sizes->size() - 1));
    if (shape) s.set(0, *shape);
    return shape.status();
  }
  if (*rank > 0 && *rank - 1 <= Shape::max_rank)
    s.set(0, Shape::of_rank(static_cast<int>(*rank) - 1));
  return {};
}

}  // namespace

void add_sets_ops(OpCatalog& catalog) {
  catalog.add(set_operation("DenseToDenseSetOperation", false, false));
  catalog.add(set_operation("DenseToSparseSetOperation", false, true));
  catalog.add(set_operation("SparseToSparseSetOperation", true, true));
  catalog.add(Op("SetSize")
      .doc("How many different values each of the sets along the last axis of a sparse tensor has.")
      .input("set_indices", DType::int64)
      .input("set_values", "T")
      .input("set_shape", DType::int64)
      .output("size", DType::int32)
      .attr("validate_indices", true)
      .attr("T", set_dtypes())
      .infer_shape(infer_set_size)
      .gradient(not_differentiable));
}

}  // namespace troupe
