// An op of one's own, as a shared library: RowNorms, the length of each row of a matrix.
//
//   troupe-node --ops ./libop_library.so ...        # a node that computes it
//   row_norms = tf.load_op_library("./libop_library.so").row_norms

#include <cmath>

#include "troupe/devices/op_library.hpp"
#include "troupe/graph/build/gradients.hpp"

using namespace troupe;

namespace {

template <class T>
Status row_norms(Launch& launch) {
  const auto& x = launch.input(0);
  if (x.shape().rank() != 2)
    return invalid_argument("RowNorms needs a matrix, not " + x.shape().to_string());
  auto rows = x.shape()[0], columns = x.shape()[1];
  auto norms = launch.allocate(x.dtype(), {rows});
  if (!norms) return norms.status();
  const T* element = x.data<T>();
  for (int64_t row = 0; row < rows; ++row) {
    T sum = 0;
    for (int64_t column = 0; column < columns; ++column, ++element) sum += *element * *element;
    norms->mutable_data<T>()[row] = std::sqrt(sum);
  }
  launch.set(0, *std::move(norms));
  return {};
}

}  // namespace

TROUPE_OP_LIBRARY(ops, kernels) {
  ops.add(Op("RowNorms")
              .doc("The Euclidean norm of each row of a matrix.")
              .input("x", "T")
              .output("norms", "T")
              .attr("T", DTypes{DType::float32, DType::float64})
              .infer_shape([](ShapeInference& s) -> Status {
                if (auto status = s.need_rank(0, 2); !status.ok()) return status;
                s.set(0, {s.input(0).has_rank() ? s.input(0)[0] : Shape::unknown});
                return {};
              })
              .gradient([](Gradient& g) {  // x / norm, of each row
                auto column = g.op("ExpandDims", {g.div(g.dy(), g.out(0)), g.constant(1)});
                g.to_input(0, g.mul(g.in(0), column));
              }));
  kernels.add("RowNorms", [](const Node& node) -> Result<Kernel> {
    if (node.attr<DType>("T") == DType::float32) return Kernel{.compute = row_norms<float>};
    return Kernel{.compute = row_norms<double>};
  });
}
