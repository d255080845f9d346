#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>

#include "troupe/devices/accelerator/accelerator_device.hpp"
#include "troupe/devices/accelerator/card_library.hpp"

namespace troupe::testing {

/// The library of the machine's cards; an error says why none can be used.
const Result<std::shared_ptr<const accelerator::CardLibrary>>& card_library();

struct GpuOptions {
  int card = 0;
  accelerator::PoolOptions memory = {.limit_bytes = uint64_t{1} << 30};
  accelerator::GraphOptions graphs = {};
};

/// A card as a device of its own, with a share of its memory.
std::unique_ptr<accelerator::AcceleratorDevice> make_gpu(GpuOptions options = {});

/// A precondition of cases: that the card has all kernels of NVIDIA's libraries, some of
/// which emulated cards have not. Where it has none, a case is reported as skipped.
boost::test_tools::assertion_result has_library_kernels(boost::unit_test::test_unit_id);

/// Adds a test for each op with a kernel of the card of which calls were recorded: its name is the
/// op's, so that one can be run alone after an error that the card does not survive.
void add_recorded_calls();

/// The same for random calls, of which the card has to answer each as the CPU does:
/// TROUPE_CARD_CALLS of each op.
void add_random_calls();

}  // namespace troupe::testing
