#include "troupe/devices/resources/hash_table.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <sstream>
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

std::string element_text(const std::string& text) { return text; }
template <class T>
std::string element_text(const T& number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

Status wrong_dtype(const char* what, DType held, DType given) {
  return invalid_argument(
      std::string("the table's ") + what + " are " + to_string(held) + ", not " + to_string(given));
}

/// What a table without a value_shape has for each key.
template <class T>
struct SingleValue {
  using Element = T;

  explicit SingleValue(int64_t) {}
  void assign(const T* from, int64_t) { value = *from; }
  void copy_to(T* to, int64_t) const { *to = value; }
  bool equals(const T* other, int64_t) const { return value == *other; }
  uint64_t bytes(int64_t) const { return extra_bytes(value); }

  T value = {};
};

/// What a table whose values are vectors has for each key.
template <class T>
struct RowOfValues {
  using Element = T;

  explicit RowOfValues(int64_t width) : values(new T[static_cast<size_t>(width)]()) {}
  void assign(const T* from, int64_t width) { std::copy_n(from, width, values.get()); }
  void copy_to(T* to, int64_t width) const { std::copy_n(values.get(), width, to); }
  bool equals(const T* other, int64_t width) const {
    return std::equal(other, other + width, values.get());
  }
  uint64_t bytes(int64_t width) const {
    auto sum = static_cast<uint64_t>(width) * sizeof(T);
    for (int64_t i = 0; i < width; ++i) sum += extra_bytes(values[static_cast<size_t>(i)]);
    return sum;
  }

  std::unique_ptr<T[]> values;
};

template <class Key, class Row>
class HashTable final : public HashTableResource {
 public:
  using Value = typename Row::Element;

  explicit HashTable(const HashTableOptions& options)
      : value_shape_(options.value_shape),
        width_(options.value_shape.elements()),
        is_static_(options.is_static) {}

  DType key_dtype() const override { return dtype_of<Key>(); }
  DType value_dtype() const override { return dtype_of<Value>(); }
  const Shape& value_shape() const override { return value_shape_; }
  bool is_static() const override { return is_static_; }
  bool is_initialized() const override { return is_initialized_.load(std::memory_order_acquire); }

  void drop() override {
    std::unique_lock lock(mutex_);
    is_dropped_ = true;
    rows_ = {};
  }
  bool is_dropped() const override { return is_dropped_.load(std::memory_order_acquire); }

  Description describe() const override {
    std::shared_lock lock(mutex_);
    auto count = static_cast<int64_t>(rows_.of_keys.size());
    auto bytes = rows_.of_keys.size() * (sizeof(Key) + sizeof(Row)) + rows_.extra_bytes;
    return {.dtype = value_dtype(), .shape = {count}, .bytes = bytes};
  }

  Result<Tensor> find(
      const Tensor& keys, const Tensor& fallback, Allocator& allocator) const override {
    if (is_static_ && !is_initialized()) return failed_precondition("Table not initialized.");
    if (auto status = check_dtypes(keys, fallback); !status.ok()) return status;
    if (fallback.shape() != value_shape_)
      return wrong_shape(value_shape_, "default value", fallback);
    auto shape = shape_of_values(keys);
    if (!shape) return shape.status();
    auto found = Tensor::allocate(value_dtype(), *shape, allocator);
    if (!found) return found;
    auto* to = found->template mutable_data<Value>();
    std::shared_lock lock(mutex_);
    for (const auto& key : keys.values<Key>()) {
      auto entry = rows_.of_keys.find(key);
      if (entry == rows_.of_keys.end()) std::copy_n(fallback.data<Value>(), width_, to);
      else entry->second.copy_to(to, width_);
      to += width_;
    }
    return found;
  }

  Status insert(const Tensor& keys, const Tensor& values) override {
    if (is_static_) return unsupported("Insert");
    if (auto status = check_entries(keys, values); !status.ok()) return status;
    std::unique_lock lock(mutex_);
    if (!is_dropped_) add(keys, values, rows_);
    return {};
  }

  Status assign(const Tensor& keys, const Tensor& values) override {
    if (is_static_) return initialize(keys, values);
    if (auto status = check_entries(keys, values); !status.ok()) return status;
    Rows rows;
    add(keys, values, rows);
    std::unique_lock lock(mutex_);
    if (!is_dropped_) std::swap(rows_, rows);
    return {};
  }

  Status initialize(const Tensor& keys, const Tensor& values) override {
    if (!is_static_) return invalid_argument("the table is not initializable");
    if (keys.elements() == 0) return invalid_argument("keys and values cannot be empty tensors.");
    if (auto status = check_entries(keys, values); !status.ok()) return status;
    Rows rows;
    if (!is_initialized())
      if (auto status = add_distinct(keys, values, rows); !status.ok()) return status;
    std::unique_lock lock(mutex_);
    if (is_dropped_) return {};
    if (is_initialized_) {
      if (static_cast<int64_t>(rows_.of_keys.size()) == keys.elements()) return {};
      return failed_precondition("Table was already initialized with different data.");
    }
    std::swap(rows_, rows);
    is_initialized_ = true;
    return {};
  }

  Status remove(const Tensor& keys) override {
    if (is_static_) return unsupported("Remove");
    if (keys.dtype() != key_dtype()) return wrong_dtype("keys", key_dtype(), keys.dtype());
    std::unique_lock lock(mutex_);
    for (const auto& key : keys.values<Key>()) {
      auto entry = rows_.of_keys.find(key);
      if (entry == rows_.of_keys.end()) continue;
      rows_.extra_bytes -= extra_bytes(entry->first) + entry->second.bytes(width_);
      rows_.of_keys.erase(entry);
    }
    return {};
  }

  int64_t size() const override {
    std::shared_lock lock(mutex_);
    return static_cast<int64_t>(rows_.of_keys.size());
  }

  Result<Entries> entries(Allocator& allocator) const override {
    if (is_static_ && !is_initialized()) return aborted("HashTable is not initialized.");
    std::shared_lock lock(mutex_);
    Shape shape{static_cast<int64_t>(rows_.of_keys.size())};
    auto keys = Tensor::allocate(key_dtype(), shape, allocator);
    if (!keys) return keys.status();
    auto values = Tensor::allocate(value_dtype(), *shape_of_values(*keys), allocator);
    if (!values) return values.status();
    auto* key = keys->template mutable_data<Key>();
    auto* value = values->template mutable_data<Value>();
    for (const auto* entry : sorted()) {
      *key++ = entry->first;
      entry->second.copy_to(value, width_);
      value += width_;
    }
    return Entries{*std::move(keys), *std::move(values)};
  }

 private:
  using Entry = std::pair<const Key, Row>;

  struct Rows {
    std::unordered_map<Key, Row> of_keys;
    uint64_t extra_bytes = 0;  // of the strings and rows in it
  };

  static Status unsupported(const char* what) {
    return unimplemented(
        std::string(what) + " not supported by InitializableLookupTable implementations");
  }

  static Status wrong_shape(const Shape& wanted, const char* what, const Tensor& given) {
    return invalid_argument(
        "Expected shape " + wanted.to_string() + " for " + what + ", got " +
        given.shape().to_string());
  }

  static Status check_dtypes(const Tensor& keys, const Tensor& values) {
    if (keys.dtype() != dtype_of<Key>()) return wrong_dtype("keys", dtype_of<Key>(), keys.dtype());
    if (values.dtype() != dtype_of<Value>())
      return wrong_dtype("values", dtype_of<Value>(), values.dtype());
    return {};
  }

  /// The shape of the keys, and that of a value behind it.
  Result<Shape> shape_of_values(const Tensor& keys) const {
    auto sizes = keys.shape().sizes();
    std::vector<int64_t> all(sizes.begin(), sizes.end());
    all.insert(all.end(), value_shape_.sizes().begin(), value_shape_.sizes().end());
    return Shape::make(all);
  }

  Status check_entries(const Tensor& keys, const Tensor& values) const {
    if (auto status = check_dtypes(keys, values); !status.ok()) return status;
    auto shape = shape_of_values(keys);
    if (!shape) return shape.status();
    return values.shape() == *shape ? Status() : wrong_shape(*shape, "value", values);
  }

  void add(const Tensor& keys, const Tensor& values, Rows& rows) const {
    const auto* value = values.data<Value>();
    for (const auto& key : keys.values<Key>()) {
      auto [entry, is_new] = rows.of_keys.try_emplace(key, width_);
      if (is_new) rows.extra_bytes += extra_bytes(key);
      else rows.extra_bytes -= entry->second.bytes(width_);
      entry->second.assign(value, width_);
      rows.extra_bytes += entry->second.bytes(width_);
      value += width_;
    }
  }

  Status add_distinct(const Tensor& keys, const Tensor& values, Rows& rows) const {
    add(keys, values, rows);
    if (static_cast<int64_t>(rows.of_keys.size()) == keys.elements()) return {};
    // Of equal keys the last one is in it.
    const auto* value = values.data<Value>();
    for (const auto& key : keys.values<Key>()) {
      if (!rows.of_keys.at(key).equals(value, width_))
        return failed_precondition(
            "HashTable has different value for same key. Key " + element_text(key) + " has " +
            element_text(*value) + " and trying to add value " + last_text(rows.of_keys.at(key)));
      value += width_;
    }
    return {};
  }

  std::string last_text(const Row& row) const {
    std::unique_ptr<Value[]> values(new Value[static_cast<size_t>(width_)]());
    row.copy_to(values.get(), width_);
    return element_text(values[0]);
  }

  /// Exports do not depend on how the table came to be.
  std::vector<const Entry*> sorted() const {
    std::vector<const Entry*> entries;
    for (const auto& entry : rows_.of_keys) entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const Entry* entry) -> const Key& { return entry->first; });
    return entries;
  }

  const Shape value_shape_;
  const int64_t width_;
  const bool is_static_;
  mutable std::shared_mutex mutex_;
  Rows rows_;
  // Both change under the mutex.
  std::atomic<bool> is_initialized_ = false;
  std::atomic<bool> is_dropped_ = false;
};

