#include "troupe/devices/cpu/random/distributions.hpp"

#include <string>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

/// Sets the elements block by block to what `draw` makes of the number of the block.
template <class T, class Draw>
void fill_blocks(Tensor& tensor, const Draw& draw) {
  constexpr int64_t size = std::tuple_size_v<BlockNumbers<T>>, element_cost = 16;
  auto count = tensor.elements();
  auto* out = tensor.mutable_data<T>();
  auto blocks = count / size + (count % size != 0);
  parallel_ranges(blocks, size * element_cost, [&](int64_t begin, int64_t end) {
    for (auto block = begin; block < end; ++block) {
      auto numbers = draw(static_cast<uint64_t>(block));
      std::copy_n(numbers.data(), std::min(size, count - block * size), out + block * size);
    }
  });
}

/// Each group of numbers has a range of blocks of its own.
template <class T>
BlockNumbers<T> truncated_numbers(const Philox& start, uint64_t group) {
  BlockNumbers<T> numbers;
  constexpr uint64_t group_blocks = std::tuple_size_v<BlockNumbers<T>> * 256 / 4;
  auto position = start.skip(group * group_blocks);
  for (size_t count = 0; count < numbers.size(); position = position.skip(1))
    for (auto number : wide_normal_numbers<T>(position.block()))
      if (std::abs(number) < 2 && count < numbers.size()) numbers[count++] = T(number);
  return numbers;
}

template <class T>
void fill_random(Distribution distribution, const Philox& start, Tensor& out) {
  switch (distribution) {
    case Distribution::uniform:
      return fill_blocks<T>(
          out, [&](uint64_t i) { return uniform_numbers<T>(start.skip(i).block()); });
    case Distribution::normal:
      return fill_blocks<T>(
          out, [&](uint64_t i) { return normal_numbers<T>(start.skip(i).block()); });
    case Distribution::truncated:
      return fill_blocks<T>(out, [&](uint64_t i) { return truncated_numbers<T>(start, i); });
  }
}

/// The integers that one block of bits makes.
template <class T>
BlockNumbers<T> integers(const Philox::Block& bits) {
  BlockNumbers<T> numbers;
  for (size_t j = 0; j < numbers.size(); ++j) {
    if constexpr (sizeof(T) == 4) numbers[j] = static_cast<T>(bits[j]);
    else numbers[j] = static_cast<T>(uint64_t{bits[2 * j + 1]} << 32 | bits[2 * j]);
  }
  return numbers;
}

template <class T>
Status fill_random_ints(
    const Philox& start, const Tensor& least_input, const Tensor& end_input, Tensor& out) {
  auto least = scalar_input<T>(least_input, "minval"), end = scalar_input<T>(end_input, "maxval");
  for (const auto& status : {least.status(), end.status()})
    if (!status.ok()) return status;
  if (out.elements() == 0) return {};
  if (*least >= *end)
    return invalid_argument(
        "'minval' must be less than 'maxval', but they are " + std::to_string(*least) + " and " +
        std::to_string(*end));
  using Bits = std::make_unsigned_t<T>;
  auto range = static_cast<Bits>(static_cast<Bits>(*end) - static_cast<Bits>(*least));
  auto in_range = [=](Bits bits) {
    return static_cast<T>(static_cast<Bits>(*least) + bits % range);
  };
  fill_blocks<T>(out, [&](uint64_t i) {
    auto bits = integers<Bits>(start.skip(i).block());
    BlockNumbers<T> numbers;
    std::ranges::transform(bits, numbers.begin(), in_range);
    return numbers;
  });
  return {};
}

}  // namespace

void fill_random(Distribution distribution, const Philox& start, Tensor& out) {
  for_dtype(Floating{}, out.dtype(), [&](auto zero) {
    fill_random<decltype(zero)>(distribution, start, out);
  });
}

Status fill_random_ints(const Philox& start, const Tensor& least, const Tensor& end, Tensor& out) {
  if (out.dtype() == DType::int32) return fill_random_ints<int32_t>(start, least, end, out);
  return fill_random_ints<int64_t>(start, least, end, out);
}

void fill_random_bits(const Philox& start, Tensor& out) {
  for_dtype(Types<int32_t, int64_t, uint32_t, uint64_t>{}, out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    fill_blocks<T>(out, [&](uint64_t i) { return integers<T>(start.skip(i).block()); });
  });
}

}  // namespace troupe::cpu
