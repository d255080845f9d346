#include "troupe/devices/resources/dense_hash_table.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace troupe {
namespace {

// A table of more would hardly fit into memory, which no allocator counts here.
constexpr int64_t buckets_max = int64_t{1} << 28;
constexpr int64_t row_elements_max = int64_t{1} << 20;

template <class T>
uint64_t hash_of(const T& number) {
  return static_cast<uint64_t>(number);
}
uint64_t hash_of(const std::string& text) { return std::hash<std::string>()(text); }

Shape joined(const Shape& front, int front_rank, const Shape& back) {
  auto shape = Shape::of_rank(front_rank + back.rank());
  for (int axis = 0; axis < front_rank; ++axis) shape.set(axis, front[axis]);
  for (int axis = 0; axis < back.rank(); ++axis) shape.set(front_rank + axis, back[axis]);
  return shape;
}

template <class Key, class Value>
class DenseHashTable final : public HashTableResource {
 public:
  explicit DenseHashTable(DenseHashTableOptions options)
      : options_(std::move(options)),
        key_size_(options_.empty_key.elements()),
        value_size_(options_.value_shape.elements()),
        buckets_(with_buckets(options_.initial_num_buckets)) {}

  DType key_dtype() const override { return dtype_of<Key>(); }
  DType value_dtype() const override { return dtype_of<Value>(); }
  const Shape& value_shape() const override { return options_.value_shape; }
  bool is_static() const override { return false; }
  bool has_buckets() const override { return true; }
  bool is_initialized() const override { return true; }
  Status initialize(const Tensor&, const Tensor&) override {
    return invalid_argument("the table is not initializable");
  }

  void drop() override {
    std::unique_lock lock(mutex_);
    is_dropped_ = true;
    buckets_ = with_buckets(4);
  }
  bool is_dropped() const override { return is_dropped_.load(std::memory_order_acquire); }

  Description describe() const override {
    std::shared_lock lock(mutex_);
    auto elements = static_cast<uint64_t>(buckets_.count);
    auto bytes = elements * (static_cast<uint64_t>(key_size_) * sizeof(Key) +
                             static_cast<uint64_t>(value_size_) * sizeof(Value));
    return {.dtype = value_dtype(), .shape = {buckets_.entries}, .bytes = bytes};
  }

  int64_t size() const override {
    std::shared_lock lock(mutex_);
    return buckets_.entries;
  }

  Result<Tensor> find(
      const Tensor& keys, const Tensor& fallback, Allocator& allocator) const override {
    auto count = check_keys(keys);
    if (!count) return count.status();
    if (auto status = check_values(fallback, value_shape(), "default value"); !status.ok())
      return status;
    auto found = Tensor::allocate(value_dtype(), values_of(keys), allocator);
    if (!found) return found;
    auto* to = found->template mutable_data<Value>();
    std::shared_lock lock(mutex_);
    for (int64_t i = 0; i < *count; ++i, to += value_size_) {
      auto bucket = bucket_of(buckets_, row(keys, i));
      const auto* from = is_used(buckets_, bucket) ? buckets_.values.get() + bucket * value_size_
                                                   : fallback.data<Value>();
      std::copy_n(from, value_size_, to);
    }
    return found;
  }

  Status insert(const Tensor& keys, const Tensor& values) override {
    auto count = check_keys(keys);
    if (!count) return count.status();
    auto status = check_values(values, values_of(keys), "value");
    if (!status.ok()) return status;
    std::unique_lock lock(mutex_);
    if (is_dropped_) return {};
    if (status = make_room(*count); !status.ok()) return status;
    for (int64_t i = 0; i < *count; ++i)
      put(buckets_, row(keys, i), values.data<Value>() + i * value_size_);
    return {};
  }

  /// Takes rows that entries() gave, of any table with the same two keys.
  Status assign(const Tensor& keys, const Tensor& values) override {
    if (keys.dtype() != key_dtype()) return check_keys(keys).status();
    auto rows = keys.shape().rank() == 0 ? 0 : keys.shape()[0];
    if (keys.elements() != rows * key_size_ || values.dtype() != value_dtype() ||
        values.elements() != rows * value_size_)
      return invalid_argument(
          "Expected rows of " + std::to_string(key_size_) + " and " + std::to_string(value_size_) +
          " elements, got " + keys.shape().to_string() + " and " + values.shape().to_string());
    Buckets fresh = with_buckets(options_.initial_num_buckets);
    std::vector<int64_t> used;
    for (int64_t i = 0; i < rows; ++i)
      if (!is_reserved(row(keys, i))) used.push_back(i);
    auto buckets = needed_buckets(fresh.count, std::ssize(used));
    if (!buckets) return buckets.status();
    if (*buckets != fresh.count) fresh = with_buckets(*buckets);
    for (auto i : used) put(fresh, row(keys, i), values.data<Value>() + i * value_size_);
    std::unique_lock lock(mutex_);
    if (!is_dropped_) buckets_ = std::move(fresh);
    return {};
  }

