#pragma once

#include "troupe/devices/resources/hash_table.hpp"

namespace troupe {

/// A table in two tensors, a row of keys and one of values for each bucket, with open addressing.
struct DenseHashTableOptions {
  Tensor empty_key;    // what a bucket has that was never used; a scalar or a vector, as all keys
  Tensor deleted_key;  // what one has whose key was removed
  DType value_dtype = DType::float32;
  Shape value_shape;  // of rank 0 or 1
  int64_t initial_num_buckets = 1 << 17;
  float max_load_factor = 0.8F;
};

/// Keys may be vectors, and no key is one of those two. entries() has a row for each bucket, in
/// their order, also for those without a key. InvalidArgument: these options; Unimplemented: there
/// are no such keys or values. (TensorFlow: MutableDenseHashTable.)
Result<std::shared_ptr<HashTableResource>> make_dense_hash_table(DenseHashTableOptions options);

}  // namespace troupe
