#include <bit>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/random/philox.hpp"

namespace troupe::cpu {
namespace {

// A float in [1, 2) whose mantissa is random bits, less 1: in [0, 1).
float to_float(uint32_t bits) {
  return std::bit_cast<float>(uint32_t{127} << 23 | (bits & 0x7fffff)) - 1.0f;
}
double to_double(uint32_t high, uint32_t low) {
  auto mantissa = uint64_t{high & 0xfffff} << 32 | low;
  return std::bit_cast<double>(uint64_t{1023} << 52 | mantissa) - 1.0;
}
float16 to_float16(uint32_t bits) {
  auto number = std::bit_cast<float16>(static_cast<uint16_t>(uint16_t{15} << 10 | (bits & 0x3ff)));
  return number - float16(1.0f);
}
bfloat16 to_bfloat16(uint32_t bits) {
  auto number = std::bit_cast<bfloat16>(static_cast<uint16_t>(uint16_t{127} << 7 | (bits & 0x7f)));
  return number - bfloat16(1.0f);
}

template <class T>
struct Pair {
  T first, second;
};

/// Two normal numbers of two uniform ones, after Box and Muller.
template <class T>
Pair<T> to_normal(T u, T v) {
  // Zero has no logarithm.
  auto radius = std::sqrt(T(-2) * std::log(std::max(u, T(1.0e-7))));
  auto angle = static_cast<T>(2 * std::numbers::pi * v);
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

Pair<float> normal_floats(uint32_t x, uint32_t y) { return to_normal(to_float(x), to_float(y)); }
Pair<double> normal_doubles(const Philox::Block& bits) {
  return to_normal(to_double(bits[0], bits[1]), to_double(bits[2], bits[3]));
}

/// How many elements a block of bits makes.
template <class T>
constexpr int block_elements = std::is_same_v<T, double> ? 2 : 4;

/// Draws evenly from [0, 1).
template <class T>
struct Uniform {
  static void draw(const Philox& base, uint64_t group, T* out) {
    auto bits = base.skip(group).block();
    for (int i = 0; i < block_elements<T>; ++i) {
      if constexpr (std::is_same_v<T, double>) out[i] = to_double(bits[2 * i], bits[2 * i + 1]);
      else if constexpr (std::is_same_v<T, float>) out[i] = to_float(bits[i]);
      else if constexpr (std::is_same_v<T, float16>) out[i] = to_float16(bits[i]);
      else out[i] = to_bfloat16(bits[i]);
    }
  }
};

template <class T>
struct Normal {
  static void draw(const Philox& base, uint64_t group, T* out) {
    auto bits = base.skip(group).block();
    if constexpr (std::is_same_v<T, double>) {
      auto pair = normal_doubles(bits);
      out[0] = pair.first, out[1] = pair.second;
    } else {
      for (int i = 0; i < 4; i += 2) {
        auto pair = normal_floats(bits[i], bits[i + 1]);
        out[i] = T(pair.first), out[i + 1] = T(pair.second);
      }
    }
  }
};

/// Draws again what is beyond two deviations, each group from a range of blocks of its own.
template <class T>
struct Truncated {
  static void draw(const Philox& base, uint64_t group, T* out) {
    constexpr uint64_t group_blocks = block_elements<T> * 256 / 4;
    auto position = base.skip(group * group_blocks);
    for (int count = 0; count < block_elements<T>; position = position.skip(1)) {
      auto bits = position.block();
      auto keep = [&](auto number) {
        if (std::abs(number) < 2 && count < block_elements<T>) out[count++] = T(number);
      };
      if constexpr (std::is_same_v<T, double>) {
        auto pair = normal_doubles(bits);
        keep(pair.first), keep(pair.second);
      } else {
        for (int i = 0; i < 4; i += 2) {
          auto pair = normal_floats(bits[i], bits[i + 1]);
          keep(pair.first), keep(pair.second);
        }
      }
    }
  }
};

template <class Distribution, class T>
void fill(const Philox& base, T* out, int64_t count) {
  constexpr int size = block_elements<T>, element_cost = 16;
  parallel_ranges((count + size - 1) / size, size * element_cost, [&](int64_t begin, int64_t end) {
    for (auto group = begin; group < end; ++group) {
      T drawn[size];
      Distribution::draw(base, static_cast<uint64_t>(group), drawn);
      std::copy_n(drawn, std::min<int64_t>(size, count - group * size), out + group * size);
    }
  });
}

template <class Distribution, class T>
Status compute_random(Launch& launch, PhiloxSource& source) {
  auto shape = shape_input(launch.input(0));
  if (!shape) return shape.status();
  auto out = launch.allocate(dtype_of<T>(), *shape);
  if (!out) return out.status();
  fill<Distribution>(
      source.reserve(out->elements()), out->template mutable_data<T>(), out->elements());
  launch.set(0, *std::move(out));
  return {};
}

int64_t random_cost_ns(const Launch& launch) {
  auto shape = shape_input(launch.input(0));
  return shape ? 8 * shape->elements() : 0;
}

uint64_t fresh_seed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

Philox start_of(const Node& node) {
  auto seed = static_cast<uint64_t>(node.attr<int64_t>("seed"));
  auto seed2 = static_cast<uint64_t>(node.attr<int64_t>("seed2"));
  if (seed == 0 && seed2 == 0) return Philox(fresh_seed(), fresh_seed());
  return Philox(seed, seed2);
}

template <template <class> class Distribution>
Result<Kernel> make_random(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("dtype"), [&](auto zero) {
    using T = decltype(zero);
    return Kernel{
        .compute =
            [source = std::make_shared<PhiloxSource>(start_of(node))](Launch& launch) {
              return compute_random<Distribution<T>, T>(launch, *source);
            },
        .cost_ns = random_cost_ns};
  });
}

}  // namespace

void add_random_kernels(KernelCatalog& catalog) {
  catalog.add("RandomUniform", make_random<Uniform>);
  catalog.add("RandomStandardNormal", make_random<Normal>);
  catalog.add("TruncatedNormal", make_random<Truncated>);
}

}  // namespace troupe::cpu