  Status remove(const Tensor& keys) override {
    auto count = check_keys(keys);
    if (!count) return count.status();
    std::unique_lock lock(mutex_);
    for (int64_t i = 0; i < *count; ++i) {
      auto bucket = bucket_of(buckets_, row(keys, i));
      if (!is_used(buckets_, bucket)) continue;
      std::copy_n(deleted(), key_size_, buckets_.keys.data() + bucket * key_size_);
      --buckets_.entries;
      ++buckets_.deleted;
    }
    return {};
  }

  Result<Entries> entries(Allocator& allocator) const override {
    std::shared_lock lock(mutex_);
    auto keys = Tensor::allocate(key_dtype(), {buckets_.count, key_size_}, allocator);
    if (!keys) return keys.status();
    auto values = Tensor::allocate(value_dtype(), {buckets_.count, value_size_}, allocator);
    if (!values) return values.status();
    std::ranges::copy(buckets_.keys, keys->template mutable_data<Key>());
    std::copy_n(
        buckets_.values.get(), buckets_.count * value_size_,
        values->template mutable_data<Value>());
    return Entries{*std::move(keys), *std::move(values)};
  }

 private:
  struct Buckets {
    int64_t count;  // a power of two
    std::vector<Key> keys;
    std::unique_ptr<Value[]> values;
    int64_t entries = 0;
    int64_t deleted = 0;  // buckets whose key was removed
  };

  const Key* empty() const { return options_.empty_key.data<Key>(); }
  const Key* deleted() const { return options_.deleted_key.data<Key>(); }
  const Key* row(const Tensor& keys, int64_t index) const {
    return keys.data<Key>() + index * key_size_;
  }
  const Key* row(const Buckets& buckets, int64_t index) const {
    return buckets.keys.data() + index * key_size_;
  }
  bool equal(const Key* a, const Key* b) const { return std::equal(a, a + key_size_, b); }
  bool is_reserved(const Key* key) const { return equal(key, empty()) || equal(key, deleted()); }
  bool is_used(const Buckets& buckets, int64_t bucket) const {
    return !is_reserved(row(buckets, bucket));
  }

  uint64_t hash(const Key* key) const {
    if (key_size_ == 1) return hash_of(*key);
    uint64_t hash = 0;
    for (int64_t i = 0; i < key_size_; ++i)
      hash ^= hash_of(key[i]) + 0x9e3779b97f4a7800U + (hash << 10) + (hash >> 4);
    return hash;
  }

  Buckets with_buckets(int64_t count) const {
    Buckets buckets{.count = count, .keys = {}, .values = {}};
    buckets.keys.reserve(static_cast<size_t>(count * key_size_));
    for (int64_t i = 0; i < count; ++i)
      buckets.keys.insert(buckets.keys.end(), empty(), empty() + key_size_);
    buckets.values.reset(new Value[static_cast<size_t>(count * value_size_)]());
    return buckets;
  }

  /// The bucket of the key; if there is none, the first one that it may have. One bucket at least
  /// was never used, where the search ends.
  int64_t bucket_of(const Buckets& buckets, const Key* key) const {
    auto mask = buckets.count - 1;
    int64_t free = -1;
    auto bucket = static_cast<int64_t>(hash(key)) & mask;
    for (int64_t step = 1;; ++step) {
      const auto* held = row(buckets, bucket);
      if (equal(held, key)) return bucket;
      if (equal(held, empty())) return free < 0 ? bucket : free;
      if (free < 0 && equal(held, deleted())) free = bucket;
      bucket = (bucket + step) & mask;
    }
  }

  void put(Buckets& buckets, const Key* key, const Value* value) const {
    auto bucket = bucket_of(buckets, key);
    if (!is_used(buckets, bucket)) {
      if (equal(row(buckets, bucket), deleted())) --buckets.deleted;
      ++buckets.entries;
      std::copy_n(key, key_size_, buckets.keys.data() + bucket * key_size_);
    }
    std::copy_n(value, value_size_, buckets.values.get() + bucket * value_size_);
  }

  /// How many buckets, from `least` on, have room for so many keys.
  Result<int64_t> needed_buckets(int64_t least, int64_t entries) const {
    auto count = least;
    while (static_cast<double>(entries) >
           static_cast<double>(count) * static_cast<double>(options_.max_load_factor)) {
      count *= 2;
      if (count * std::max(key_size_, value_size_) > buckets_max)
        return resource_exhausted(
            "a table of " + std::to_string(entries) + " keys needs more than " +
            std::to_string(count / 2) + " buckets");
    }
    return count;
  }

  Status make_room(int64_t more) {
    auto count = needed_buckets(buckets_.count, buckets_.entries + buckets_.deleted + more);
    if (!count) return count.status();
    if (*count == buckets_.count) return {};
    auto fresh = with_buckets(*count);
    for (int64_t i = 0; i < buckets_.count; ++i)
      if (is_used(buckets_, i))
        put(fresh, row(buckets_, i), buckets_.values.get() + i * value_size_);
    buckets_ = std::move(fresh);
    return {};
  }

  int key_rank() const { return options_.empty_key.shape().rank(); }

