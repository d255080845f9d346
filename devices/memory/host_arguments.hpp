#pragma once

#include <string_view>
#include <vector>

#include "troupe/devices/kernel.hpp"

namespace troupe {

/// Which inputs and outputs of an op a device with memory of its own has on the host: sizes, axes
/// and positions, which decide what is put on its stream. A negative index counts from the end.
struct HostArguments {
  std::vector<int> inputs;
  std::vector<int> outputs = {};
};

/// None for most ops. (TensorFlow: .HostMemory(...) of its GPU kernels.)
HostArguments host_arguments_of(std::string_view op);

/// Declares them for all kernels of a catalog (KernelCatalog::on_host).
void declare_host_arguments(KernelCatalog& catalog);

}  // namespace troupe
