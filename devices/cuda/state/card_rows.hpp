#pragma once

#include "troupe/devices/cpu/state/element_rows.hpp"

namespace troupe::cuda {

/// In a card's memory, in the order of its stream; strings and other objects are on the host.
const cpu::ElementRows& card_rows();

}  // namespace troupe::cuda
