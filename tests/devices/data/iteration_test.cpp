#include "troupe/devices/data/iteration.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/cpu_device.hpp"

namespace troupe::testing {
namespace {

using data::Iteration;
using Part = std::shared_ptr<const void>;

struct IterationFixture {
  /// How often the state of that part was asked for, with this time.
  int asked(const Part& part) {
    return ++*iteration->state_of<int>(part, [] { return std::make_shared<int>(0); });
  }
  int asked_by_input(size_t number, const Part& part) {
    auto make = [] { return std::make_shared<int>(0); };
    return ++*iteration->of_input(number)->state_of_input<int>(part, make);
  }
  /// A part that has the address of others.
  Part part_at_one_address() { return Part(std::make_shared<int>(0), &address); }

  char address = 0;
  std::unique_ptr<Device> device = make_cpu_device();
  std::shared_ptr<Iteration> iteration = std::make_shared<Iteration>(*device);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(iteration, IterationFixture)

BOOST_AUTO_TEST_CASE(a_part_of_a_dataset_keeps_its_state) {
  Part one = std::make_shared<int>(0), other = std::make_shared<int>(0);
  BOOST_TEST(asked(one) == 1);
  BOOST_TEST(asked(other) == 1);
  BOOST_TEST(asked(one) == 2);
}

BOOST_AUTO_TEST_CASE(a_part_has_a_state_for_each_input_that_it_is) {
  Part part = std::make_shared<int>(0);
  BOOST_TEST(asked_by_input(0, part) == 1);
  BOOST_TEST(asked_by_input(1, part) == 1);
  BOOST_TEST(asked_by_input(0, part) == 2);
}

BOOST_AUTO_TEST_CASE(a_part_does_not_get_the_state_of_a_gone_one_that_had_its_address) {
  auto gone = part_at_one_address();
  BOOST_TEST(asked(gone) == 1);
  BOOST_TEST(asked(gone) == 2);
  gone = part_at_one_address();
  BOOST_TEST(asked(gone) == 1);
  BOOST_TEST(asked(gone) == 2);
}

BOOST_AUTO_TEST_CASE(states_of_parts_that_are_gone_do_not_pile_up) {
  std::vector<std::weak_ptr<int>> states;
  std::vector<Part> parts;
  for (int i = 0; i < 1000; ++i) {
    parts.push_back(std::make_shared<int>(0));
    states.push_back(
        iteration->state_of<int>(parts.back(), [] { return std::make_shared<int>(0); }));
    if (i >= 10) parts[static_cast<size_t>(i - 10)].reset();
  }
  auto alive = std::ranges::count_if(states, [](const auto& each) { return !each.expired(); });
  BOOST_TEST(alive < 64);
  BOOST_TEST(asked(parts.back()) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
