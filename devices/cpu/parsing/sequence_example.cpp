#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/parsing/feature_lists.hpp"

namespace troupe::cpu {
namespace {

/// What an op asks for of contexts and lists.
struct SequenceSpec {
  FeatureSpec context, lists;
  std::set<std::string> may_be_missing;
};

/// What does not depend on keys; ParseSingleSequenceExample has those as inputs.
SequenceSpec sequence_spec_of_types(const Node& node) {
  FeatureSpec context = {
      .sparse_types = node.attr<DTypes>("context_sparse_types"),
      .dense_types = node.attr<DTypes>("Tcontext_dense"),
      .dense_shapes = node.attr<Shapes>("context_dense_shapes")};
  FeatureSpec lists = {
      .sparse_types = node.attr<DTypes>("feature_list_sparse_types"),
      .dense_types = node.attr<DTypes>("feature_list_dense_types"),
      .dense_shapes = node.attr<Shapes>("feature_list_dense_shapes")};
  return {context, lists, {}};
}

Status parse_sequences(
    Launch& launch, const Examples& examples, const SequenceSpec& spec,
    std::span<const Tensor> defaults) {
  auto contexts = FeatureOutputs::from(0, spec.context);
  auto status =
      parse_features(launch, examples, spec.context, defaults, FeatureKind::of_context, contexts);
  if (!status.ok()) return status;
  auto lists = FeatureOutputs::from(contexts.end(spec.context), spec.lists);
  auto lengths = examples.is_single() ? -1 : lists.end(spec.lists);
  return parse_feature_lists(launch, examples, spec.lists, spec.may_be_missing, {lists, lengths});
}

Status parse_sequence_example(Launch& launch, const SequenceSpec& spec) {
  auto examples = Examples::batch(launch.input(0), launch.input(1));
  if (!examples) return examples.status();
  auto defaults = inputs_from(launch, 2, spec.context.dense_keys.size());
  return parse_sequences(launch, *examples, spec, defaults);
}

/// Takes the keys of the inputs, one list of features after the other.
class KeyInputs {
 public:
  KeyInputs(const Launch& launch, int first) : launch_(launch), next_(first) {}

  void take(size_t count, const char* what, std::vector<std::string>& keys) {
    auto given = scalar_keys(launch_, next_, count, what);
    next_ += static_cast<int>(count);
    if (given) keys = *std::move(given);
    else if (status_.ok()) status_ = given.status();
  }
  int next() const { return next_; }
  const Status& status() const { return status_; }

 private:
  const Launch& launch_;
  int next_;
  Status status_;
};

Status parse_single_sequence_example(Launch& launch, SequenceSpec spec) {
  const auto& missing = launch.input(1);
  if (missing.shape().rank() != 1)
    return invalid_argument(
        "Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: " +
        missing.shape().to_string());
  auto may_be_missing = missing.values<std::string>();
  spec.may_be_missing.insert(may_be_missing.begin(), may_be_missing.end());
  KeyInputs keys(launch, 2);
  auto &context = spec.context, &lists = spec.lists;
  keys.take(context.sparse_types.size(), "context_sparse_keys", context.sparse_keys);
  keys.take(context.dense_types.size(), "context_dense_keys", context.dense_keys);
  keys.take(lists.sparse_types.size(), "feature_list_sparse_keys", lists.sparse_keys);
  keys.take(lists.dense_types.size(), "feature_list_dense_keys", lists.dense_keys);
  if (!keys.status().ok()) return keys.status();
  auto defaults = inputs_from(launch, keys.next(), context.dense_keys.size());
  const auto& name = launch.input(launch.input_count() - 1);
  if (name.elements() > 0 && !name.shape().is_scalar())
    return invalid_argument(
        "Expected debug_name to be a scalar, got shape: " + name.shape().to_string());
  auto examples = Examples::single(
      launch.input(0), name.elements() > 0 ? name.value<std::string>() : std::string());
  if (!examples) return examples.status();
  return parse_sequences(launch, *examples, spec, defaults);
}

/// A sequence example has many values; how many is known only once it is read.
Kernel sequence_kernel(std::function<Status(Launch&)> compute) {
  constexpr int64_t example_ns = 5000;
  return {.compute = std::move(compute), .cost_ns = [](const Launch& launch) {
            return (launch.input(0).elements() + 1) * example_ns;
          }};
}

}  // namespace

void add_sequence_example_kernels(KernelCatalog& catalog) {
  catalog.add("ParseSequenceExample", [](const Node& node) -> Result<Kernel> {
    auto spec = sequence_spec_of_types(node);
    using Keys = std::vector<std::string>;
    spec.context.sparse_keys = node.attr<Keys>("context_sparse_keys");
    spec.context.dense_keys = node.attr<Keys>("context_dense_keys");
    spec.lists.sparse_keys = node.attr<Keys>("feature_list_sparse_keys");
    spec.lists.dense_keys = node.attr<Keys>("feature_list_dense_keys");
    const auto& missing = node.attr<Keys>("feature_list_dense_missing_assumed_empty");
    spec.may_be_missing.insert(missing.begin(), missing.end());
    return sequence_kernel([spec](Launch& launch) { return parse_sequence_example(launch, spec); });
  });
  catalog.add("ParseSingleSequenceExample", [](const Node& node) -> Result<Kernel> {
    auto spec = sequence_spec_of_types(node);
    return sequence_kernel(
        [spec](Launch& launch) { return parse_single_sequence_example(launch, spec); });
  });
}

}  // namespace troupe::cpu