using Made = std::shared_ptr<HashTableResource>;

template <class Key, class Value>
Made make_with_shape(const HashTableOptions& options) {
  if (options.value_shape.is_scalar())
    return std::make_shared<HashTable<Key, SingleValue<Value>>>(options);
  return std::make_shared<HashTable<Key, RowOfValues<Value>>>(options);
}

template <class Key>
Made make_with_values(const HashTableOptions& options) {
  switch (options.value_dtype) {
    case DType::string: return make_with_shape<Key, std::string>(options);
    case DType::float32: return make_with_shape<Key, float>(options);
    case DType::float64: return make_with_shape<Key, double>(options);
    case DType::int32: return make_with_shape<Key, int32_t>(options);
    case DType::int64: return make_with_shape<Key, int64_t>(options);
    case DType::boolean: return make_with_shape<Key, bool>(options);
    default: return nullptr;
  }
}

Made make_with_keys(const HashTableOptions& options) {
  switch (options.key_dtype) {
    case DType::string: return make_with_values<std::string>(options);
    case DType::int32: return make_with_values<int32_t>(options);
    case DType::int64: return make_with_values<int64_t>(options);
    default: return nullptr;
  }
}

std::string describe(DType keys, DType values) {
  return std::string("from ") + to_string(keys) + " to " + to_string(values);
}