  /// How many keys the tensor has, each of the shape of the reserved ones.
  Result<int64_t> check_keys(const Tensor& keys) const {
    if (keys.dtype() != key_dtype())
      return invalid_argument(
          std::string("the table's keys are ") + to_string(key_dtype()) + ", not " +
          to_string(keys.dtype()));
    const auto& shape = keys.shape();
    const auto& key_shape = options_.empty_key.shape();
    if (shape.rank() < key_rank() || (key_rank() == 1 && shape[shape.rank() - 1] != key_size_))
      return invalid_argument(
          "Input key shape " + shape.to_string() + " must end with the table's key shape " +
          key_shape.to_string());
    auto count = keys.elements() / key_size_;
    for (int64_t i = 0; i < count; ++i)
      for (auto [reserved, name] : {std::pair(empty(), "empty_key"), {deleted(), "deleted_key"}})
        if (equal(row(keys, i), reserved))
          return invalid_argument(
              std::string("Using the ") + name + " as a table key is not allowed");
    return count;
  }

  Shape values_of(const Tensor& keys) const {
    return joined(keys.shape(), keys.shape().rank() - key_rank(), value_shape());
  }

  Status check_values(const Tensor& values, const Shape& shape, const char* what) const {
    if (values.dtype() != value_dtype())
      return invalid_argument(
          std::string("the table's values are ") + to_string(value_dtype()) + ", not " +
          to_string(values.dtype()));
    if (values.shape() == shape) return {};
    return invalid_argument(
        "Expected shape " + shape.to_string() + " for " + what + ", got " +
        values.shape().to_string());
  }

  const DenseHashTableOptions options_;
  const int64_t key_size_, value_size_;
  mutable std::shared_mutex mutex_;
  Buckets buckets_;
  std::atomic<bool> is_dropped_ = false;  // changes under the mutex
};

using MadeTable = std::shared_ptr<HashTableResource>;

template <class Key>
MadeTable make_dense(DenseHashTableOptions options) {
  switch (options.value_dtype) {
    case DType::float32: return std::make_shared<DenseHashTable<Key, float>>(std::move(options));
    case DType::float64: return std::make_shared<DenseHashTable<Key, double>>(std::move(options));
    case DType::int32: return std::make_shared<DenseHashTable<Key, int32_t>>(std::move(options));
    case DType::int64: return std::make_shared<DenseHashTable<Key, int64_t>>(std::move(options));
    case DType::boolean: return std::make_shared<DenseHashTable<Key, bool>>(std::move(options));
    case DType::string:
      return std::make_shared<DenseHashTable<Key, std::string>>(std::move(options));
    default: return nullptr;
  }
}

MadeTable make_dense_of_keys(DenseHashTableOptions options) {
  switch (options.empty_key.dtype()) {
    case DType::string: return make_dense<std::string>(std::move(options));
    case DType::int32: return make_dense<int32_t>(std::move(options));
    case DType::int64: return make_dense<int64_t>(std::move(options));
    default: return nullptr;
  }
}

Status check_reserved_keys(const DenseHashTableOptions& options) {
  const auto& empty = options.empty_key;
  const auto& deleted = options.deleted_key;
  if (empty.shape().rank() > 1 || empty.elements() == 0 || empty.elements() > row_elements_max)
    return invalid_argument(
        "Empty key must be a scalar or a vector, got shape " + empty.shape().to_string());
  if (empty.shape() != deleted.shape() || empty.dtype() != deleted.dtype())
    return invalid_argument(
        "Empty and deleted keys must have same shape, got shapes: " + empty.shape().to_string() +
        " and " + deleted.shape().to_string());
  return {};
}

Status check_sizes(const DenseHashTableOptions& options) {
  const auto& shape = options.value_shape;
  if (!shape.is_known() || shape.rank() > 1 || shape.elements() > row_elements_max)
    return invalid_argument(
        "Empty value must be a scalar or a vector, got shape " + shape.to_string());
  if (!(options.max_load_factor > 0 && options.max_load_factor < 1))
    return invalid_argument(
        "max_load_factor must be between 0 and 1, got: " + std::to_string(options.max_load_factor));
  auto count = options.initial_num_buckets;
  if (count < 4 || (count & (count - 1)) != 0)
    return invalid_argument(
        "Number of buckets must be at least 4 and a power of 2, got: " + std::to_string(count));
  auto row = std::max<int64_t>({1, options.empty_key.elements(), shape.elements()});
  if (count > buckets_max / row)
    return resource_exhausted(std::to_string(count) + " buckets are too many");
  return {};
}

}  // namespace

Result<std::shared_ptr<HashTableResource>> make_dense_hash_table(DenseHashTableOptions options) {
  if (auto status = check_reserved_keys(options); !status.ok()) return status;
  if (auto status = check_sizes(options); !status.ok()) return status;
  auto keys = options.empty_key.dtype(), values = options.value_dtype;
  auto reserved = options;
  auto table = make_dense_of_keys(std::move(options));
  if (!table)
    return unimplemented(
        std::string("there are no dense hash tables from ") + to_string(keys) + " to " +
        to_string(values));
  if (equal(reserved.empty_key, reserved.deleted_key))
    return invalid_argument("Empty and deleted keys cannot be equal");
  return table;
}

}  // namespace troupe
