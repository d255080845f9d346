#include "troupe/actors/device/arriving_tensors.hpp"

#include <cstring>

#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"
#include "troupe/tests/devices/accelerator/card_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;
using accelerator::FillingMemory;

namespace {

/// A message with a tensor that is still arriving, one that is there, and a dead one; the test
/// takes the part of the device's actor.
struct ArrivingFixture : CardFixture {
  NodesFixture nodes;
  DeviceActor actor = caf::actor_cast<DeviceActor>(caf::actor(nodes.self));
  Tensor arriving = FillingMemory::begin(counted(1000));
  Deliver message{
      .step = {7, 3}, .edges = {{4}, {5}, {6}}, .tensors = {arriving, Tensor::scalar(3.0F), {}}};

  void check_rest() {
    BOOST_TEST_REQUIRE((message.edges.size() == 2u && message.tensors.size() == 2u));
    BOOST_TEST((message.step.number == 3 && message.edges[0].edge == 5));
    BOOST_TEST(message.tensors[0].value<float>() == 3);
    BOOST_TEST(!message.tensors[1].is_set());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(arriving_tensors, ArrivingFixture)

BOOST_AUTO_TEST_CASE(a_device_with_memory_of_its_own_gives_on_what_was_arriving_when_it_is_there) {
  BOOST_TEST(copy_arriving(message, *device, actor) == 0u);
  check_rest();
  FillingMemory::of(arriving)->set_ready(arriving.bytes());
  cards.run();
  auto later = nodes.next<Deliver>();
  BOOST_TEST((later.step.number == 3 && later.edges.at(0).edge == 4));
  BOOST_TEST(equal(*fetch(*device, later.tensors.at(0)), counted(1000)));
}

BOOST_AUTO_TEST_CASE(a_device_that_computes_in_the_hosts_memory_drops_it) {
  auto cpu = make_cpu_device();
  BOOST_TEST(copy_arriving(message, *cpu, actor) == 1u);
  check_rest();
}

BOOST_AUTO_TEST_CASE(a_message_whose_tensors_are_full_is_left_as_it_is) {
  FillingMemory::of(arriving)->set_ready(arriving.bytes());
  BOOST_TEST(copy_arriving(message, *make_cpu_device(), actor) == 0u);
  BOOST_TEST(message.edges.size() == 3u);
  BOOST_TEST(equal(message.tensors[0], counted(1000)));
}

BOOST_AUTO_TEST_SUITE_END()
