#pragma once

#include <memory>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// A table from keys to values, each one element of a tensor, in host memory. Each operation is
/// atomic: no other sees half of it. Thread-safe. Without effect once dropped.
/// (TensorFlow: MutableHashTableOfScalars.)
class HashTableResource : public Resource {
 public:
  static constexpr const char* kind_name = "hash table";

  struct Entries {
    Tensor keys;    // a vector
    Tensor values;  // as many
  };

  const char* kind() const final { return kind_name; }
  virtual DType key_dtype() const = 0;
  virtual DType value_dtype() const = 0;

  // InvalidArgument: dtypes or shapes do not fit the table, or each other.
  /// The value of each key; `fallback`, a scalar, where there is none.
  virtual Result<Tensor> find(
      const Tensor& keys, const Tensor& fallback, Allocator& allocator) const = 0;
  /// Gives each key its value; of equal keys the last one counts.
  virtual Status insert(const Tensor& keys, const Tensor& values) = 0;
  /// Replaces all entries.
  virtual Status assign(const Tensor& keys, const Tensor& values) = 0;
  /// Keys that it does not have are ignored.
  virtual Status remove(const Tensor& keys) = 0;
  virtual int64_t size() const = 0;
  /// All entries, in the order of the keys.
  virtual Result<Entries> entries(Allocator& allocator) const = 0;
};

/// Unimplemented: there are no tables with such keys or values.
Result<std::shared_ptr<HashTableResource>> make_hash_table(DType key_dtype, DType value_dtype);

}  // namespace troupe
