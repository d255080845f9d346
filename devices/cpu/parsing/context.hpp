#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "troupe/devices/cpu/parsing/features.hpp"
#include "troupe/devices/kernel.hpp"

// The named features of examples, and of the contexts of sequence examples.

namespace troupe::cpu {

/// What an op asks for: sparse features, then dense ones.
struct FeatureSpec {
  std::vector<std::string> sparse_keys, dense_keys;
  DTypes sparse_types, dense_types;
  Shapes dense_shapes;  // the first size of one may be unknown: of variable length

  size_t size() const { return sparse_keys.size() + dense_keys.size(); }
  const std::string& key(size_t i) const {
    return i < sparse_keys.size() ? sparse_keys[i] : dense_keys[i - sparse_keys.size()];
  }
  DType dtype(size_t i) const {
    return i < sparse_types.size() ? sparse_types[i] : dense_types[i - sparse_types.size()];
  }
  bool is_sparse(size_t i) const { return i < sparse_keys.size(); }
};

/// Which of the features that are asked for has a key.
class FeatureIndex {
 public:
  /// Fails, naming it, where a key is there twice.
  static Result<FeatureIndex> of(const FeatureSpec& spec);
  /// -1 where nobody asks for it.
  int find(std::string_view key) const {
    auto found = numbers_.find(key);
    return found == numbers_.end() ? -1 : found->second;
  }

 private:
  std::unordered_map<std::string_view, int> numbers_;  // the keys are the spec's
};

/// The serialized examples of an op: a vector of them with their names, or a scalar.
class Examples {
 public:
  /// `names` is empty or has one for each.
  static Result<Examples> batch(const Tensor& serialized, const Tensor& names);
  static Result<Examples> single(const Tensor& serialized, std::string name);

  int64_t count() const { return serialized_.elements(); }
  const std::string& operator[](int64_t i) const { return serialized_.data<std::string>()[i]; }
  /// "<unknown>" where it has none.
  const std::string& name(int64_t i) const {
    return names_.empty() ? single_name_ : names_[static_cast<size_t>(i)];
  }
  bool is_single() const { return is_single_; }
  /// "Could not parse ...", with the example's name.
  Status malformed(int64_t i) const;

 private:
  Tensor serialized_, names_tensor_;
  std::span<const std::string> names_;
  std::string single_name_ = "<unknown>";
  bool is_single_ = false;
};

/// How messages of errors name a feature.
enum class FeatureKind { of_example, of_single_example, of_context };

/// The outputs of the features: the first of each list.
struct FeatureOutputs {
  int sparse_indices, sparse_values, sparse_shapes, dense_values;

  static FeatureOutputs from(int first, const FeatureSpec& spec) {
    auto sparse = static_cast<int>(spec.sparse_keys.size());
    return {first, first + sparse, first + 2 * sparse, first + 3 * sparse};
  }
  int end(const FeatureSpec& spec) const {
    return dense_values + static_cast<int>(spec.dense_keys.size());
  }
};

/// Reads the features out of the field 1 of all examples and sets their outputs. `defaults` are
/// those of the dense features; an empty one means that each example must have the feature.
Status parse_features(
    Launch& launch, const Examples& examples, const FeatureSpec& spec,
    std::span<const Tensor> defaults, FeatureKind kind, const FeatureOutputs& outputs);

/// The strings of `count` inputs from `first` on, which must be scalars and which `what` names.
Result<std::vector<std::string>> scalar_keys(
    const Launch& launch, int first, size_t count, const char* what);

/// The inputs from `first` on.
std::vector<Tensor> inputs_from(const Launch& launch, int first, size_t count);

}  // namespace troupe::cpu
