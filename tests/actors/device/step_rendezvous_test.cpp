#include "troupe/actors/device/step_rendezvous.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/actors/device/ended_steps.hpp"

using namespace troupe;

namespace {

struct StepRendezvousFixture {
  StepRendezvous rendezvous;
  std::vector<Result<Tensor>> received;

  void receive(EdgeId edge) {
    rendezvous.receive(
        edge, [this](Result<Tensor> tensor) { received.push_back(std::move(tensor)); });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(step_rendezvous, StepRendezvousFixture)

BOOST_AUTO_TEST_CASE(a_tensor_and_its_receiver_are_matched_in_either_order) {
  receive(1);
  BOOST_TEST(rendezvous.arrive(1, Tensor::scalar(5)));
  BOOST_TEST(rendezvous.arrive(2, Tensor::scalar(6)));
  receive(2);
  BOOST_REQUIRE(received.size() == 2u);
  BOOST_TEST(received[0]->value<int>() == 5);
  BOOST_TEST(received[1]->value<int>() == 6);
}

BOOST_AUTO_TEST_CASE(a_second_tensor_for_an_edge_is_refused) {
  BOOST_TEST(rendezvous.arrive(1, Tensor::scalar(5)));
  BOOST_TEST(!rendezvous.arrive(1, Tensor::scalar(6)));
  receive(1);
  BOOST_TEST(!rendezvous.arrive(1, Tensor::scalar(7)));
  BOOST_REQUIRE(received.size() == 1u);
  BOOST_TEST(received[0]->value<int>() == 5);
}

BOOST_AUTO_TEST_CASE(an_edge_in_a_loop_has_a_value_for_each_iteration_of_each_frame) {
  EdgeKey first(1, {.frame = 7, .iteration = 0}), second(1, {.frame = 7, .iteration = 1});
  EdgeKey nested(1, {.frame = 8, .iteration = 1});
  BOOST_TEST(rendezvous.arrive(second, Tensor::scalar(2)));
  BOOST_TEST(rendezvous.arrive(nested, Tensor::scalar(3)));
  BOOST_TEST(rendezvous.arrive(first, Tensor::scalar(1)));
  for (const auto& key : {first, second, nested}) {
    auto value = rendezvous.try_receive(key);
    BOOST_REQUIRE(value.has_value());
    BOOST_TEST((*value)->value<int>() == (key.at.frame == 8 ? 3 : key.at.iteration + 1));
  }
}

BOOST_AUTO_TEST_CASE(a_dead_value_arrives_as_one_that_is_not_set) {
  receive(1);
  BOOST_TEST(rendezvous.arrive(1, Tensor()));
  BOOST_REQUIRE(received.size() == 1u);
  BOOST_TEST(received[0].ok());
  BOOST_TEST(!received[0]->is_set());
  BOOST_TEST(!rendezvous.arrive(1, Tensor::scalar(1)));
}

BOOST_AUTO_TEST_CASE(a_try_takes_what_is_there_and_leaves_no_receiver_where_nothing_is) {
  BOOST_TEST(!rendezvous.try_receive(1).has_value());
  BOOST_TEST(rendezvous.arrive(1, Tensor::scalar(5)));
  BOOST_TEST(rendezvous.waiting_bytes() == StepRendezvous::bytes_each + 4);
  auto value = rendezvous.try_receive(1);
  BOOST_REQUIRE(value.has_value());
  BOOST_TEST((*value)->value<int>() == 5);
  BOOST_TEST(rendezvous.waiting_bytes() == 0u);
  BOOST_TEST(!rendezvous.arrive(1, Tensor::scalar(6)));
}

BOOST_AUTO_TEST_CASE(a_failure_answers_present_and_later_receivers) {
  receive(1);
  rendezvous.fail(cancelled("over"));
  receive(2);
  BOOST_REQUIRE(received.size() == 2u);
  for (const auto& answer : received) BOOST_TEST((answer.status().code() == Code::cancelled));
  BOOST_TEST(rendezvous.arrive(3, Tensor::scalar(1)));  // late, and of no interest
  BOOST_TEST(rendezvous.waiting_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(bytes_of_tensors_without_a_receiver_are_counted) {
  rendezvous.arrive(1, Tensor::of<float>({4}, {1, 2, 3, 4}));
  BOOST_TEST(rendezvous.waiting_bytes() == StepRendezvous::bytes_each + 16);
  receive(1);
  BOOST_TEST(rendezvous.waiting_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(ended_steps_are_remembered_in_bounded_memory) {
  EndedSteps ended;
  BOOST_TEST(!ended.contains(1));
  for (uint64_t step = 2; step < 5000; ++step) ended.add(step);
  BOOST_TEST(ended.contains(2));
  BOOST_TEST(ended.contains(4999));
  BOOST_TEST(!ended.contains(5000));
}

BOOST_AUTO_TEST_SUITE_END()
