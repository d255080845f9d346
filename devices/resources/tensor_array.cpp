#include "troupe/devices/resources/tensor_array.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace troupe {
namespace {

constexpr int32_t index_max = std::numeric_limits<int32_t>::max();  // the size after it is no int32

/// The sizes of both, one after the other; nothing is known where nothing is of the inner.
Result<Shape> nested(const Shape& outer, const Shape& inner) {
  if (!inner.has_rank()) return inner;
  std::vector<int64_t> sizes(outer.sizes().begin(), outer.sizes().end());
  sizes.insert(sizes.end(), inner.sizes().begin(), inner.sizes().end());
  return Shape::make(sizes);
}

}  // namespace

TensorArrayResource::TensorArrayResource(std::string name, int32_t size, const Options& options)
    : name_(std::move(name)), options_(options), size_(size) {}

void TensorArrayResource::drop() {
  close();
  std::map<std::string, std::shared_ptr<TensorArrayResource>> gradients;
  {
    std::lock_guard lock(mutex_);
    gradients.swap(gradients_);
  }
  for (auto& [source, gradient] : gradients) gradient->drop();
}

bool TensorArrayResource::is_dropped() const {
  std::lock_guard lock(mutex_);
  return is_closed_;
}

Resource::Description TensorArrayResource::describe() const {
  std::lock_guard lock(mutex_);
  Description description{.dtype = options_.dtype, .shape = options_.element_shape};
  for (const auto& [index, element] : elements_)
    if (element.value.is_set()) description.bytes += element.value.bytes();
  return description;
}

Result<int32_t> TensorArrayResource::size() const {
  std::lock_guard lock(mutex_);
  if (auto status = check_open(); !status.ok()) return status;
  return size_;
}

Result<int32_t> TensorArrayResource::concat_size() const {
  std::lock_guard lock(mutex_);
  if (auto status = check_open(); !status.ok()) return status;
  return is_gradient_ && split_size_ >= 0 ? split_size_ : size_;
}

Status TensorArrayResource::write(int32_t index, Tensor value, ElementMath& math) {
  for (;;) {
    Tensor summand;
    {
      std::lock_guard lock(mutex_);
      if (auto status = check_write(index, value); !status.ok()) return status;
      size_ = std::max(size_, index + 1);
      if (options_.identical_element_shapes && !options_.element_shape.is_known())
        options_.element_shape = value.shape();
      auto& element = elements_[index];
      element.shape = value.shape();
      element.is_written = true;
      if (!element.value.is_set()) {
        element.value = std::move(value);
        return {};
      }
      // The sum is computed without the lock: others need not wait, and what they add meanwhile is
      // found in place of what was taken.
      summand = std::exchange(element.value, Tensor());
      has_sums_ = true;
    }
    auto sum = math.sum(std::move(summand), value);
    if (!sum) return sum.status();
    value = *std::move(sum);
  }
}

Status TensorArrayResource::check_write(int32_t index, const Tensor& value) const {
  if (auto status = check_open(); !status.ok()) return status;
  if (index < 0 || (index >= size_ && (!options_.dynamic_size || index == index_max)))
    return fault(
        index, "cannot be written: the size is " + std::to_string(size_) +
                   (options_.dynamic_size ? "" : ", and cannot grow"));
  if (value.dtype() != options_.dtype)
    return fault(
        index, std::string("cannot be written: the dtype of the value is ") +
                   to_string(value.dtype()) + ", that of the array " + to_string(options_.dtype));
  if (!options_.element_shape.is_compatible_with(value.shape()))
    return fault(
        index, "cannot be written: the shape of the value is " + value.shape().to_string() +
                   ", that of elements " + options_.element_shape.to_string() +
                   " (infer_shape=False allows elements of several shapes)");
  auto found = elements_.find(index);
  if (found == elements_.end()) return {};
  const auto& element = found->second;
  if (element.is_read) return fault(index, "cannot be written: it has been read");
  if (!element.is_written) return {};
  if (!is_gradient_) return fault(index, "cannot be written: it has been written");
  if (element.shape != value.shape())
    return fault(
        index, "cannot be added to: its shape is " + element.shape.to_string() +
                   ", that of the value " + value.shape().to_string());
  return {};
}

