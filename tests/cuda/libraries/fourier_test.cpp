#include <boost/test/unit_test.hpp>
#include <cmath>

#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/run_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

Value lengths(Builder& b, int32_t length) { return b.constant(Tensor::of<int32_t>({1}, {length})); }

}  // namespace

BOOST_AUTO_TEST_SUITE(fourier_transforms_on_a_card)

BOOST_AUTO_TEST_CASE(a_transform_to_reals_leaves_its_input_as_it_is) {
  Builder b;
  auto x = b.op("Neg", {b.constant(Tensor::of<complex64>({3}, {{1, 0}, {2, 3}, {4, 0}}))});
  auto reals = b.op("IRFFT", {x, lengths(b, 4)});
  auto after = b.after({reals}).op("Identity", {x});
  auto fetched = GraphRunner(make_gpu()).run(b, {}, {reals, b.op("Neg", {after})});
  BOOST_TEST_REQUIRE(fetched.ok(), fetched.status().to_string());
  BOOST_TEST(equal((*fetched)[1], Tensor::of<complex64>({3}, {{1, 0}, {2, 3}, {4, 0}})));
}

BOOST_AUTO_TEST_CASE(a_transform_to_reals_takes_over_an_input_that_nobody_else_holds) {
  constexpr int64_t rows = 1 << 18;
  // Room for the spectra (6 MiB) and the reals (4 MiB), and not for a copy of the spectra.
  GraphRunner runner(make_gpu({.memory = {.limit_bytes = 13 << 20, .keeps = false}}));
  Builder b;
  auto x = b.placeholder(DType::float32, {rows, 4});
  auto numbers = *Tensor::allocate(DType::float32, {rows, 4});
  for (int64_t i = 0; i < numbers.elements(); ++i)
    numbers.mutable_data<float>()[i] = static_cast<float>(i % 9);
  auto reals = b.op("IRFFT", {b.op("RFFT", {x, lengths(b, 4)}), lengths(b, 4)});
  auto fetched = runner.run(b, {{x, numbers}}, {reals});
  BOOST_TEST_REQUIRE(fetched.ok(), fetched.status().to_string());
  for (int64_t i = 0; i < numbers.elements(); i += 4097)
    BOOST_TEST(std::abs((*fetched)[0].data<float>()[i] - numbers.data<float>()[i]) < 1e-4);
}

BOOST_AUTO_TEST_CASE(transforms_of_more_lengths_than_plans_are_kept_find_their_own) {
  Builder b;
  auto numbers = *Tensor::allocate(DType::float32, {2, 80});
  for (int64_t i = 0; i < numbers.elements(); ++i)
    numbers.mutable_data<float>()[i] = static_cast<float>(i % 7) - 3;
  auto x = b.constant(numbers);
  std::vector<Ref> fetches;
  for (int round = 0; round < 2; ++round)
    for (int32_t length = 1; length <= 80; ++length) {
      auto spectrum = b.op("RFFT", {x, lengths(b, length)});
      fetches.push_back(b.op("IRFFT", {spectrum, lengths(b, length)}));
    }
  auto fetched = GraphRunner(make_gpu()).run(b, {}, fetches);
  BOOST_TEST_REQUIRE(fetched.ok(), fetched.status().to_string());
  for (const auto& again : *fetched) {
    auto columns = again.shape()[1];
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t i = 0; i < columns; ++i)
        BOOST_TEST(
            std::abs(again.data<float>()[row * columns + i] - numbers.data<float>()[row * 80 + i]) <
            1e-4);
  }
}

BOOST_AUTO_TEST_CASE(the_first_transform_which_loads_the_library_is_left_to_the_devices_threads) {
  constexpr int64_t actors_ns = 100'000;  // that an actor's thread is used for
  auto card = make_gpu();
  Builder b;
  auto node = b.op("FFT", {b.constant(Tensor::of<complex64>({2}, {{1, 0}, {2, 3}}))});
  auto kernel = card->kernels().make(b.graph().node(node.output().node));
  BOOST_TEST_REQUIRE(kernel.ok(), kernel.status().to_string());
  auto input = card->copy_in(Tensor::of<complex64>({2}, {{1, 0}, {2, 3}}));
  BOOST_TEST_REQUIRE(input.ok());
  Tensors inputs = {*input}, outputs(1);
  Launch launch(*card, {}, inputs, outputs);
  BOOST_TEST(kernel->cost_ns(launch) > actors_ns);
  BOOST_TEST(kernel->compute(launch).ok());
  BOOST_TEST(kernel->cost_ns(launch) < actors_ns / 10);
}

BOOST_AUTO_TEST_SUITE_END()
