#include "troupe/devices/cpu/random/seeds.hpp"

#include <random>
#include <vector>

#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {

uint64_t fresh_seed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

std::shared_ptr<PhiloxSource> make_source(const Node& node) {
  auto seed = static_cast<uint64_t>(node.attr<int64_t>("seed"));
  auto seed2 = static_cast<uint64_t>(node.attr<int64_t>("seed2"));
  if (seed == 0 && seed2 == 0) seed = fresh_seed(), seed2 = fresh_seed();
  return std::make_shared<PhiloxSource>(Philox(seed, seed2));
}

Result<Philox> stateless_start(const Tensor& seed) {
  if (seed.shape() != Shape{2})
    return invalid_argument(
        "'seed' must have the shape [2], but has the shape " + seed.shape().to_string());
  auto numbers = IntInput::of(seed);
  if (!numbers) return numbers.status();
  constexpr uint64_t scramble_key = 0x02461e293ec8f720;
  auto bits = Philox(scramble_key, static_cast<uint64_t>((*numbers)[1]))
                  .skip(static_cast<uint64_t>((*numbers)[0]))
                  .block();
  return Philox(uint64_t{bits[1]} << 32 | bits[0], uint64_t{bits[3]} << 32 | bits[2]);
}

Result<Shape> sizes_input(const Tensor& sizes) {
  if (sizes.shape().rank() != 1)
    return invalid_argument(
        "'shape' must be a vector, but has the shape " + sizes.shape().to_string());
  return shape_input(sizes);
}

Result<Shape> samples_shape(const Tensor& sizes, const Shape& parameters) {
  auto first = sizes_input(sizes);
  if (!first) return first;
  std::vector<int64_t> all(first->sizes().begin(), first->sizes().end());
  all.insert(all.end(), parameters.sizes().begin(), parameters.sizes().end());
  return Shape::make(all);
}

}  // namespace troupe::cpu