Result<Tensor> TensorArrayResource::read(int32_t index, ElementMath& math) {
  Shape shape;
  {
    std::lock_guard lock(mutex_);
    auto element = element_to_read(index);
    if (!element) return element.status();
    (*element)->is_read = true;
    auto& value = (*element)->value;
    auto read = options_.clear_after_read ? std::exchange(value, Tensor()) : value;
    if (read.is_set()) return read;
    shape = (*element)->shape;
  }
  return math.zeros(options_.dtype, shape);
}

Result<TensorArrayResource::Element*> TensorArrayResource::element_to_read(int32_t index) {
  if (auto status = check_open(); !status.ok()) return status;
  if (index < 0 || (index >= size_ && (!is_gradient_ || index == index_max)))
    return fault(index, "cannot be read: the size is " + std::to_string(size_));
  auto found = elements_.find(index);
  if (found != elements_.end() && found->second.is_read && options_.clear_after_read)
    return fault(
        index,
        "cannot be read twice: the first read has cleared it (clear_after_read=False keeps "
        "elements)");
  if (found != elements_.end() && found->second.is_written) return &found->second;
  if (!options_.element_shape.is_known())
    return fault(
        index,
        "cannot be read: it has not been written, and the shape of its zeros is not known: "
        "element_shape is " +
            options_.element_shape.to_string());
  size_ = std::max(size_, index + 1);
  auto& element = elements_[index];
  element.shape = options_.element_shape;
  element.is_written = true;
  return &element;
}

Status TensorArrayResource::begin_split(int64_t count) {
  std::lock_guard lock(mutex_);
  if (auto status = check_open(); !status.ok()) return status;
  if (options_.dynamic_size ? count < size_ || count > index_max : count != size_)
    return invalid_argument(
        "TensorArray " + name_ + " has " + std::to_string(size_) + " elements" +
        (options_.dynamic_size ? "" : " and cannot grow") + ", but is split into " +
        std::to_string(count));
  if (!is_gradient_) split_size_ = static_cast<int32_t>(count);
  return {};
}

Result<Shape> TensorArrayResource::restrict_element_shape(const Shape& shape) {
  std::lock_guard lock(mutex_);
  if (auto status = check_open(); !status.ok()) return status;
  auto merged = options_.element_shape.merge(shape);
  if (merged) options_.element_shape = *merged;
  return merged;
}

Result<std::shared_ptr<TensorArrayResource>> TensorArrayResource::gradient(
    const std::string& source, const Shape& outer) {
  std::lock_guard lock(mutex_);
  if (auto status = check_open(); !status.ok()) return status;
  if (has_sums_)
    return invalid_argument(
        "TensorArray " + name_ +
        " has no gradient: an element is a sum of what was written to it more than once");
  options_.dynamic_size = false;
  if (auto found = gradients_.find(source); found != gradients_.end()) return found->second;
  auto made = make_gradient(source, outer);
  if (made) gradients_.emplace(source, *made);
  return made;
}

Result<std::shared_ptr<TensorArrayResource>> TensorArrayResource::make_gradient(
    const std::string& source, const Shape& outer) const {
  auto options = options_;
  options.clear_after_read = true;
  auto element_shape = nested(outer, options_.element_shape);
  if (!element_shape) return element_shape.status();
  options.element_shape = *element_shape;
  auto gradient = std::make_shared<TensorArrayResource>(name_ + "@" + source, size_, options);
  gradient->is_gradient_ = true;
  gradient->split_size_ = split_size_;
  for (const auto& [index, element] : elements_) {
    if (!element.is_written) continue;
    auto shape = nested(outer, element.shape);
    if (!shape) return shape.status();
    gradient->elements_.emplace(index, Element{.value = {}, .shape = *shape, .is_written = true});
  }
  return gradient;
}

void TensorArrayResource::close() {
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  elements_.clear();
}

Status TensorArrayResource::check_open() const {
  return is_closed_ ? invalid_argument("TensorArray " + name_ + " is closed") : Status();
}

Status TensorArrayResource::fault(int32_t index, const std::string& what) const {
  return invalid_argument(
      "index " + std::to_string(index) + " of TensorArray " + name_ + " " + what);
}

}  // namespace troupe
