#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/linalg/product.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/vector/search.hpp"

namespace troupe::cpu {
namespace {

/// The rows of a matrix, as points.
struct Points {
  const float* data;
  int64_t count, dimensions;

  static Result<Points> of(const Launch& launch, int index, const char* name) {
    const auto& shape = launch.input(index).shape();
    if (shape.rank() != 2)
      return invalid_argument(
          std::string("'") + name + "' must be a matrix, but has the shape " + shape.to_string());
    return Points{launch.input(index).data<float>(), shape[0], shape[1]};
  }

  const float* row(int64_t index) const { return data + index * dimensions; }
  Points rows(int64_t begin, int64_t end) const { return {row(begin), end - begin, dimensions}; }

  /// Half of each one's squared distance from 0.
  std::vector<float> half_squares() const {
    std::vector<float> result(static_cast<size_t>(count));
    parallel_ranges(count, dimensions, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i)
        result[static_cast<size_t>(i)] =
            0.5f * std::inner_product(row(i), row(i) + dimensions, row(i), 0.0f);
    });
    return result;
  }
};

/// Sets products[i * centers.count + j] to that of point i and center j.
void multiply(const Points& points, const Points& centers, float* products) {
  if (points.dimensions == 0) {
    std::fill_n(products, points.count * centers.count, 0.0f);
    return;
  }
  multiply_by_eigen<float>(
      {.rows = points.count,
       .inner = points.dimensions,
       .columns = centers.count,
       .transpose_a = false,
       .transpose_b = true,
       .a = points.data,
       .b = centers.data,
       .out = products,
       .a_stride = points.dimensions,
       .b_stride = points.dimensions,
       .out_stride = centers.count});
}

/// A center, and half the squared distance from it less what is the same of all centers.
struct Neighbor {
  float distance;
  int64_t center;

  /// The lower center of two at the same distance; NaN is the last.
  bool operator<(const Neighbor& other) const {
    auto is_nan = std::isnan(distance), other_is_nan = std::isnan(other.distance);
    if (is_nan || other_is_nan)
      return is_nan == other_is_nan ? center < other.center : other_is_nan;
    return distance != other.distance ? distance < other.distance : center < other.center;
  }
};

/// Finds the centers that are nearest to points, for as many points at a time as one thread takes.
class NeighborSearch {
 public:
  NeighborSearch(const Points& points, const Points& centers, int64_t k)
      : points_(points), centers_(centers), k_(k), half_squares_(centers.half_squares()) {}

  void find(int64_t* indices, float* distances) const {
    auto each =
        std::min(centers_.count, centers_at_once) * std::max<int64_t>(1, points_.dimensions);
    auto blocks = (points_.count + points_at_once - 1) / points_at_once;
    parallel_ranges(blocks, points_at_once * each, [&](int64_t begin, int64_t end) {
      for (auto block = begin; block < end; ++block) {
        auto first = block * points_at_once;
        find_block(
            points_.rows(first, std::min(points_.count, first + points_at_once)),
            indices + first * k_, distances + first * k_);
      }
    });
  }

 private:
  static constexpr int64_t points_at_once = 64, centers_at_once = 1024;

  void find_block(const Points& points, int64_t* indices, float* distances) const {
    std::vector<std::vector<Neighbor>> found(static_cast<size_t>(points.count));
    std::vector<float> partial;
    for (int64_t begin = 0; begin < centers_.count; begin += centers_at_once) {
      auto centers = centers_.rows(begin, std::min(centers_.count, begin + centers_at_once));
      partial.resize(static_cast<size_t>(points.count * centers.count));
      multiply(points, centers, partial.data());
      for (int64_t i = 0; i < points.count; ++i) {
        auto* row = partial.data() + i * centers.count;
        for (int64_t j = 0; j < centers.count; ++j)
          row[j] = half_squares_[static_cast<size_t>(begin + j)] - row[j];
        keep_nearest({row, static_cast<size_t>(centers.count)}, begin, found[size_t(i)]);
      }
    }
    auto half_squares = points.half_squares();
    for (size_t i = 0; i < found.size(); ++i)
      for (const auto& neighbor : found[i]) {
        *indices++ = neighbor.center;
        *distances++ = 2 * (half_squares[i] + neighbor.distance);
      }
  }