/// What the node that makes the handle says of its table.
HashTableOptions options_of(const Node& handle) {
  HashTableOptions options{
      .key_dtype = handle.attr<DType>("key_dtype"),
      .value_dtype = handle.attr<DType>("value_dtype")};
  options.is_static = handle.op->name().starts_with("HashTable");
  if (handle.attrs.contains("value_shape")) options.value_shape = handle.attr<Shape>("value_shape");
  return options;
}

Result<std::shared_ptr<Resource>> make_declared(const Node& handle) {
  auto options = options_of(handle);
  auto of_tensors = handle.op->name().starts_with("MutableHashTableOfTensors");
  if (of_tensors && options.value_shape.rank() != 1)
    return invalid_argument(
        "Default value must be a vector, got shape " + options.value_shape.to_string());
  return make_hash_table(options);
}

Status check_hash_table(const Resource& resource, const Node& handle) {
  const auto& table = static_cast<const HashTableResource&>(resource);
  auto declared = options_of(handle);
  if (table.key_dtype() != declared.key_dtype || table.value_dtype() != declared.value_dtype)
    return invalid_argument(
        "is " + describe(table.key_dtype(), table.value_dtype()) +
        ", but the graph declares it as " + describe(declared.key_dtype, declared.value_dtype));
  if (table.value_shape() != declared.value_shape)
    return invalid_argument(
        "has values of shape " + table.value_shape().to_string() +
        ", but the graph declares it with " + declared.value_shape.to_string());
  if (table.has_buckets())
    return invalid_argument("is a dense table, but the graph declares it as one of another kind");
  if (table.is_static() == declared.is_static) return {};
  return invalid_argument(
      table.is_static() ? "is filled once, but the graph declares it as one that changes"
                        : "changes, but the graph declares it as one that is filled once");
}

}  // namespace

Result<std::shared_ptr<HashTableResource>> make_hash_table(const HashTableOptions& options) {
  const auto& shape = options.value_shape;
  if (!shape.is_known() || shape.rank() > 1)
    return invalid_argument("no table has values of shape " + shape.to_string());
  constexpr int64_t width_max = 1 << 24;
  if (shape.elements() > width_max)
    return resource_exhausted(
        "values of shape " + shape.to_string() + " have more than " + std::to_string(width_max) +
        " elements");
  if (auto table = make_with_keys(options)) return table;
  return unimplemented(
      "there are no hash tables " + describe(options.key_dtype, options.value_dtype) +
      ": keys are string, int32 or int64; values are string, float32, float64, int32, int64 or "
      "bool");
}

Result<std::shared_ptr<HashTableResource>> make_hash_table(DType key_dtype, DType value_dtype) {
  return make_hash_table({.key_dtype = key_dtype, .value_dtype = value_dtype});
}

void add_hash_table_kind(ResourceKindCatalog& catalog) {
  for (std::string op : {"HashTable", "MutableHashTable", "MutableHashTableOfTensors"})
    for (const auto* form : {"", "V2"})
      catalog.add(
          {.name = HashTableResource::kind_name,
           .handle_op = op + form,
           .make = make_declared,
           .check = check_hash_table});
}

}  // namespace troupe
