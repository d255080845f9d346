#include "troupe/tests/cuda/large_calls.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

#include "troupe/devices/cpu/dispatch.hpp"

namespace troupe::testing {
namespace {

using FloatTypes = cpu::Types<float, double, float16, bfloat16>;

}  // namespace

Tensor numbers(DType dtype, const Shape& shape, uint32_t seed, int least, int most) {
  auto made = *Tensor::allocate(dtype, shape);
  std::mt19937 random(seed);
  auto range = static_cast<uint32_t>(most - least + 1);
  auto next = [&] { return least + static_cast<int>(random() % range); };
  cpu::for_dtype(FloatTypes{} + cpu::Types<int32_t, int64_t>{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < made.elements(); ++i)
      made.mutable_data<T>()[i] = static_cast<T>(next());
  });
  cpu::for_dtype(cpu::Complex{}, dtype, [&](auto zero) {
    using Part = typename decltype(zero)::value_type;
    auto* parts = static_cast<Part*>(made.mutable_raw());
    for (int64_t i = 0; i < 2 * made.elements(); ++i) parts[i] = static_cast<Part>(next());
  });
  return made;
}

Tensor ints(std::vector<int32_t> values) {
  return Tensor::of<int32_t>({std::ssize(values)}, std::span<const int32_t>(values));
}

bool is_complex(DType dtype) { return std::ranges::count(complex(), dtype) > 0; }

boost::unit_test::precondition where_card_has(const std::string& op) {
  return boost::unit_test::precondition(
      [op](boost::unit_test::test_unit_id) { return std::ranges::count(ops_of_card(), op) > 0; });
}

void ComparedDevices::compare(RecordedCall call, double tolerance) {
  call.where = "call " + std::to_string(calls++);  // its variables have names of their own
  auto expected = run_call(call, cpu), got = run_call(call, card);
  BOOST_TEST(expected.status.ok(), call.op << ": " << expected.status.to_string());
  BOOST_TEST(got.status.ok(), call.op << ": " << got.status.to_string());
  if (!expected.status.ok() || !got.status.ok()) return;
  auto found = first_difference(call, got, expected.outputs, expected.variables, tolerance);
  BOOST_TEST(
      found.empty(), call.op << " of "
                             << (call.inputs.empty() ? Shape() : call.inputs[0].shape()).to_string()
                             << ", " << found);
}

}  // namespace troupe::testing
