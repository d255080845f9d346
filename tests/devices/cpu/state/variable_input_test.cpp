#include "troupe/devices/cpu/state/variable_input.hpp"

#include <future>

#include "troupe/tests/devices/cpu/launch_kernel.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(variable_input)

BOOST_FIXTURE_TEST_CASE(
    updates_that_name_two_variables_in_either_order_exclude_each_other_and_all_end, KernelFixture) {
  constexpr int count = 200'000;
  auto x = variable(vec({0})), y = variable(vec({0}));
  int updates = 0;
  auto update_often = [&](auto a, auto b) {
    Tensors inputs;
    for (auto named : {a, b}) inputs.push_back(Tensor::scalar(ResourceHandle{"", "w", named}));
    Launch launch(*device, {}, inputs, {});
    auto add = [&](const auto&) { return ++updates, Status(); };
    for (int i = 0; i < count; ++i) CHECK(cpu::update_variables<2>(launch, add).ok());
  };
  auto one = std::async(std::launch::async, update_often, x, y);
  auto two = std::async(std::launch::async, update_often, y, x);
  for (auto* thread : {&one, &two})
    CHECK(thread->wait_for(test_timeout) == std::future_status::ready);
  BOOST_TEST(updates == 2 * count);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
