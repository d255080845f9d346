#include "troupe/devices/resources/variable.hpp"

#include <utility>

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

std::string describe(DType dtype, const Shape& shape) {
  return to_string(dtype) + shape.to_string();
}

/// A reference has the shape of the value, a handle has it as an attribute.
const Shape& declared_shape(const Node& handle) {
  return handle.gives_reference(0) ? handle.output_shapes[0] : handle.attr<Shape>("shape");
}

Status check_variable(const Resource& resource, const Node& handle) {
  const auto& variable = static_cast<const VariableResource&>(resource);
  auto dtype = handle.attr<DType>("dtype");
  const auto& shape = declared_shape(handle);
  if (variable.dtype() == dtype && variable.shape().is_compatible_with(shape)) return {};
  return invalid_argument(
      "is " + describe(variable.dtype(), variable.shape()) + ", but the graph declares it as " +
      describe(dtype, shape));
}

}  // namespace

void VariableResource::drop() {
  Tensor none;
  std::unique_lock lock(mutex_);
  dropped_ = true;
  description_ = {.dtype = dtype_, .shape = shape_};
  set(none, lock);
}

Resource::Description VariableResource::describe() const {
  std::lock_guard lock(mutex_);
  return description_;
}

bool VariableResource::has_value() const {
  std::lock_guard lock(mutex_);
  return value_.is_set() || update_;
}

uint64_t VariableResource::read_when_updated(Reader reader) {
  std::unique_lock lock(mutex_);
  auto id = reader_count_++;
  if (is_written_over()) {
    is_awaited_ = true;
    readers_.emplace(id, std::move(reader));
    return id;
  }
  auto value = value_;
  lock.unlock();
  reader(std::move(value));
  return id;
}

void VariableResource::give_up(uint64_t reader) {
  std::unique_lock lock(mutex_);
  auto waiting = readers_.extract(reader);
  lock.unlock();
  if (waiting) waiting.mapped()(cancelled("the read of the variable was given up"));
}

void VariableResource::assign(Tensor value) {
  std::unique_lock lock(mutex_);
  if (dropped_) return;
  description_ = {.dtype = dtype_, .shape = value.shape(), .bytes = value.bytes()};
  set(value, lock);
}

void VariableResource::wait_for_update(std::unique_lock<std::mutex>& lock) {
  while (update_) {
    is_awaited_ = true;
    update_ended_.wait(lock);
  }
}

void VariableResource::wake(std::unique_lock<std::mutex>& lock) {
  is_awaited_ = false;
  update_ended_.notify_all();
  auto readers = std::exchange(readers_, {});
  auto value = value_;
  lock.unlock();
  for (auto& [id, reader] : readers) reader(value);
}

// A variable is the same to those who use it by its handle and by reference.
void add_variable_kind(ResourceKindCatalog& catalog) {
  for (const auto* handle_op : {"VarHandleOp", "VariableV2", "Variable"})
    catalog.add(
        {.name = VariableResource::kind_name,
         .handle_op = handle_op,
         .creating_ops = {"AssignVariableOp", "Assign"},
         .make = [](const Node& handle) -> Result<std::shared_ptr<Resource>> {
           return std::shared_ptr<Resource>(std::make_shared<VariableResource>(
               handle.attr<DType>("dtype"), declared_shape(handle)));
         },
         .check = check_variable});
}

}  // namespace troupe
