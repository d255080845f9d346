#include "troupe/devices/resources/tensor_forest/examples.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace troupe::forest {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    auto end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int32_t> to_int(std::string_view text) {
  int32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

Status malformed(std::string_view text) {
  return invalid_argument("input_spec is malformed at '" + std::string(text.substr(0, 100)) + "'");
}

}  // namespace

Result<std::vector<DataSpec::Column>> DataSpec::parse_columns(std::string_view text) {
  std::vector<Column> columns;
  for (auto part : split(text, "{}")) {
    if (part.empty()) continue;
    auto words = split(part, " ");
    if (words.size() != 6) return malformed(part);
    auto type = to_int(words[3]), size = to_int(words[5]);
    if (!type || !size) return malformed(part);
    columns.push_back({*type, *size});
  }
  return columns;
}

Result<DataSpec> DataSpec::parse(std::string_view text) {
  auto parts = split(text, "[]");
  auto words = split(parts[0], " ");
  if (parts.size() < 4 || words.size() < 2) return malformed(text);
  auto size = to_int(words[1]);
  if (!size || *size < 0) return malformed(text);
  DataSpec spec;
  spec.dense_features_size_ = *size;
  auto dense = parse_columns(parts[1]);
  if (!dense) return dense.status();
  auto sparse = parse_columns(parts[3]);
  if (!sparse) return sparse.status();
  spec.dense_ = *std::move(dense);
  spec.sparse_ = *std::move(sparse);
  int64_t total = 0;
  for (const auto& column : spec.dense_) total += std::max(column.size, 0);
  if (total > std::numeric_limits<int32_t>::max()) return malformed(text);
  spec.dense_columns_size_ = static_cast<int32_t>(total);
  return spec;
}

int32_t DataSpec::dense_type(int32_t feature) const {
  for (const auto& column : dense_) {
    if (feature < column.size) return column.original_type;
    feature -= std::max(column.size, 0);
  }
  return number;
}

std::optional<int32_t> DataSpec::sparse_type() const {
  if (sparse_.empty()) return {};
  return sparse_[0].original_type;
}

void Examples::set_dense(std::span<const float> values, int64_t rows, int64_t columns) {
  dense_ = values;
  rows_ = rows;
  columns_ = columns;
  has_dense_ = true;
}

void Examples::set_sparse(
    std::span<const int64_t> indices, std::span<const float> values, int64_t rows) {
  indices_ = indices;
  values_ = values;
  sparse_rows_ = rows;
  has_sparse_ = true;
}

std::optional<float> Examples::value(int64_t example, int32_t feature) const {
  if (feature < 0) return {};
  if (feature < spec_.dense_features_size()) {
    if (!has_dense_ || feature >= columns_ || example >= rows_) return {};
    return dense_[static_cast<size_t>(example * columns_ + feature)];
  }
  if (!has_sparse_) return {};
  return sparse_value(example, feature);
}

float Examples::sparse_value(int64_t example, int32_t feature) const {
  int64_t low = 0, high = static_cast<int64_t>(values_.size());
  while (low < high) {
    auto middle = low + (high - low) / 2;
    auto row = indices_[static_cast<size_t>(middle) * 2];
    auto column = sparse_column(middle);
    if (row == example && column == feature) return values_[static_cast<size_t>(middle)];
    if (row < example || (row == example && column < feature)) low = middle + 1;
    else high = middle;
  }
  return 0;
}

Examples::Range Examples::sparse_values_of(int64_t example) const {
  auto row = [&](int64_t at) { return indices_[static_cast<size_t>(at) * 2]; };
  auto total = static_cast<int64_t>(values_.size());
  int64_t low = 0, high = total;
  while (low < high) {
    auto middle = low + (high - low) / 2;
    if (row(middle) < example) low = middle + 1;
    else high = middle;
  }
  auto end = low;
  while (end < total && row(end) == example) ++end;
  return {low, end - low};
}

uint32_t FeatureSampler::below(uint32_t count) {
  if ((count & (count - 1)) == 0) return numbers_.next() & (count - 1);
  // Numbers below this would make small results more likely.
  auto least = std::numeric_limits<uint32_t>::max() % count + 1;
  auto number = numbers_.next();
  while (number < least) number = numbers_.next();
  return number % count;
}

Result<FeatureSampler::Sample> FeatureSampler::draw(int64_t example) {
  const auto& spec = examples_.spec();
  int64_t total = spec.dense_features_size();
  Examples::Range sparse;
  if (examples_.has_sparse()) {
    sparse = examples_.sparse_values_of(example);
    total += sparse.count;
  }
  if (total <= 0 || total > std::numeric_limits<int32_t>::max())
    return invalid_argument("example " + std::to_string(example) + " has no features");
  Sample sample;
  sample.feature = static_cast<int32_t>(below(static_cast<uint32_t>(total)));
  if (sample.feature < spec.dense_columns_size()) {
    sample.type = spec.dense_type(sample.feature);
  } else {
    auto at = int64_t{sample.feature} - spec.dense_features_size();
    auto type = spec.sparse_type();
    if (at < 0 || at >= sparse.count || !type)
      return invalid_argument("the columns of input_spec are not those of the examples");
    auto column = examples_.sparse_column(sparse.first + at);
    if (column < 0 || column > std::numeric_limits<int32_t>::max() - spec.dense_features_size())
      return invalid_argument("there is no sparse feature " + std::to_string(column));
    sample.feature = static_cast<int32_t>(column) + spec.dense_features_size();
    sample.type = *type;
  }
  auto value = examples_.value(example, sample.feature);
  if (!value) return invalid_argument("examples have no feature " + std::to_string(sample.feature));
  sample.value = *value;
  return sample;
}

Result<Targets> Targets::make(
    std::span<const float> labels, std::span<const float> weights, int64_t columns,
    int64_t examples) {
  auto found = static_cast<int64_t>(labels.size());
  if (examples > 0 && found / std::max<int64_t>(columns, 1) < examples)
    return invalid_argument(
        "there are " + std::to_string(examples) + " examples, but only " + std::to_string(found) +
        " labels");
  Targets targets;
  targets.labels_ = labels;
  targets.weights_ = weights;
  targets.columns_ = columns;
  return targets;
}

Result<int32_t> Targets::label(int64_t example, int32_t classes) const {
  auto given = number(example, 0);
  if (given > -1 && given < static_cast<float>(classes)) return static_cast<int32_t>(given);
  return invalid_argument(
      "label " + std::to_string(given) + " of example " + std::to_string(example) +
      " is none of the " + std::to_string(classes) + " classes");
}

}  // namespace troupe::forest
