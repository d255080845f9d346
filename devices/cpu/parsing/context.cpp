#include "troupe/devices/cpu/parsing/context.hpp"

#include <algorithm>

#include "troupe/devices/cpu/parsing/outputs.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

/// What all examples have of the features that are asked for.
class ContextFeatures {
 public:
  ContextFeatures(
      const Examples& examples, const FeatureSpec& spec, std::span<const Tensor> defaults,
      FeatureKind kind)
      : examples_(examples),
        spec_(spec),
        defaults_(defaults),
        kind_(kind),
        features_(static_cast<size_t>(examples.count()) * spec.size()) {}

  Status read() {
    auto index = FeatureIndex::of(spec_);
    if (!index) return index.status();
    return each_element(examples_.count(), [&](int64_t i) {
      auto status = read_example(*index, i);
      for (size_t f = 0; status.ok() && f < spec_.size(); ++f) status = check(i, f);
      return status;
    });
  }

  Status set_outputs(Launch& launch, const FeatureOutputs& outputs) const {
    Status status;
    for (size_t f = 0; status.ok() && f < spec_.sparse_keys.size(); ++f) {
      auto n = static_cast<int>(f);
      status = set_sparse_output(
          launch, f,
          {outputs.sparse_indices + n, outputs.sparse_values + n, outputs.sparse_shapes + n});
    }
    for (size_t d = 0; status.ok() && d < spec_.dense_keys.size(); ++d)
      status = set_dense_output(launch, d, outputs.dense_values + static_cast<int>(d));
    return status;
  }

 private:
  FeatureView& feature(int64_t example, size_t f) {
    return features_[static_cast<size_t>(example) * spec_.size() + f];
  }
  const FeatureView& feature(int64_t example, size_t f) const {
    return features_[static_cast<size_t>(example) * spec_.size() + f];
  }
  bool is_variable(size_t d) const {
    const auto& shape = spec_.dense_shapes[d];
    return shape.rank() > 0 && shape[0] == Shape::unknown;
  }
  /// The values of a dense feature, or of one step of it along its variable size.
  int64_t elements_each(size_t d) const {
    auto shape = spec_.dense_shapes[d];
    if (is_variable(d)) shape.set(0, 1);
    return shape.elements();
  }

  Status read_example(const FeatureIndex& index, int64_t i) {
    WireReader example(examples_[i]);
    for (WireField field; example.next(field);) {
      if (field.number != 1 || field.type != WireType::bytes) continue;
      Status status;
      auto is_map = each_entry(field.bytes, [&](std::string_view key, std::string_view value) {
        auto f = index.find(key);
        if (f < 0 || read_feature(value, feature(i, static_cast<size_t>(f)))) return true;
        status = wrong(i, static_cast<size_t>(f), "Can't parse serialized Example.");
        return false;
      });
      if (!status.ok()) return status;
      if (!is_map) return examples_.malformed(i);
    }
    return example.has_failed() ? examples_.malformed(i) : Status();
  }

  Status check(int64_t i, size_t f) const {
    const auto& given = feature(i, f);
    if (given.has_values() && given.dtype != spec_.dtype(f))
      return wrong(i, f, type_mismatch(spec_.dtype(f), given));
    return spec_.is_sparse(f) ? Status() : check_dense(i, f - spec_.sparse_keys.size());
  }

  Status check_dense(int64_t i, size_t d) const {
    auto f = d + spec_.sparse_keys.size();
    const auto& given = feature(i, f);
    auto each = elements_each(d);
    if (is_variable(d)) {
      if (each == 0 ? given.count == 0 : given.count % each == 0) return {};
      return wrong(
          i, f,
          std::string("Number of ") + value_word(given.dtype) +
              " values is not a multiple of stride length. Saw " + std::to_string(given.count) +
              " values but output shape is: " + spec_.dense_shapes[d].to_string());
    }
    if (given.has_values())
      return given.count == each ? Status()
                                 : wrong(i, f, count_mismatch(given, spec_.dense_shapes[d]));
    if (defaults_[d].elements() > 0 || each == 0) return {};
    auto name = kind_ == FeatureKind::of_single_example ? "" : "Name: " + examples_.name(i) + ", ";
    return invalid_argument(
        name + (kind_ == FeatureKind::of_context ? "Context feature: " : "Feature: ") +
        spec_.key(f) + " (data type: " + type_word(spec_.dtype(f)) +
        ") is required but could not be found.");
  }

  Status wrong(int64_t i, size_t f, const std::string& what) const {
    const auto& key = spec_.key(f);
    auto name = "Name: " + examples_.name(i);
    switch (kind_) {
      case FeatureKind::of_single_example: return invalid_argument("Key: " + key + ".  " + what);
      case FeatureKind::of_context:
        return invalid_argument(name + ", Context feature: " + key + ".  " + what);
      default:
        return invalid_argument(
            name + ", Key: " + key + ", Index: " + std::to_string(i) + ".  " + what);
    }
  }

