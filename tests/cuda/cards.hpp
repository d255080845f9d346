#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdlib>
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
  std::string said_to_repeat = {};  // an op whose kernel is taken for one that does (Repeats)
};

/// A card as a device of its own, with a share of its memory.
std::unique_ptr<accelerator::AcceleratorDevice> make_gpu(GpuOptions options = {});

/// A precondition of cases: that the cards are not emulated, which take a thousand times as long.
/// Where they are, a case is reported as skipped.
boost::test_tools::assertion_result are_real_cards(boost::unit_test::test_unit_id);

/// While it lives, new emulated cards can compile nothing.
struct WithoutCompiler {
  WithoutCompiler() { ::setenv("TROUPE_EMULATED_NO_COMPILER", "1", /*overwrite=*/1); }
  ~WithoutCompiler() { ::unsetenv("TROUPE_EMULATED_NO_COMPILER"); }
  WithoutCompiler(const WithoutCompiler&) = delete;
};

/// Adds a test for each op with a kernel of the card of which calls were recorded: its name is the
/// op's, so that one can be run alone after an error that the card does not survive.
void add_recorded_calls();

/// The same for random calls, of which the card has to answer each as the CPU does:
/// TROUPE_CARD_CALLS of each op.
void add_random_calls();

/// For each op, that calls which the card captures and replays have the results of others. One more
/// case names the ops that no list says it of, but could.
void add_captured_calls();

}  // namespace troupe::testing
