#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The sizes of a tensor's dimensions, in row-major order. In a graph a size, or the number of
/// dimensions itself, may be unknown; the shape of a tensor never is. A value without allocations.
class Shape {
 public:
  static constexpr int max_rank = 8;
  static constexpr int64_t unknown = -1;
  static constexpr int64_t max_elements = int64_t{1} << 48;

  /// A scalar's shape.
  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes)
      : Shape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}
  /// At most max_rank sizes, each at least 0 or `unknown`; from outside, use make().
  explicit Shape(std::span<const int64_t> sizes);

  static Shape unknown_rank();
  /// A shape of that many dimensions, all unknown.
  static Shape of_rank(int rank);
  /// As the constructor, for sizes that a client, peer or file gave.
  static Result<Shape> make(std::span<const int64_t> sizes);

  bool has_rank() const { return rank_ >= 0; }
  /// The number of dimensions, or -1 where that is unknown.
  int rank() const { return rank_; }
  bool is_scalar() const { return rank_ == 0; }
  int64_t operator[](int axis) const { return sizes_[static_cast<size_t>(axis)]; }
  void set(int axis, int64_t size) { sizes_[static_cast<size_t>(axis)] = size; }
  std::span<const int64_t> sizes() const;

  bool is_known() const;
  /// The product of all sizes, or the greatest int64 where it is more; the shape must be known.
  int64_t elements() const;

  /// True when some known shape fits both.
  bool is_compatible_with(const Shape& other) const;
  /// What is known of either; fails when they contradict each other.
  Result<Shape> merge(const Shape& other) const;

  /// "[2,?,3]", "[]" for a scalar, "<unknown>" without a rank.
  std::string to_string() const;

  bool operator==(const Shape& other) const;

 private:
  int8_t rank_ = 0;
  std::array<int64_t, max_rank> sizes_{};
};

using Shapes = std::vector<Shape>;

/// The shape of an element-wise result under NumPy's broadcasting; unknown sizes stay unknown.
Result<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace troupe
