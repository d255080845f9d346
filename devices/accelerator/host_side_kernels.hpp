#pragma once

#include <optional>

#include "troupe/devices/device.hpp"

namespace troupe::accelerator {

/// Adds the kernels that a device with memory of its own takes from a CPU, where the catalog has
/// none: those that pass tensors on without a look at their elements, and those that compute with
/// sizes, whose arguments lie on the host. `host` runs them and must outlive the catalog.
void add_host_side_kernels(KernelCatalog& catalog, Device& host);

/// The host's kernel for a node whose op has a kernel of the card, but not for its dtypes: its
/// inputs are copied to the host and its outputs to the card. Nothing where the host has none
/// either, or the node works on more than the values of its inputs.
std::optional<Kernel> make_on_host(Device& host, const Node& node);

/// The host's kernel for a node that computes with numbers of the host for the host.
Result<Kernel> make_for_host(Device& host, const Node& node);

}  // namespace troupe::accelerator
