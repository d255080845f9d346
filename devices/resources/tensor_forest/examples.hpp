#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "troupe/devices/cpu/random/philox.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::forest {

/// The columns that the features of examples come from, as the attribute input_spec says it:
///
///     dense_features_size: 3 dense: [{name: a original_type: 0 size: 3}] sparse: []
class DataSpec {
 public:
  enum Type : int32_t { number = 0, category = 1 };

  /// InvalidArgument where it is not of that form.
  static Result<DataSpec> parse(std::string_view text);

  /// Features from here on are sparse ones.
  int32_t dense_features_size() const { return dense_features_size_; }
  /// The sizes of all dense columns.
  int32_t dense_columns_size() const { return dense_columns_size_; }
  /// The type of one of those features.
  int32_t dense_type(int32_t feature) const;
  /// The type of sparse features; nothing where there are none.
  std::optional<int32_t> sparse_type() const;

 private:
  struct Column {
    int32_t original_type = 0;
    int32_t size = 0;
  };

  static Result<std::vector<Column>> parse_columns(std::string_view text);

  std::vector<Column> dense_;
  std::vector<Column> sparse_;
  int32_t dense_features_size_ = 0;
  int32_t dense_columns_size_ = 0;
};

/// The features of examples, as rows of a matrix or of a sparse one, or of both. Keeps none of the
/// memory, which must outlive it.
class Examples {
 public:
  explicit Examples(const DataSpec& spec) : spec_(spec) {}

  void set_dense(std::span<const float> values, int64_t rows, int64_t columns);
  /// `indices` has two for each value, of which the rows are sorted.
  void set_sparse(std::span<const int64_t> indices, std::span<const float> values, int64_t rows);

  const DataSpec& spec() const { return spec_; }
  int64_t count() const { return has_dense_ ? rows_ : has_sparse_ ? sparse_rows_ : 0; }
  bool has_sparse() const { return has_sparse_; }

  /// The value of a feature; 0 for a sparse one that an example has not. Nothing where examples
  /// have no such feature.
  std::optional<float> value(int64_t example, int32_t feature) const;

  /// Where an example has its sparse values, in the order of `indices`.
  struct Range {
    int64_t first = 0;
    int64_t count = 0;
  };
  Range sparse_values_of(int64_t example) const;
  /// The column of one of the sparse values.
  int64_t sparse_column(int64_t at) const { return indices_[static_cast<size_t>(at) * 2 + 1]; }

 private:
  float sparse_value(int64_t example, int32_t feature) const;

  const DataSpec& spec_;
  std::span<const float> dense_;
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  bool has_dense_ = false;
  std::span<const int64_t> indices_;
  std::span<const float> values_;
  int64_t sparse_rows_ = 0;
  bool has_sparse_ = false;
};

/// Draws features of examples, in TensorFlow's order.
class FeatureSampler {
 public:
  FeatureSampler(const Examples& examples, uint64_t seed)
      : examples_(examples), numbers_(cpu::Philox(seed, 0)) {}

  struct Sample {
    int32_t feature = 0;
    float value = 0;
    int32_t type = 0;
  };
  /// InvalidArgument: there is no feature, or the columns say that there are others.
  Result<Sample> draw(int64_t example);

 private:
  uint32_t below(uint32_t count);

  const Examples& examples_;
  cpu::PhiloxNumbers numbers_;
};

/// What a launch learns from: a row of numbers for each example, and a weight.
class Targets {
 public:
  /// InvalidArgument: there are too few for that many examples, each with `columns` numbers.
  static Result<Targets> make(
      std::span<const float> labels, std::span<const float> weights, int64_t columns,
      int64_t examples);

  float number(int64_t example, int64_t column) const {
    return labels_[static_cast<size_t>(example * columns_ + column)];
  }
  int64_t columns() const { return columns_; }
  /// The class of an example. InvalidArgument: there is no such class.
  Result<int32_t> label(int64_t example, int32_t classes) const;
  /// 1 for those that have none.
  float weight(int64_t example) const {
    auto at = static_cast<size_t>(example);
    return at < weights_.size() ? weights_[at] : 1;
  }

 private:
  std::span<const float> labels_;
  std::span<const float> weights_;
  int64_t columns_ = 1;
};

}  // namespace troupe::forest
