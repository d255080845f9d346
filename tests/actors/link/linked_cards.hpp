#pragma once

#include <memory>

#include "troupe/devices/accelerator/accelerator_device.hpp"
#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/tests/actors/link/link_fixture.hpp"
#include "troupe/tests/devices/accelerator/virtual_cards.hpp"

namespace troupe::testing {

/// The cards of two nodes, a base before that of the nodes: what is left of messages lies in their
/// memory.
struct Cards {
  explicit Cards(VirtualCards::Options options) : cards(options) {}

  static std::shared_ptr<accelerator::AcceleratorDevice> make_device(VirtualCards& cards) {
    auto device = accelerator::make_accelerator_device(
        {.driver = cards.add_card(),
         .kernels = {},
         .host = make_cpu_device(),
         .memory = {.limit_bytes = 64 * MiB},
         .pinned = {}});
    BOOST_TEST_REQUIRE(device.ok());
    return *std::move(device);
  }

  VirtualCards cards;
  std::shared_ptr<accelerator::AcceleratorDevice> of_a = make_device(cards);
  std::shared_ptr<accelerator::AcceleratorDevice> of_b = make_device(cards);
};

}  // namespace troupe::testing
