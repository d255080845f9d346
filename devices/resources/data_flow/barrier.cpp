#include "troupe/devices/resources/data_flow/barrier.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "troupe/devices/resources/resource_kind.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

/// One row of a tensor, as a tensor of its own.
Result<Tensor> row_of(const Tensor& values, int64_t row, Allocator& allocator) {
  auto copy = Tensor::allocate(values.dtype(), Shape(values.shape().sizes().subspan(1)), allocator);
  if (!copy) return copy;
  auto elements = copy->elements();
  if (values.dtype() == DType::string) {
    const auto* texts = values.data<std::string>() + row * elements;
    std::copy_n(texts, elements, copy->mutable_data<std::string>());
  } else {
    const auto* bytes = static_cast<const char*>(values.raw());
    std::memcpy(
        copy->mutable_raw(), bytes + static_cast<size_t>(row) * copy->bytes(), copy->bytes());
  }
  return copy;
}

template <class List>
std::string list_text(const List& list, auto to_text) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + std::string(to_text(item));
  return "[" + text + "]";
}
std::string to_text(const DTypes& dtypes) {
  return list_text(dtypes, [](DType dtype) { return to_string(dtype); });
}
std::string to_text(const Shapes& shapes) {
  return list_text(shapes, [](const Shape& shape) { return shape.to_string(); });
}

Result<std::shared_ptr<Resource>> make_barrier(const Node& handle) {
  const auto& dtypes = handle.attr<DTypes>("component_types");
  const auto& shapes = handle.attr<Shapes>("shapes");
  if (shapes.size() != dtypes.size())
    return invalid_argument("All of the component shapes must be specified");
  if (handle.attr<int64_t>("capacity") != -1)
    return invalid_argument(
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to "
        "enforce a limited capacity.");
  return std::shared_ptr<Resource>(std::make_shared<BarrierResource>(
      BarrierResource::Options{resource_of(handle)->name, dtypes, shapes}));
}

Status check_barrier(const Resource& resource, const Node& handle) {
  const auto& held = static_cast<const BarrierResource&>(resource).options();
  auto differs = [&](const char* what, const std::string& has, const std::string& requested) {
    return invalid_argument(
        "Shared barrier '" + held.name + "' has component " + what + " " + has +
        " but requested component " + what + " were " + requested);
  };
  const auto& dtypes = handle.attr<DTypes>("component_types");
  if (held.dtypes != dtypes) return differs("types", to_text(held.dtypes), to_text(dtypes));
  const auto& shapes = handle.attr<Shapes>("shapes");
  if (held.shapes != shapes) return differs("shapes", to_text(held.shapes), to_text(shapes));
  return {};
}

}  // namespace

Resource::Description BarrierResource::describe() const {
  std::lock_guard lock(mutex_);
  Description description{
      .dtype = options_.dtypes[0], .shape = {static_cast<int64_t>(ready_.size())}};
  for (const auto& [index, element] : ready_)
    for (const auto& value : element.values) description.bytes += value.bytes();
  for (const auto& [key, incomplete] : incomplete_)
    for (const auto& value : incomplete.values)
      if (value.is_set()) description.bytes += value.bytes();
  return description;
}

Status BarrierResource::check_insert(
    int64_t component, const Tensor& keys, const Tensor& values) const {
  auto count = static_cast<int64_t>(options_.dtypes.size());
  if (component < 0 || component >= count)
    return invalid_argument(
        "The component ID is out of range " + std::to_string(component) +
        " > num_components (= " + std::to_string(count) + ")");
  auto at = static_cast<size_t>(component);
  if (values.dtype() != options_.dtypes[at])
    return invalid_argument(
        "component " + std::to_string(component) + " is " + to_string(options_.dtypes[at]) +
        ", not " + to_string(values.dtype()));
  auto shape = values.shape();
  if (keys.shape().rank() != 1 || shape.is_scalar() || shape[0] != keys.elements())
    return invalid_argument(
        "keys must be a vector, and values have a row for each, but their shapes are " +
        keys.shape().to_string() + " and " + shape.to_string());
  if (keys.elements() == 0) return {};
  if (values.elements() == 0)
    return invalid_argument(
        "Tensors with no elements are not supported " + options_.name + ": received shape " +
        shape.to_string());
  auto row = Shape(shape.sizes().subspan(1));
  if (!row.is_compatible_with(options_.shapes[at]))
    return invalid_argument(
        "Shape mismatch in tuple component " + std::to_string(component) + ". Expected " +
        options_.shapes[at].to_string() + ", got " + row.to_string());
  return {};
}

Status BarrierResource::closed_to_key(const std::string& key, size_t at) const {
  return cancelled(
      "Barrier " + options_.name + " is closed, but attempted to insert a brand new key: " + key +
      ".  Pending enqueues cancelled: " + std::to_string(is_cancelled_) +
      ".  Insertion index: " + std::to_string(at) +
      ".  Number of incomplete keys: " + std::to_string(incomplete_.size()) + ".");
}

