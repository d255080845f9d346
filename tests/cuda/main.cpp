// Tests that need a card of NVIDIA's. Where there is none they say so, and are not counted as
// passed.
#define BOOST_TEST_MODULE troupe
#define BOOST_TEST_NO_MAIN
#include <boost/test/unit_test.hpp>
#include <cstdio>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/cuda/peer_process.hpp"

namespace troupe::testing {
namespace {

/// What CTest is told to take for "skipped".
constexpr int skipped = 77;

Status look_for_cards() {
  if (!card_library()) return card_library().status();
  auto count = (*card_library())->count();
  if (!count) return count.status();
  return *count > 0 ? Status() : not_found("NVIDIA's driver shows no card");
}

}  // namespace

const Result<std::shared_ptr<const accelerator::CardLibrary>>& card_library() {
  static const auto library = accelerator::load_cuda();
  return library;
}

std::unique_ptr<accelerator::AcceleratorDevice> make_gpu(
    uint64_t limit_bytes, int card, accelerator::GraphOptions graphs) {
  const auto& library = **card_library();
  auto driver = library.open(card);
  BOOST_TEST_REQUIRE(driver.ok(), driver.status().to_string());
  KernelCatalog kernels;
  library.add_kernels(kernels);
  auto device = accelerator::make_accelerator_device(
      {.index = card,
       .driver = *driver,
       .kernels = std::move(kernels),
       .host = make_cpu_device(),
       .memory = {.limit_bytes = limit_bytes},
       .pinned = {},
       .graphs = std::move(graphs)});
  BOOST_TEST_REQUIRE(device.ok(), device.status().to_string());
  return *std::move(device);
}

}  // namespace troupe::testing

int main(int argc, char** argv) {
  if (auto code = troupe::testing::run_as_peer({argv + 1, argv + argc})) return *code;
  auto status = troupe::testing::look_for_cards();
  if (!status.ok()) {
    std::printf("skipped: no GPU can be used, as %s\n", status.message().c_str());
    return troupe::testing::skipped;
  }
  auto initialize = [] {
    troupe::testing::add_recorded_calls();
    return init_unit_test();
  };
  return boost::unit_test::unit_test_main(initialize, argc, argv);
}
