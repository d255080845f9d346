#pragma once

#include "troupe/tests/soak/settings.hpp"

namespace troupe::soak {

/// Has producers and consumers on four real nodes hand numbered elements to each other through a
/// queue, in rounds; some steps of consumers time out. Each element must arrive once, producers
/// must stand still while nobody consumes, and each node must hold no more than after the first
/// round. Prints what happens; false: a fault was found.
bool soak_queues(const Settings& settings);

}  // namespace troupe::soak