  /// Adds centers from `begin` on to those that were found, and keeps the nearest.
  void keep_nearest(
      std::span<const float> distances, int64_t begin, std::vector<Neighbor>& found) const {
    auto count = static_cast<int64_t>(distances.size());
    if (k_ == 1) {
      static const auto find_least = vector::find_extreme_loop(false, DType::float32);
      auto least = find_least(distances.data(), count);
      found.push_back({distances[static_cast<size_t>(least)], begin + least});
    } else {
      for (int64_t j = 0; j < count; ++j)
        found.push_back({distances[static_cast<size_t>(j)], begin + j});
    }
    auto kept = std::min(found.size(), static_cast<size_t>(k_));
    std::partial_sort(found.begin(), found.begin() + static_cast<ptrdiff_t>(kept), found.end());
    found.resize(kept);
  }

  Points points_, centers_;
  int64_t k_;
  std::vector<float> half_squares_;
};

Status find_neighbors(Launch& launch) {
  auto points = Points::of(launch, 0, "points"), centers = Points::of(launch, 1, "centers");
  auto k = scalar_input<int64_t>(launch.input(2), "k");
  for (const auto& status : {points.status(), centers.status(), k.status()})
    if (!status.ok()) return status;
  if (points->count == 0) return invalid_argument("'points' must have rows, but is empty");
  if (*k < 0) return invalid_argument("'k' must not be negative, but is " + std::to_string(*k));
  if (points->dimensions != centers->dimensions)
    return invalid_argument(
        "'points' and 'centers' must have as many columns, but have " +
        std::to_string(points->dimensions) + " and " + std::to_string(centers->dimensions));
  auto found = std::min(*k, centers->count);
  auto indices = launch.allocate(DType::int64, {points->count, found});
  auto distances = launch.allocate(DType::float32, {points->count, found});
  for (const auto* tensor : {&indices, &distances})
    if (!*tensor) return tensor->status();
  if (found > 0)
    NeighborSearch(*points, *centers, found)
        .find(indices->mutable_data<int64_t>(), distances->mutable_data<float>());
  launch.set(0, *std::move(indices));
  launch.set(1, *std::move(distances));
  return {};
}

/// Draws points one after the other, as k-means++ does.
class PointSampler {
 public:
  PointSampler(const Points& points, int64_t seed)
      : points_(points),
        half_squares_(points.half_squares()),
        nearest_(size_t(points.count), std::numeric_limits<float>::infinity()),
        sums_(size_t(points.count)),
        is_drawn_(size_t(points.count)),
        numbers_(Philox(static_cast<uint64_t>(seed), 0)) {}

  /// The best of so many points that are drawn: that which leaves the others nearest.
  int64_t next(int64_t tries) {
    std::partial_sum(nearest_.begin(), nearest_.end(), sums_.begin());
    int64_t best = -1;
    auto least = std::numeric_limits<double>::infinity();
    std::vector<float> best_nearest;
    for (; tries > 0; --tries) {
      auto drawn = draw();
      auto nearest = nearest_with(drawn);
      auto sum = std::accumulate(nearest.begin(), nearest.end(), 0.0);
      if (best != -1 && !(sum < least)) continue;
      best = drawn;
      least = sum;
      best_nearest = std::move(nearest);
    }
    nearest_ = std::move(best_nearest);
    nearest_[static_cast<size_t>(best)] = 0;
    is_drawn_[static_cast<size_t>(best)] = true;
    is_first_ = false;
    return best;
  }

 private:
  int64_t draw() {
    if (is_first_) return draw_evenly();
    auto bound = unit_float(numbers_) * sums_.back();
    auto found = std::upper_bound(sums_.begin(), sums_.end(), bound);
    if (found != sums_.end() && !is_drawn_[static_cast<size_t>(found - sums_.begin())])
      return found - sums_.begin();
    // Those that are left are where others are, or at no finite place.
    return std::find(is_drawn_.begin(), is_drawn_.end(), false) - is_drawn_.begin();
  }

