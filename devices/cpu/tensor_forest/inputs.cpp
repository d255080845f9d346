#include "troupe/devices/cpu/tensor_forest/inputs.hpp"

#include <algorithm>
#include <limits>

#include "troupe/devices/cpu/tensor_forest/messages.hpp"

namespace troupe::cpu {
namespace {

constexpr int64_t most_examples = std::numeric_limits<int32_t>::max();

Status set_sparse(forest::Examples& examples, const Launch& launch, int first) {
  const auto& indices = launch.input(first);
  const auto& values = launch.input(first + 1);
  const auto& shape = launch.input(first + 2);
  if (indices.shape()[1] != 2 || values.shape() != Shape{indices.shape()[0]})
    return invalid_argument(
        "sparse features need two indices for each value, but the indices have the shape " +
        indices.shape().to_string() + ", and the values " + values.shape().to_string());
  if (shape.shape().rank() != 1 || shape.elements() < 1)
    return invalid_argument(
        "the shape of sparse features must be a vector, but has the shape " +
        shape.shape().to_string());
  auto rows = shape.data<int64_t>()[0];
  if (rows < 0 || rows > most_examples)
    return invalid_argument("there cannot be " + std::to_string(rows) + " examples");
  examples.set_sparse(indices.values<int64_t>(), values.values<float>(), rows);
  return {};
}

}  // namespace

Result<std::shared_ptr<const forest::Params>> params_of(const Node& node) {
  auto params = parse_params(node.attr<std::string>("params"));
  if (!params) return invalid_argument("params is no TensorForestParams");
  if (auto status = params->check(); !status.ok()) return status;
  return std::make_shared<const forest::Params>(*std::move(params));
}

Result<std::shared_ptr<const forest::DataSpec>> data_spec_of(const Node& node) {
  auto spec = forest::DataSpec::parse(node.attr<std::string>("input_spec"));
  if (!spec) return spec.status();
  return std::make_shared<const forest::DataSpec>(*std::move(spec));
}

Result<forest::Examples> examples_from(
    const Launch& launch, int first, const forest::DataSpec& spec) {
  forest::Examples examples(spec);
  const auto& dense = launch.input(first);
  if (dense.shape().rank() == 2) {
    auto rows = dense.shape()[0];
    if (rows > most_examples)
      return invalid_argument("there cannot be " + std::to_string(rows) + " examples");
    examples.set_dense(dense.values<float>(), rows, dense.shape()[1]);
  }
  if (launch.input(first + 1).shape().rank() == 2)
    if (auto status = set_sparse(examples, launch, first + 1); !status.ok()) return status;
  return examples;
}

Result<forest::Targets> targets_from(
    const Launch& launch, int labels, const forest::Params& params, int64_t examples) {
  const auto& input = launch.input(labels);
  auto columns = params.is_regression && input.shape().rank() > 1 ? input.shape()[1] : 1;
  return forest::Targets::make(
      input.values<float>(), launch.input(labels + 1).values<float>(),
      std::max<int64_t>(columns, 1), examples);
}

Result<std::span<const int32_t>> leaf_ids_from(const Launch& launch, int input, int64_t examples) {
  auto ids = launch.input(input).values<int32_t>();
  if (static_cast<int64_t>(ids.size()) >= examples)
    return ids.first(static_cast<size_t>(std::max<int64_t>(examples, 0)));
  return invalid_argument(
      "there are " + std::to_string(examples) + " examples, but only " +
      std::to_string(ids.size()) + " leaf_ids");
}

}  // namespace troupe::cpu
