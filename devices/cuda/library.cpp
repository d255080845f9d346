#include "troupe/devices/accelerator/card_library.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/cuda_driver.hpp"

/// What accelerator::load_cuda() looks for.
extern "C" {

void troupe_card_library_abi(std::string& abi) { abi = troupe::accelerator::card_library_abi(); }

void troupe_card_library(troupe::accelerator::CardLibrary& library) {
  library.count = troupe::cuda::count_cards;
  library.open = troupe::cuda::CudaDriver::open;
  library.add_kernels = troupe::cuda::add_all_kernels;
}

}  // extern "C"
