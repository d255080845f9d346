#include "troupe/graph/types/shape.hpp"

#include <algorithm>
#include <limits>

namespace troupe {

Shape::Shape(std::span<const int64_t> sizes) {
  CHECK(sizes.size() <= max_rank);
  rank_ = static_cast<int8_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
}

Shape Shape::unknown_rank() {
  Shape shape;
  shape.rank_ = -1;
  return shape;
}

Shape Shape::of_rank(int rank) {
  CHECK(rank >= 0 && rank <= max_rank);
  Shape shape;
  shape.rank_ = static_cast<int8_t>(rank);
  std::fill_n(shape.sizes_.begin(), rank, unknown);
  return shape;
}

Result<Shape> Shape::make(std::span<const int64_t> sizes) {
  if (sizes.size() > max_rank)
    return invalid_argument(
        "a tensor has at most " + std::to_string(max_rank) + " dimensions, not " +
        std::to_string(sizes.size()));
  int64_t product = 1;
  for (auto size : sizes) {
    if (size < unknown)
      return invalid_argument("a dimension cannot have the size " + std::to_string(size));
    if (size > max_elements || (size > 0 && product > max_elements / size))
      return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
    if (size > 0) product *= size;
  }
  return Shape(sizes);
}

std::span<const int64_t> Shape::sizes() const {
  return {sizes_.data(), rank_ > 0 ? static_cast<size_t>(rank_) : 0};
}

bool Shape::is_known() const {
  return has_rank() && std::ranges::all_of(sizes(), [](int64_t size) { return size >= 0; });
}

int64_t Shape::elements() const {
  if (std::ranges::count(sizes(), 0)) return 0;
  int64_t product = 1;
  for (auto size : sizes())
    if (__builtin_mul_overflow(product, size, &product)) return std::numeric_limits<int64_t>::max();
  return product;
}

bool Shape::is_compatible_with(const Shape& other) const { return bool(merge(other)); }

Result<Shape> Shape::merge(const Shape& other) const {
  if (!has_rank()) return other;
  if (!other.has_rank()) return *this;
  auto differ = [&] {
    return invalid_argument(
        "shapes " + to_string() + " and " + other.to_string() + " do not agree");
  };
  if (rank_ != other.rank_) return differ();
  Shape merged = *this;
  for (int axis = 0; axis < rank_; ++axis) {
    if (merged[axis] == unknown) merged.set(axis, other[axis]);
    else if (other[axis] != unknown && other[axis] != merged[axis]) return differ();
  }
  return merged;
}

std::string Shape::to_string() const {
  if (!has_rank()) return "<unknown>";
  std::string text = "[";
  for (int axis = 0; axis < rank_; ++axis) {
    if (axis > 0) text += ',';
    text += (*this)[axis] == unknown ? "?" : std::to_string((*this)[axis]);
  }
  return text + "]";
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ && std::ranges::equal(sizes(), other.sizes());
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown_rank();
  auto result = Shape::of_rank(std::max(a.rank(), b.rank()));
  for (int back = 1; back <= result.rank(); ++back) {
    auto size_of = [&](const Shape& s) { return back <= s.rank() ? s[s.rank() - back] : 1; };
    auto x = size_of(a), y = size_of(b);
    auto size = x == 1                ? y
                : y == 1 || x == y    ? x
                : x == Shape::unknown ? y
                : y == Shape::unknown ? x
                                      : int64_t{-2};
    if (size == -2)
      return invalid_argument(
          "shapes " + a.to_string() + " and " + b.to_string() + " cannot be broadcast together");
    result.set(result.rank() - back, size);
  }
  return result;
}

}  // namespace troupe
