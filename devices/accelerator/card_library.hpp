#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::accelerator {

/// What a library for the cards of one vendor has. Its kernels and the vendor's libraries weigh
/// hundreds of megabytes, so that it is loaded only where there is a card.
struct CardLibrary {
  /// How many cards this process may use; an error says why none can be.
  std::function<Result<int>()> count;
  /// FailedPrecondition where the card is too old for the kernels.
  std::function<Result<std::shared_ptr<Driver>>(int ordinal)> open;
  std::function<void(KernelCatalog&)> add_kernels;
};

/// Where to look for the library of NVIDIA's cards.
struct CudaPlaces {
  /// Files of which one is there where the system has NVIDIA's driver.
  std::vector<std::string> driver_files = {"/dev/nvidiactl", "/dev/dxg"};
  /// Of the library; empty: beside this program or library, or in the lib folder beside that.
  std::vector<std::string> libraries = {};
};

/// The library, which stays loaded: that file which the variable TROUPE_CARD_LIBRARY names, such as
/// one of emulated cards, if it is set. NotFound where there is no driver; FailedPrecondition where
/// there is no library, or one of another build, or where it lacks libraries of its own.
Result<std::shared_ptr<const CardLibrary>> load_cuda(const CudaPlaces& places = {});

/// What has to be the same in the library and in the process that loads it.
std::string card_library_abi();

}  // namespace troupe::accelerator