  int64_t draw_evenly() {
    auto count = static_cast<uint64_t>(points_.count);
    auto uneven = std::numeric_limits<uint64_t>::max() % count + 1;
    auto number = numbers_.next_64();
    if ((count & (count - 1)) == 0) return static_cast<int64_t>(number & (count - 1));
    while (number < uneven) number = numbers_.next_64();
    return static_cast<int64_t>(number % count);
  }

  /// For each point half its squared distance from the nearest one drawn, and this.
  std::vector<float> nearest_with(int64_t drawn) const {
    std::vector<float> result(nearest_.size());
    auto own = half_squares_[static_cast<size_t>(drawn)];
    parallel_ranges(points_.count, points_.dimensions + 1, [&](int64_t begin, int64_t end) {
      multiply(points_.rows(begin, end), points_.rows(drawn, drawn + 1), result.data() + begin);
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        result[i] = std::min(nearest_[i], half_squares_[i] - result[i] + own);
    });
    return result;
  }

  Points points_;
  std::vector<float> half_squares_, nearest_, sums_;
  std::vector<bool> is_drawn_;
  PhiloxNumbers numbers_;
  bool is_first_ = true;
};

Status sample_points(Launch& launch) {
  auto points = Points::of(launch, 0, "points");
  auto count = scalar_input<int64_t>(launch.input(1), "num_to_sample"),
       seed = scalar_input<int64_t>(launch.input(2), "seed"),
       retries = scalar_input<int64_t>(launch.input(3), "num_retries_per_sample");
  for (const auto& status : {points.status(), count.status(), seed.status(), retries.status()})
    if (!status.ok()) return status;
  if (*count <= 0 || *count > points->count)
    return invalid_argument(
        "'num_to_sample' must be from 1 to the number of points, which is " +
        std::to_string(points->count) + ", but is " + std::to_string(*count));
  constexpr int64_t most_retries = 1'000'000;  // a step cannot end while points are drawn
  if (*retries > most_retries)
    return invalid_argument(
        "'num_retries_per_sample' must be at most " + std::to_string(most_retries) + ", but is " +
        std::to_string(*retries));
  auto out = launch.allocate(DType::float32, {*count, points->dimensions});
  if (!out) return out.status();
  auto more = *retries >= 0 ? *retries : 2 + static_cast<int64_t>(std::log(*count));
  PointSampler sampler(*points, *seed);
  auto* row = out->mutable_data<float>();
  for (int64_t i = 0; i < *count; ++i, row += points->dimensions)
    std::copy_n(points->row(sampler.next(1 + more)), points->dimensions, row);
  launch.set(0, *std::move(out));
  return {};
}

Status walk_chain(Launch& launch) {
  const auto& distances = launch.input(0);
  if (distances.shape().rank() != 1 || distances.elements() == 0)
    return invalid_argument(
        "'distances' must be a vector that is not empty, but has the shape " +
        distances.shape().to_string());
  auto seed = scalar_input<int64_t>(launch.input(1), "seed");
  if (!seed) return seed.status();
  PhiloxNumbers numbers(Philox(static_cast<uint64_t>(*seed), 0));
  auto of = distances.values<float>();
  size_t state = 0;
  for (size_t i = 1; i < of.size(); ++i)
    if (of[i] > unit_float(numbers) * of[state]) state = i;
  auto out = launch.allocate(DType::int64, {});
  if (!out) return out.status();
  *out->mutable_data<int64_t>() = static_cast<int64_t>(state);
  launch.set(0, *std::move(out));
  return {};
}

KernelCatalog::Make kernel_of(Status (*compute)(Launch& launch)) {
  return [compute](const Node&) -> Result<Kernel> { return Kernel{.compute = compute}; };
}

}  // namespace

void add_clustering_kernels(KernelCatalog& catalog) {
  catalog.add("KmeansPlusPlusInitialization", kernel_of(sample_points));
  catalog.add("KMC2ChainInitialization", kernel_of(walk_chain));
  catalog.add("NearestNeighbors", kernel_of(find_neighbors));
}

}  // namespace troupe::cpu