  Status set_sparse_output(Launch& launch, size_t f, const SparseOutputs& outputs) const {
    std::vector<FeatureCell> cells;
    for (int64_t i = 0; i < examples_.count(); ++i)
      if (feature(i, f).count > 0) cells.push_back({{0, i}, feature(i, f)});
    std::vector<int64_t> outer;
    if (!examples_.is_single()) outer.push_back(examples_.count());
    return set_sparse(launch, outputs, spec_.dtype(f), cells, outer);
  }

  Status set_dense_output(Launch& launch, size_t d, int output) const {
    auto f = d + spec_.sparse_keys.size();
    auto each = elements_each(d);
    auto shape = spec_.dense_shapes[d];
    if (is_variable(d)) {
      int64_t most = 0;
      for (int64_t i = 0; i < examples_.count(); ++i) most = std::max(most, feature(i, f).count);
      auto steps = each == 0 ? 0 : most / each;
      shape.set(0, steps);
      each *= steps;
    }
    std::vector<int64_t> sizes;
    if (!examples_.is_single()) sizes.push_back(examples_.count());
    sizes.insert(sizes.end(), shape.sizes().begin(), shape.sizes().end());
    auto whole = Shape::make(sizes);
    if (!whole) return whole.status();
    std::vector<PlacedFeature> placed;
    for (int64_t i = 0; i < examples_.count(); ++i)
      if (feature(i, f).count > 0) placed.push_back({i * each, feature(i, f)});
    return set_dense(launch, output, spec_.dtype(f), *whole, placed, &defaults_[d]);
  }

  const Examples& examples_;
  const FeatureSpec& spec_;
  std::span<const Tensor> defaults_;
  FeatureKind kind_;
  std::vector<FeatureView> features_;  // of each example those of the spec
};

Status check_default(const FeatureSpec& spec, size_t d, const Tensor& value) {
  const auto& shape = spec.dense_shapes[d];
  auto number = "[" + std::to_string(d) + "]";
  if (shape.rank() > 0 && shape[0] == Shape::unknown) {
    if (value.elements() == 1) return {};
    return invalid_argument(
        "dense_shape" + number + " is a variable length shape: " + shape.to_string() +
        ", therefore def_value" + number +
        " must contain a single element (the padding element).  But its shape is: " +
        value.shape().to_string());
  }
  if (value.elements() == 0 || value.shape() == shape) return {};
  return invalid_argument(
      "def_value" + number + ".shape() == " + value.shape().to_string() +
      " is not compatible with dense_shapes" + number + " == " + shape.to_string());
}

}  // namespace

Result<FeatureIndex> FeatureIndex::of(const FeatureSpec& spec) {
  FeatureIndex index;
  for (size_t i = 0; i < spec.size(); ++i)
    if (!index.numbers_.emplace(spec.key(i), static_cast<int>(i)).second)
      return invalid_argument("the feature " + shown(spec.key(i)) + " is asked for twice");
  return index;
}

Result<Examples> Examples::batch(const Tensor& serialized, const Tensor& names) {
  if (serialized.shape().rank() != 1)
    return invalid_argument(
        "Expected serialized to be a vector, got shape: " + serialized.shape().to_string());
  if (names.shape().rank() != 1)
    return invalid_argument(
        "Expected names to be a vector, got shape: " + names.shape().to_string());
  if (names.elements() > 0 && names.elements() != serialized.elements())
    return invalid_argument(
        "Expected len(names) == len(serialized), but got: " + std::to_string(names.elements()) +
        " vs. " + std::to_string(serialized.elements()));
  Examples examples;
  examples.serialized_ = serialized;
  examples.names_tensor_ = names;
  examples.names_ = names.values<std::string>();
  return examples;
}

Result<Examples> Examples::single(const Tensor& serialized, std::string name) {
  if (!serialized.shape().is_scalar())
    return invalid_argument(
        "Expected serialized to be a scalar, got shape: " + serialized.shape().to_string());
  Examples examples;
  examples.serialized_ = serialized;
  if (!name.empty()) examples.single_name_ = std::move(name);
  examples.is_single_ = true;
  return examples;
}

Status Examples::malformed(int64_t i) const {
  return invalid_argument(
      "Name: " + name(i) + ", Could not parse example input, value: " + shown((*this)[i]));
}

Status parse_features(
    Launch& launch, const Examples& examples, const FeatureSpec& spec,
    std::span<const Tensor> defaults, FeatureKind kind, const FeatureOutputs& outputs) {
  for (size_t d = 0; d < defaults.size(); ++d)
    if (auto status = check_default(spec, d, defaults[d]); !status.ok()) return status;
  ContextFeatures features(examples, spec, defaults, kind);
  if (auto status = features.read(); !status.ok()) return status;
  return features.set_outputs(launch, outputs);
}

Result<std::vector<std::string>> scalar_keys(
    const Launch& launch, int first, size_t count, const char* what) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) {
    auto name = std::string(what) + "[" + std::to_string(i) + "]";
    auto key = scalar_string(launch, first + static_cast<int>(i), name.c_str());
    if (!key) return key.status();
    keys.push_back(*std::move(key));
  }
  return keys;
}

std::vector<Tensor> inputs_from(const Launch& launch, int first, size_t count) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < count; ++i) inputs.push_back(launch.input(first + static_cast<int>(i)));
  return inputs;
}

}  // namespace troupe::cpu
