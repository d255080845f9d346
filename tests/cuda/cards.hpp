#pragma once

#include <memory>

#include "troupe/devices/accelerator/accelerator_device.hpp"
#include "troupe/devices/accelerator/card_library.hpp"

namespace troupe::testing {

/// The library of the machine's cards; an error says why none can be used.
const Result<std::shared_ptr<const accelerator::CardLibrary>>& card_library();

/// A card as a device of its own, with a share of its memory.
std::unique_ptr<accelerator::AcceleratorDevice> make_gpu(
    uint64_t limit_bytes = uint64_t{1} << 30, int card = 0, accelerator::GraphOptions graphs = {});

/// Adds a test for each op with a kernel of the card of which calls were recorded: its name is the
/// op's, so that one can be run alone after an error that the card does not survive.
void add_recorded_calls();

}  // namespace troupe::testing
