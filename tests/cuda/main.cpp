// Tests that need a card of NVIDIA's. Where there is none they say so, and are not counted as
// passed. emulated_cuda_test is the same program for emulated cards.
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
#ifdef TROUPE_EMULATED_CARDS
  static const auto library = accelerator::load_cuda(
      {.driver_files = {TROUPE_EMULATED_CARDS}, .libraries = {TROUPE_EMULATED_CARDS}});
#else
  static const auto library = accelerator::load_cuda();
#endif
  return library;
}

std::unique_ptr<accelerator::AcceleratorDevice> make_gpu(GpuOptions options) {
  const auto& library = **card_library();
  auto driver = library.open(options.card);
  BOOST_TEST_REQUIRE(driver.ok(), driver.status().to_string());
  KernelCatalog kernels;
  library.add_kernels(kernels);
  if (!options.said_to_repeat.empty())
    kernels.set_repeats(options.said_to_repeat, Repeats::as_work);
  auto device = accelerator::make_accelerator_device(
      {.index = options.card,
       .driver = *driver,
       .kernels = std::move(kernels),
       .host = make_cpu_device(),
       .memory = options.memory,
       .pinned = {},
       .graphs = std::move(options.graphs)});
  BOOST_TEST_REQUIRE(device.ok(), device.status().to_string());
  return *std::move(device);
}

boost::test_tools::assertion_result are_real_cards(boost::unit_test::test_unit_id) {
#ifdef TROUPE_EMULATED_CARDS
  boost::test_tools::assertion_result result = false;
  result.message() << "the cards are emulated";
  return result;
#else
  return true;
#endif
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
    troupe::testing::add_random_calls();
    troupe::testing::add_captured_calls();
    return init_unit_test();
  };
  return boost::unit_test::unit_test_main(initialize, argc, argv);
}
