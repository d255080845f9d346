#include <algorithm>
#include <string>
#include <vector>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

const std::vector<std::string> dual_losses = {
    "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss"};

Status infer_dual_ascent(ShapeInference& s) {
  if (const auto& loss = s.attr<std::string>("loss_type"); !std::ranges::count(dual_losses, loss))
    return invalid_argument("'loss_type' must not be '" + loss + "': there is no such loss");
  auto sparse = static_cast<int>(s.attr<int64_t>("num_sparse_features"));
  auto dense = static_cast<int>(s.attr<int64_t>("num_dense_features"));
  s.set(0, {Shape::unknown, 4});
  // The weights are the last inputs but one, the deltas the last outputs.
  auto first_weights = s.input_count() - 1 - sparse - dense;
  for (int i = 0; i < sparse + dense; ++i) s.set(1 + i, s.input(first_weights + i));
  return {};
}

/// `adaptive`: the name of that attribute, which TensorFlow has corrected in the second version.
Op dual_ascent_op(const char* name, const char* adaptive) {
  return Op(name)
      .doc("One pass of stochastic dual coordinate ascent over a batch of examples, for a linear "
           "model with L1 and L2 regularization. Each example in turn, in random order, gets the "
           "dual variable that is best for it alone; with `" + std::string(adaptive) +
           "` those that are farthest from it are likelier. The state of an example is its dual "
           "variable, its primal and its dual loss before the pass, and its weight. Entries of "
           "sparse features must come in the order of their examples: all from the first that "
           "does not are left out. The first sparse features have values, all others stand for 1.")
      .inputs("sparse_example_indices", DType::int64, "num_sparse_features")
      .inputs("sparse_feature_indices", DType::int64, "num_sparse_features")
      .inputs("sparse_feature_values", DType::float32, "num_sparse_features_with_values")
      .inputs("dense_features", DType::float32, "num_dense_features")
      .input("example_weights", DType::float32)
      .input("example_labels", DType::float32)
      .inputs("sparse_indices", DType::int64, "num_sparse_features")
      .inputs("sparse_weights", DType::float32, "num_sparse_features")
      .inputs("dense_weights", DType::float32, "num_dense_features")
      .input("example_state_data", DType::float32)
      .output("out_example_state_data", DType::float32)
      .outputs("out_delta_sparse_weights", DType::float32, "num_sparse_features")
      .outputs("out_delta_dense_weights", DType::float32, "num_dense_features")
      .attr("loss_type", AttrType::string)
      .attr(adaptive, false)
      .attr("num_sparse_features", AttrType::integer)
      .attr_at_least("num_sparse_features", 0)
      .attr("num_sparse_features_with_values", AttrType::integer)
      .attr_at_least("num_sparse_features_with_values", 0)
      .attr("num_dense_features", AttrType::integer)
      .attr_at_least("num_dense_features", 0)
      .attr("l1", AttrType::real)
      .attr("l2", AttrType::real)
      .attr("num_loss_partitions", AttrType::integer)
      .attr_at_least("num_loss_partitions", 1)
      .attr("num_inner_iterations", AttrType::integer)
      .attr_at_least("num_inner_iterations", 1)
      .infer_shape(infer_dual_ascent)
      .gradient(not_differentiable);
}

Status infer_fingerprint(ShapeInference& s) {
  if (auto status = s.need_rank(0, 1); !status.ok()) return status;
  s.set(0, {s.input(0).has_rank() ? s.input(0)[0] : Shape::unknown, 2});
  return {};
}

}  // namespace

void add_sdca_ops(OpCatalog& catalog) {
  catalog.add(dual_ascent_op("SdcaOptimizer", "adaptative"));
  catalog.add(dual_ascent_op("SdcaOptimizerV2", "adaptive"));

  catalog.add(Op("SdcaShrinkL1")
      .doc("Moves all weights towards 0 by l1 / l2, those that are nearer to 0.")
      .ref_inputs("weights", DType::float32, "num_features")
      .attr("num_features", AttrType::integer)
      .attr_at_least("num_features", 0)
      .attr("l1", AttrType::real)
      .attr("l2", AttrType::real)
      .infer_shape(shapes::none())
      .gradient(not_differentiable)
      .stateful());

  catalog.add(Op("SdcaFprint")
      .doc("The lower and the upper half of a fingerprint of 128 bits of each string of a vector. "
           "The lower half is never 0 or 1, which may so stand for no example.")
      .input("input", DType::string)
      .output("output", DType::int64)
      .infer_shape(infer_fingerprint)
      .gradient(not_differentiable));
}

}  // namespace troupe
