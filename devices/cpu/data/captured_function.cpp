#include "troupe/devices/cpu/data/captured_function.hpp"

namespace troupe::cpu {

Status CapturedFunction::check(const DTypes& arguments, const DTypes& results) const {
  DTypes captured;
  for (const auto& tensor : *captured_) captured.push_back(tensor.dtype());
  auto status = function_->check_arguments(arguments, captured);
  return status.ok() ? function_->check_results(results) : status;
}

CapturedFunction CapturedFunction::ending() const {
  auto copy = *this;
  copy.at_out_of_range_ = data::AtOutOfRange::ends;
  return copy;
}

Tensors captured_inputs(const Launch& launch, int first, size_t count) {
  Tensors captured;
  for (int i = 0; i < static_cast<int>(count); ++i) captured.push_back(launch.input(first + i));
  return captured;
}

}  // namespace troupe::cpu
