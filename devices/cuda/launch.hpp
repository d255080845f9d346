#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string_view>
#include <typeinfo>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/cuda/cuda_error.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

class CudaDriver;

/// The facts of a card by which kernels choose how they run.
using Card = accelerator::CardFacts;

/// Where the kernels of a launch go: the stream of the card's compute lane. The card becomes that
/// of the calling thread, which it is already in compute(), start() and try_now().
cudaStream_t stream_of(const Launch& launch);
const Card& card_of(const Launch& launch);

/// Memory of the card for the launch's kernels alone. It may go out of scope as soon as they are
/// started: its next user comes behind them.
Result<Tensor> scratch(const Launch& launch, size_t bytes);

/// To be called behind each <<<>>>: the error of the start, naming the kernel.
Status launched(std::string_view kernel);

namespace detail {
std::shared_ptr<void> kept(
    const Launch& launch, const std::type_info& type,
    const std::function<std::shared_ptr<void>()>& make);
}

/// An object that the card keeps for kernels, as the handle of a library: one of each type, which
/// the first use makes by T(const Card&), and which ends with the device. It is used by many
/// threads at once.
template <class T>
T& kept(const Launch& launch) {
  auto make = [&launch]() -> std::shared_ptr<void> { return std::make_shared<T>(card_of(launch)); };
  return *static_cast<T*>(detail::kept(launch, typeid(T), make).get());
}

/// The elements of an input, or of a tensor that a kernel writes, in the card's memory.
template <class T>
const T* in(const Launch& launch, int index) {
  return static_cast<const T*>(launch.input(index).raw());
}
template <class T>
T* out(Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_raw());
}

}  // namespace troupe::cuda