/// Whether each key can get that component, one after the other: a key may come again once its
/// element is complete, and thus gone.
Status BarrierResource::check_keys(int64_t component, std::span<const std::string> keys) const {
  if (is_closed_ && (is_cancelled_ || (!keys.empty() && incomplete_.empty())))
    return cancelled(
        "Barrier " + options_.name +
        " is closed.  Pending enqueues cancelled: " + std::to_string(is_cancelled_) +
        ".  Number of new insertions: " + std::to_string(keys.size()) +
        ".  Number of incomplete keys: " + std::to_string(incomplete_.size()) + ".");
  std::set<std::string_view> given, completed;
  for (size_t i = 0; i < keys.size(); ++i) {
    auto found = incomplete_.find(keys[i]);
    auto is_known = found != incomplete_.end() && !completed.contains(keys[i]);
    auto has_value = given.contains(keys[i]) ||
                     (is_known && found->second.values[static_cast<size_t>(component)].is_set());
    if (has_value)
      return invalid_argument(
          "Key " + keys[i] + " already has a value for component " + std::to_string(component) +
          " in barrier " + options_.name);
    if (!is_known && is_closed_) return closed_to_key(keys[i], i);
    auto missing = is_known ? std::ranges::count_if(
                                  found->second.values, [](const auto& v) { return !v.is_set(); })
                            : static_cast<int64_t>(options_.dtypes.size());
    (missing == 1 ? completed : given).insert(keys[i]);
  }
  return {};
}

Status BarrierResource::insert(
    int64_t component, const Tensor& keys, const Tensor& values, Allocator& allocator) {
  if (auto status = check_insert(component, keys, values); !status.ok()) return status;
  Tensors rows;
  for (int64_t i = 0; i < keys.elements(); ++i) {
    auto row = row_of(values, i, allocator);
    if (!row) return row.status();
    rows.push_back(*std::move(row));
  }
  return change([&]() -> Status {
    auto names = keys.values<std::string>();
    if (auto status = check_keys(component, names); !status.ok()) return status;
    bool has_new = false;
    for (size_t i = 0; i < names.size(); ++i) {
      Element fresh{next_index_, names[i], Tensors(options_.dtypes.size())};
      auto [at, is_new] = incomplete_.try_emplace(names[i], std::move(fresh));
      has_new |= is_new;
      auto& element = at->second;
      element.values[static_cast<size_t>(component)] = std::move(rows[i]);
      if (!std::ranges::all_of(element.values, &Tensor::is_set)) continue;
      ready_.emplace(element.index, std::move(element));
      incomplete_.erase(at);
    }
    next_index_ += has_new;
    return {};
  });
}

uint64_t BarrierResource::take(int32_t count, bool allow_small_batch, Taken taken) {
  if (count < 0) {
    taken(invalid_argument("num_elements must not be negative: " + std::to_string(count)));
    return 0;
  }
  auto elements = std::make_shared<std::vector<Element>>();
  auto attempt = [this, count, allow_small_batch, elements] {
    return try_take(count, allow_small_batch, *elements);
  };
  return call(0, std::move(attempt), [elements, taken = std::move(taken)](const Status& status) {
    if (status.ok()) taken(std::move(*elements));
    else taken(status);
  });
}

std::optional<Status> BarrierResource::try_take(
    int32_t count, bool allow_small_batch, std::vector<Element>& taken) {
  auto ready = static_cast<int32_t>(ready_.size());
  auto wanted = is_closed_ && allow_small_batch ? std::min(count, ready) : count;
  auto available = ready;
  if (!allow_small_batch) available += static_cast<int32_t>(incomplete_.size());
  if (is_closed_ && available < std::max(wanted, 1))
    return Status(
        Code::out_of_range,
        "Barrier '" + options_.name + "' is closed and has insufficient elements (requested " +
            std::to_string(wanted) + ", total size " + std::to_string(available) + ")");
  if (ready < wanted) return {};
  if (auto status = check_shapes(wanted); !status.ok()) return status;
  for (int32_t i = 0; i < wanted; ++i)
    taken.push_back(std::move(ready_.extract(ready_.begin()).mapped()));
  return Status();
}

/// Whether the values of the first elements can be the rows of one tensor.
Status BarrierResource::check_shapes(int32_t count) const {
  auto element = ready_.begin();
  for (int32_t i = 0; i < count; ++i, ++element)
    for (size_t j = 0; j < options_.dtypes.size(); ++j) {
      const auto& first = ready_.begin()->second.values[j].shape();
      const auto& shape = element->second.values[j].shape();
      if (shape != first)
        return invalid_argument(
            "elements of component " + std::to_string(j) +
            " cannot be taken at once, as their shapes differ: " + first.to_string() + " and " +
            shape.to_string());
    }
  return {};
}

Status BarrierResource::close(bool cancels) {
  return change([&]() -> Status {
    if (is_closed_ && (is_cancelled_ || !cancels))
      return cancelled("Barrier '" + options_.name + "' is already closed.");
    is_closed_ = true;
    is_cancelled_ = cancels;
    if (cancels) incomplete_.clear();
    return {};
  });
}

int32_t BarrierResource::ready_size() const {
  std::lock_guard lock(mutex_);
  return static_cast<int32_t>(ready_.size());
}

int32_t BarrierResource::incomplete_size() const {
  std::lock_guard lock(mutex_);
  return static_cast<int32_t>(incomplete_.size());
}

void BarrierResource::clear() {
  incomplete_.clear();
  ready_.clear();
}

void add_barrier_kind(ResourceKindCatalog& catalog) {
  catalog.add(
      {.name = BarrierResource::kind_name,
       .handle_op = "Barrier",
       .make = make_barrier,
       .check = check_barrier,
       .says_what_differs = true});
}

}  // namespace troupe
