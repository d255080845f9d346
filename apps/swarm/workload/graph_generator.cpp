#include "troupe/apps/swarm/workload/graph_generator.hpp"

namespace troupe::swarm {

Shape random_shape(sim::Random& random) {
  std::vector<int64_t> sizes(random.below(4));
  for (auto& size : sizes) size = random.between(1, 3);
  return Shape(std::span<const int64_t>(sizes));
}

Tensor random_tensor(sim::Random& random, DType dtype, const Shape& shape) {
  auto tensor = Tensor::allocate(dtype, shape);
  CHECK(tensor.ok());
  for (int64_t i = 0; i < tensor->elements(); ++i) {
    auto number = random.between(-8, 8);
    if (dtype == DType::int64) tensor->mutable_data<int64_t>()[i] = number;
    else if (dtype == DType::boolean) tensor->mutable_data<bool>()[i] = number > 0;
    else tensor->mutable_data<float>()[i] = static_cast<float>(number) / 4;
  }
  return *std::move(tensor);
}

}  // namespace troupe::swarm
