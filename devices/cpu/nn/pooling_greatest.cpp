#include <numeric>
#include <utility>
#include <vector>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/nn/pooling.hpp"

namespace troupe::cpu {
namespace {

template <class T>
bool is_greater(const T& value, const T& greatest) {
  return !(promote(value) <= promote(greatest)) & (promote(greatest) == promote(greatest));
}

template <class T>
void take_greatest(const PoolPlan& plan, const PoolWindow& window, const void* image, void* out) {
  auto* greatest = static_cast<T*>(out);
  auto inner = plan.inner;
  auto is_first = true;
  plan.each_cell(window, [&](int64_t position) {
    const auto* cell = static_cast<const T*>(image) + position * inner;
    if (std::exchange(is_first, false)) std::copy_n(cell, inner, greatest);
    else
      for (int64_t i = 0; i < inner; ++i)
        greatest[i] = is_greater(cell[i], greatest[i]) ? cell[i] : greatest[i];
  });
}

/// Where the greatest elements of a block of inner indices are, without branches, which a processor
/// could not predict.
template <class T>
class GreatestOfBlock {
 public:
  static constexpr int64_t size_max = 128;

  explicit GreatestOfBlock(int64_t size) : size_(size) {}

  void begin(const T* cell, int64_t position) {
    for (int64_t i = 0; i < size_; ++i) greatest_[i] = promote(cell[i]);
    std::fill_n(positions_, size_, static_cast<Position>(position));
  }
  void add(const T* cell, int64_t position) {
    const auto at = static_cast<Position>(position);
    for (int64_t i = 0; i < size_; ++i) {
      auto value = promote(cell[i]);
      auto is_new = is_greater(value, greatest_[i]);
      greatest_[i] = is_new ? value : greatest_[i];
      positions_[i] = is_new ? at : positions_[i];
    }
  }
  int64_t position(int64_t i) const { return positions_[i]; }

 private:
  // As wide as most elements, so that both fit into vectors alike.
  using Position = uint32_t;

  const int64_t size_;
  Promoted<T> greatest_[size_max];
  Position positions_[size_max];
};

/// Calls f(found, begin, size) for blocks of the window's inner indices, from `begin` on.
template <class T, class F>
void each_block(const PoolPlan& plan, const PoolWindow& window, const void* image, const F& f) {
  constexpr auto block = GreatestOfBlock<T>::size_max;
  const auto* x = static_cast<const T*>(image);
  auto inner = plan.inner;
  for (int64_t begin = 0; begin < inner; begin += block) {
    auto size = std::min(block, inner - begin);
    GreatestOfBlock<T> found(size);
    auto is_first = true;
    plan.each_cell(window, [&](int64_t position) {
      const auto* cell = x + position * inner + begin;
      if (std::exchange(is_first, false)) found.begin(cell, position);
      else found.add(cell, position);
    });
    f(found, begin, size);
  }
}

template <class T>
void find_greatest(
    const PoolPlan& plan, const PoolWindow& window, const void* image, int64_t* offsets) {
  each_block<T>(plan, window, image, [&](const auto& found, int64_t begin, int64_t size) {
    for (int64_t i = 0; i < size; ++i)
      offsets[begin + i] = found.position(i) * plan.inner + begin + i;
  });
}

template <class T>
void add_to_sum(Promoted<T>& sum, const T& value) {
  sum = static_cast<Promoted<T>>(wrap(sum) + wrap(promote(value)));
}

template <class T>
void add_to_greatest(
    const PoolPlan& plan, const PoolWindow& window, const void* image, const void* gradients,
    void* sums) {
  auto* to = static_cast<Promoted<T>*>(sums);
  const auto* gradient = static_cast<const T*>(gradients);
  each_block<T>(plan, window, image, [&](const auto& found, int64_t begin, int64_t size) {
    for (auto i = begin; i < begin + size; ++i)
      add_to_sum(to[found.position(i - begin) * plan.inner + i], gradient[i]);
  });
}

template <class T>
void gather_offsets(void* to, const void* from, const int64_t* offsets, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<T*>(to)[i] = static_cast<const T*>(from)[offsets[i]];
}

template <class T>
void add_at_offsets(void* sums, const void* values, const int64_t* offsets, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    add_to_sum(static_cast<Promoted<T>*>(sums)[offsets[i]], static_cast<const T*>(values)[i]);
}

template <class T>
constexpr GreatestElements greatest_elements = {
    dtype_of<T>(),      sizeof(T),        sizeof(Promoted<T>), take_greatest<T>,
    add_to_greatest<T>, find_greatest<T>, gather_offsets<T>,   add_at_offsets<T>};

}  // namespace

const GreatestElements* find_greatest_elements(DType dtype) {
  return choose(Real{}, dtype, [](auto zero) { return &greatest_elements<decltype(zero)>; });
}

void each_greatest(
    const PoolPlan& plan, const GreatestElements& elements, const void* x,
    const std::function<void(const PoolWindow&, const int64_t*)>& f) {
  const auto* input = static_cast<const std::byte*>(x);
  auto size = static_cast<int64_t>(elements.size);
  plan.each_rows_parallel([&](int64_t begin, int64_t end) {
    std::vector<int64_t> offsets(static_cast<size_t>(plan.inner));
    plan.each_window(begin, end, [&](const PoolWindow& window) {
      elements.find(plan, window, input + plan.image_at(window) * size, offsets.data());
      f(window, offsets.data());
    });
  });
}

}  // namespace troupe::cpu
