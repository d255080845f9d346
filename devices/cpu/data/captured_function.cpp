#include "troupe/devices/cpu/data/captured_function.hpp"

namespace troupe::cpu {
namespace {

data::Pulled checked(data::Pulled answer, bool may_end) {
  if (answer.ok() || answer.status().code() != Code::out_of_range) return answer;
  if (may_end) return data::end_of_sequence();
  return invalid_argument(
      "Function invocation produced OutOfRangeError: " + answer.status().message());
}

}  // namespace

Status CapturedFunction::check(const DTypes& arguments, const DTypes& results) const {
  DTypes captured;
  for (const auto& tensor : *captured_) captured.push_back(tensor.dtype());
  auto status = function_->check_arguments(arguments, captured);
  return status.ok() ? function_->check_results(results) : status;
}

CapturedFunction CapturedFunction::ending() const {
  auto copy = *this;
  copy.may_end_ = true;
  return copy;
}

std::optional<data::Pulled> CapturedFunction::call(
    data::Element arguments, data::Iteration& iteration, data::ElementSource::Done done) const {
  auto late = [done = std::move(done), may_end = may_end_](data::Pulled answer) {
    done(checked(std::move(answer), may_end));
  };
  auto answer = function_->call(std::move(arguments), captured_, iteration, std::move(late));
  if (answer) answer = checked(*std::move(answer), may_end_);
  return answer;
}

Tensors captured_inputs(const Launch& launch, int first, size_t count) {
  Tensors captured;
  for (int i = 0; i < static_cast<int>(count); ++i) captured.push_back(launch.input(first + i));
  return captured;
}

}  // namespace troupe::cpu
