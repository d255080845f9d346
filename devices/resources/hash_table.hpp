#pragma once

#include <memory>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// A table from keys, each one element of a tensor, to values of one shape, in host memory. Each
/// operation is atomic: no other sees half of it. Thread-safe. Without effect once dropped.
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
  virtual const Shape& value_shape() const = 0;
  /// Whether it is filled once, as a whole, before it is used.
  virtual bool is_static() const = 0;
  /// Whether its entries are those of buckets, also of unused ones (dense_hash_table.hpp).
  virtual bool has_buckets() const { return false; }

  // InvalidArgument: dtypes or shapes do not fit the table, or each other. FailedPrecondition: it
  // is static and not filled yet. Unimplemented: it is static.
  /// The value of each key; `fallback`, which has the shape of a value, where there is none.
  virtual Result<Tensor> find(
      const Tensor& keys, const Tensor& fallback, Allocator& allocator) const = 0;
  /// Gives each key its value; of equal keys the last one counts. Not of a static table.
  virtual Status insert(const Tensor& keys, const Tensor& values) = 0;
  /// Replaces all entries; fills a static table.
  virtual Status assign(const Tensor& keys, const Tensor& values) = 0;
  /// Keys that it does not have are ignored. Not of a static table.
  virtual Status remove(const Tensor& keys) = 0;
  virtual int64_t size() const = 0;
  /// All entries, in the order of the keys.
  virtual Result<Entries> entries(Allocator& allocator) const = 0;

  /// Fills a static table, unless it was with as many entries. FailedPrecondition: with another
  /// number of them, or a key comes with two values. InvalidArgument: there are no keys, or it is
  /// not static.
  virtual Status initialize(const Tensor& keys, const Tensor& values) = 0;
  /// Whether a static table was filled.
  virtual bool is_initialized() const = 0;
};

struct HashTableOptions {
  DType key_dtype = DType::string;
  DType value_dtype = DType::string;
  Shape value_shape;  // of rank 0 or 1
  bool is_static = false;
};

/// Unimplemented: there are no tables with such keys or values. InvalidArgument: the shape.
Result<std::shared_ptr<HashTableResource>> make_hash_table(const HashTableOptions& options);
/// One that changes, with a single element as value.
Result<std::shared_ptr<HashTableResource>> make_hash_table(DType key_dtype, DType value_dtype);

}  // namespace troupe
