#include "troupe/devices/resources/hash_table.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

/// Bytes that an element has besides those of its object.
template <class T>
uint64_t extra_bytes(const T&) {
  return 0;
}
uint64_t extra_bytes(const std::string& text) { return text.size(); }

Status wrong_dtype(const char* what, DType held, DType given) {
  return invalid_argument(
      std::string("the table's ") + what + " are " + to_string(held) + ", not " + to_string(given));
}

template <class Key, class Value>
class HashTable final : public HashTableResource {
 public:
  DType key_dtype() const override { return dtype_of<Key>(); }
  DType value_dtype() const override { return dtype_of<Value>(); }

  void drop() override {
    std::unique_lock lock(mutex_);
    is_dropped_ = true;
    clear();
  }
  bool is_dropped() const override { return is_dropped_.load(std::memory_order_acquire); }

  Description describe() const override {
    std::shared_lock lock(mutex_);
    auto count = static_cast<int64_t>(values_.size());
    auto bytes = values_.size() * (sizeof(Key) + sizeof(Value)) + extra_bytes_;
    return {.dtype = value_dtype(), .shape = {count}, .bytes = bytes};
  }

  Result<Tensor> find(
      const Tensor& keys, const Tensor& fallback, Allocator& allocator) const override {
    if (auto status = check_dtypes(keys, fallback); !status.ok()) return status;
    if (!fallback.shape().is_scalar())
      return invalid_argument(
          "the default value must be a scalar, but its shape is " + fallback.shape().to_string());
    auto found = Tensor::allocate(value_dtype(), keys.shape(), allocator);
    if (!found) return found;
    auto* to = found->template mutable_data<Value>();
    std::shared_lock lock(mutex_);
    for (const auto& key : keys.values<Key>()) {
      auto entry = values_.find(key);
      *to++ = entry == values_.end() ? fallback.value<Value>() : entry->second;
    }
    return found;
  }

  Status insert(const Tensor& keys, const Tensor& values) override {
    return store(keys, values, /*replaces_all=*/false);
  }
  Status assign(const Tensor& keys, const Tensor& values) override {
    return store(keys, values, /*replaces_all=*/true);
  }

  Status remove(const Tensor& keys) override {
    if (keys.dtype() != key_dtype()) return wrong_dtype("keys", key_dtype(), keys.dtype());
    std::unique_lock lock(mutex_);
    for (const auto& key : keys.values<Key>()) {
      auto entry = values_.find(key);
      if (entry == values_.end()) continue;
      extra_bytes_ -= extra_bytes(entry->first) + extra_bytes(entry->second);
      values_.erase(entry);
    }
    return {};
  }

  int64_t size() const override {
    std::shared_lock lock(mutex_);
    return static_cast<int64_t>(values_.size());
  }

  Result<Entries> entries(Allocator& allocator) const override {
    std::shared_lock lock(mutex_);
    Shape shape{static_cast<int64_t>(values_.size())};
    auto keys = Tensor::allocate(key_dtype(), shape, allocator);
    if (!keys) return keys.status();
    auto values = Tensor::allocate(value_dtype(), shape, allocator);
    if (!values) return values.status();
    auto* key = keys->template mutable_data<Key>();
    auto* value = values->template mutable_data<Value>();
    for (const auto* entry : sorted()) {
      *key++ = entry->first;
      *value++ = entry->second;
    }
    return Entries{*std::move(keys), *std::move(values)};
  }

 private:
  using Entry = std::pair<const Key, Value>;

  static Status check_dtypes(const Tensor& keys, const Tensor& values) {
    if (keys.dtype() != dtype_of<Key>()) return wrong_dtype("keys", dtype_of<Key>(), keys.dtype());
    if (values.dtype() != dtype_of<Value>())
      return wrong_dtype("values", dtype_of<Value>(), values.dtype());
    return {};
  }

  Status store(const Tensor& keys, const Tensor& values, bool replaces_all) {
    if (auto status = check_dtypes(keys, values); !status.ok()) return status;
    if (keys.shape() != values.shape())
      return invalid_argument(
          "the values must have the shape of the keys, " + keys.shape().to_string() + ", not " +
          values.shape().to_string());
    std::unique_lock lock(mutex_);
    if (is_dropped_) return {};
    if (replaces_all) clear();
    const auto* value = values.data<Value>();
    for (const auto& key : keys.values<Key>()) {
      auto [entry, is_new] = values_.try_emplace(key);
      if (is_new) extra_bytes_ += extra_bytes(key);
      extra_bytes_ += extra_bytes(*value) - extra_bytes(entry->second);
      entry->second = *value++;
    }
    return {};
  }

  void clear() {
    values_.clear();
    extra_bytes_ = 0;
  }

  /// Exports do not depend on how the table came to be.
  std::vector<const Entry*> sorted() const {
    std::vector<const Entry*> entries;
    for (const auto& entry : values_) entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const Entry* entry) -> const Key& { return entry->first; });
    return entries;
  }

  mutable std::shared_mutex mutex_;
  std::unordered_map<Key, Value> values_;
  uint64_t extra_bytes_ = 0;              // of the strings in it
  std::atomic<bool> is_dropped_ = false;  // changes under the mutex
};

template <class Key>
std::shared_ptr<HashTableResource> make_with_values(DType value_dtype) {
  switch (value_dtype) {
    case DType::string: return std::make_shared<HashTable<Key, std::string>>();
    case DType::float32: return std::make_shared<HashTable<Key, float>>();
    case DType::float64: return std::make_shared<HashTable<Key, double>>();
    case DType::int32: return std::make_shared<HashTable<Key, int32_t>>();
    case DType::int64: return std::make_shared<HashTable<Key, int64_t>>();
    case DType::boolean: return std::make_shared<HashTable<Key, bool>>();
    default: return nullptr;
  }
}

std::shared_ptr<HashTableResource> make_with_keys(DType key_dtype, DType value_dtype) {
  switch (key_dtype) {
    case DType::string: return make_with_values<std::string>(value_dtype);
    case DType::int32: return make_with_values<int32_t>(value_dtype);
    case DType::int64: return make_with_values<int64_t>(value_dtype);
    default: return nullptr;
  }
}

std::string describe(DType keys, DType values) {
  return std::string("from ") + to_string(keys) + " to " + to_string(values);
}

Status check_hash_table(const Resource& resource, const Node& handle) {
  const auto& table = static_cast<const HashTableResource&>(resource);
  auto keys = handle.attr<DType>("key_dtype");
  auto values = handle.attr<DType>("value_dtype");
  if (table.key_dtype() == keys && table.value_dtype() == values) return {};
  return invalid_argument(
      "is " + describe(table.key_dtype(), table.value_dtype()) + ", but the graph declares it as " +
      describe(keys, values));
}

}  // namespace

Result<std::shared_ptr<HashTableResource>> make_hash_table(DType key_dtype, DType value_dtype) {
  if (auto table = make_with_keys(key_dtype, value_dtype)) return table;
  return unimplemented(
      "there are no hash tables " + describe(key_dtype, value_dtype) +
      ": keys are string, int32 or int64; values are string, float32, float64, int32, int64 or "
      "bool");
}

void add_hash_table_kind(ResourceKindCatalog& catalog) {
  catalog.add(
      {.name = HashTableResource::kind_name,
       .handle_op = "MutableHashTableV2",
       .make = [](const Node& handle) -> Result<std::shared_ptr<Resource>> {
         return make_hash_table(handle.attr<DType>("key_dtype"), handle.attr<DType>("value_dtype"));
       },
       .check = check_hash_table});
}

}  // namespace troupe
