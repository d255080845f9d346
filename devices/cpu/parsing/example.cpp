#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/parsing/context.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

/// What does not depend on keys; ParseExample has those as inputs.
FeatureSpec spec_of_types(const Node& node) {
  return {
      .sparse_types = node.attr<DTypes>("sparse_types"),
      .dense_types = node.attr<DTypes>("Tdense"),
      .dense_shapes = node.attr<Shapes>("dense_shapes")};
}

Status parse_example(Launch& launch, FeatureSpec spec) {
  auto sparse = spec.sparse_types.size(), dense = spec.dense_types.size();
  auto examples = Examples::batch(launch.input(0), launch.input(1));
  if (!examples) return examples.status();
  auto sparse_keys = scalar_keys(launch, 2, sparse, "sparse_keys");
  if (!sparse_keys) return sparse_keys.status();
  auto first_dense = 2 + static_cast<int>(sparse);
  auto dense_keys = scalar_keys(launch, first_dense, dense, "dense_keys");
  if (!dense_keys) return dense_keys.status();
  spec.sparse_keys = *std::move(sparse_keys);
  spec.dense_keys = *std::move(dense_keys);
  auto defaults = inputs_from(launch, first_dense + static_cast<int>(dense), dense);
  return parse_features(
      launch, *examples, spec, defaults, FeatureKind::of_example, FeatureOutputs::from(0, spec));
}

Status parse_single_example(Launch& launch, const FeatureSpec& spec) {
  auto examples = Examples::single(launch.input(0), "");
  if (!examples) return examples.status();
  auto defaults = inputs_from(launch, 1, spec.dense_keys.size());
  return parse_features(
      launch, *examples, spec, defaults, FeatureKind::of_single_example,
      FeatureOutputs::from(0, spec));
}

/// An example has many values; how many is known only once it is read.
Kernel example_kernel(std::function<Status(Launch&)> compute) {
  constexpr int64_t example_ns = 2000;
  return {.compute = std::move(compute), .cost_ns = [](const Launch& launch) {
            return (launch.input(0).elements() + 1) * example_ns;
          }};
}

}  // namespace

void add_example_kernels(KernelCatalog& catalog) {
  catalog.add("ParseExample", [](const Node& node) -> Result<Kernel> {
    auto spec = spec_of_types(node);
    return example_kernel([spec](Launch& launch) { return parse_example(launch, spec); });
  });
  catalog.add("ParseSingleExample", [](const Node& node) -> Result<Kernel> {
    auto spec = spec_of_types(node);
    spec.sparse_keys = node.attr<std::vector<std::string>>("sparse_keys");
    spec.dense_keys = node.attr<std::vector<std::string>>("dense_keys");
    return example_kernel([spec](Launch& launch) { return parse_single_example(launch, spec); });
  });
}

}  // namespace troupe::cpu
