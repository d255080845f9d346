#include "troupe/devices/cpu/parsing/feature_lists.hpp"

#include <algorithm>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/parsing/outputs.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

/// A list of features of one example.
struct FeatureList {
  bool is_there = false;
  std::vector<FeatureView> features;

  int64_t length() const { return std::ssize(features); }
};

/// Reads a message FeatureList; the number of the feature that is none, or -1.
int64_t read_list(std::string_view message, FeatureList& list) {
  list = {.is_there = true};
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number != 1 || field.type != WireType::bytes) continue;
    list.features.emplace_back();
    if (!read_feature(field.bytes, list.features.back())) return list.length() - 1;
  }
  return reader.has_failed() ? list.length() : -1;
}

/// What all examples have of the lists that are asked for.
class FeatureLists {
 public:
  FeatureLists(
      const Examples& examples, const FeatureSpec& spec,
      const std::set<std::string>& may_be_missing)
      : examples_(examples),
        spec_(spec),
        may_be_missing_(may_be_missing),
        lists_(static_cast<size_t>(examples.count()) * spec.size()) {}

  Status read() {
    auto index = FeatureIndex::of(spec_);
    if (!index) return index.status();
    return each_element(examples_.count(), [&](int64_t i) {
      auto status = read_example(*index, i);
      for (size_t f = 0; status.ok() && f < spec_.size(); ++f) status = check(i, f);
      return status;
    });
  }

  Status set_outputs(Launch& launch, const ListOutputs& outputs) const {
    Status status;
    const auto& values = outputs.values;
    for (size_t f = 0; status.ok() && f < spec_.sparse_keys.size(); ++f) {
      auto n = static_cast<int>(f);
      status = set_sparse_output(
          launch, f,
          {values.sparse_indices + n, values.sparse_values + n, values.sparse_shapes + n});
    }
    for (size_t d = 0; status.ok() && d < spec_.dense_keys.size(); ++d) {
      auto n = static_cast<int>(d);
      status = set_dense_output(launch, d, values.dense_values + n);
      if (status.ok() && outputs.dense_lengths >= 0)
        status = set_lengths(launch, d, outputs.dense_lengths + n);
    }
    return status;
  }

 private:
  FeatureList& list(int64_t example, size_t f) {
    return lists_[static_cast<size_t>(example) * spec_.size() + f];
  }
  const FeatureList& list(int64_t example, size_t f) const {
    return lists_[static_cast<size_t>(example) * spec_.size() + f];
  }
  int64_t longest(size_t f) const {
    int64_t most = 0;
    for (int64_t i = 0; i < examples_.count(); ++i) most = std::max(most, list(i, f).length());
    return most;
  }

  Status read_example(const FeatureIndex& index, int64_t i) {
    WireReader example(examples_[i]);
    for (WireField field; example.next(field);) {
      if (field.number != 2 || field.type != WireType::bytes) continue;
      Status status;
      auto is_map = each_entry(field.bytes, [&](std::string_view key, std::string_view value) {
        auto f = index.find(key);
        if (f < 0) return true;
        auto failed = read_list(value, list(i, static_cast<size_t>(f)));
        if (failed >= 0)
          status =
              wrong(i, static_cast<size_t>(f), failed, "Can't parse serialized SequenceExample.");
        return failed < 0;
      });
      if (!status.ok()) return status;
      if (!is_map) return examples_.malformed(i);
    }
    return example.has_failed() ? examples_.malformed(i) : Status();
  }

  Status check(int64_t i, size_t f) const {
    const auto& given = list(i, f);
    if (!spec_.is_sparse(f) && !given.is_there && !may_be_missing_.contains(spec_.key(f)))
      return invalid_argument(
          "Name: " + examples_.name(i) + ", Feature list '" + spec_.key(f) +
          "' is required but could not be found.  Did you mean to include it in "
          "feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?");
    for (int64_t j = 0; j < given.length(); ++j)
      if (auto status = check_feature(i, f, j); !status.ok()) return status;
    return {};
  }

  Status check_feature(int64_t i, size_t f, int64_t j) const {
    const auto& given = list(i, f).features[static_cast<size_t>(j)];
    if (given.dtype != spec_.dtype(f) && (given.has_values() || !spec_.is_sparse(f)))
      return wrong(i, f, j, type_mismatch(spec_.dtype(f), given));
    if (spec_.is_sparse(f)) return {};
    const auto& shape = spec_.dense_shapes[f - spec_.sparse_keys.size()];
    if (given.count == shape.elements()) return {};
    return invalid_argument(
        "Name: " + examples_.name(i) + ", Key: " + spec_.key(f) + ", Index: " + std::to_string(j) +
        ".  " + count_mismatch(given, shape));
  }

  Status wrong(int64_t i, size_t f, int64_t j, const std::string& what) const {
    return invalid_argument(
        "Name: " + examples_.name(i) + ", Feature list: " + spec_.key(f) +
        ", Index: " + std::to_string(j) + ".  " + what);
  }

  Status set_sparse_output(Launch& launch, size_t f, const SparseOutputs& outputs) const {
    std::vector<FeatureCell> cells;
    for (int64_t i = 0; i < examples_.count(); ++i)
      for (int64_t j = 0; j < list(i, f).length(); ++j) {
        const auto& feature = list(i, f).features[static_cast<size_t>(j)];
        if (feature.count > 0) cells.push_back({{i, j}, feature});
      }
    std::vector<int64_t> outer = {longest(f)};
    if (!examples_.is_single()) outer.insert(outer.begin(), examples_.count());
    return set_sparse(launch, outputs, spec_.dtype(f), cells, outer);
  }

  Status set_dense_output(Launch& launch, size_t d, int output) const {
    auto f = d + spec_.sparse_keys.size();
    const auto& shape = spec_.dense_shapes[d];
    auto length = longest(f), each = shape.elements();
    std::vector<int64_t> sizes = {length};
    if (!examples_.is_single()) sizes.insert(sizes.begin(), examples_.count());
    sizes.insert(sizes.end(), shape.sizes().begin(), shape.sizes().end());
    auto whole = Shape::make(sizes);
    if (!whole) return whole.status();
    std::vector<PlacedFeature> placed;
    for (int64_t i = 0; i < examples_.count(); ++i)
      for (int64_t j = 0; j < list(i, f).length(); ++j)
        placed.push_back({(i * length + j) * each, list(i, f).features[static_cast<size_t>(j)]});
    return set_dense(launch, output, spec_.dtype(f), *whole, placed, nullptr);
  }

  Status set_lengths(Launch& launch, size_t d, int output) const {
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < examples_.count(); ++i)
      lengths.push_back(list(i, d + spec_.sparse_keys.size()).length());
    return set_ints(launch, output, DType::int64, lengths);
  }

  const Examples& examples_;
  const FeatureSpec& spec_;
  const std::set<std::string>& may_be_missing_;
  std::vector<FeatureList> lists_;  // of each example those of the spec
};

}  // namespace

Status parse_feature_lists(
    Launch& launch, const Examples& examples, const FeatureSpec& spec,
    const std::set<std::string>& may_be_missing, const ListOutputs& outputs) {
  FeatureLists lists(examples, spec, may_be_missing);
  if (auto status = lists.read(); !status.ok()) return status;
  return lists.set_outputs(launch, outputs);
}

}  // namespace troupe::cpu
