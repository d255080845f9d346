#if TROUPE_CUFFT
#include "troupe/devices/cuda/linalg/fourier_plans.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace troupe::cuda {
namespace {

/// A plan has some MiB of the card's memory, besides that of tensors.
constexpr size_t fourier_plans_max = 32;

Status fourier_status(cufftResult result, const char* what) {
  if (result == CUFFT_SUCCESS) return {};
  auto message = std::string("cuFFT could not ") + what + ": error " +
                 std::to_string(static_cast<int>(result));
  switch (result) {
    case CUFFT_ALLOC_FAILED: return resource_exhausted(message + ", there is no memory");
    case CUFFT_INVALID_SIZE:
    case CUFFT_NOT_SUPPORTED: return unimplemented(message + ", the sizes are not supported");
    default: return internal(message);
  }
}

long long elements_of(const std::array<long long, 3>& sizes, int axes) {
  return std::accumulate(sizes.begin(), sizes.begin() + axes, 1LL, std::multiplies<>());
}

}  // namespace

/// A plan is for one launch at a time: it keeps its stream and its working memory.
class FourierPlans::Plan {
 public:
  Plan(const FourierShape& shape, const FourierCalls& calls) : shape_(shape), calls_(calls) {}
  ~Plan() {
    if (is_made_) calls_.destroy(handle_);
  }
  Plan(const Plan&) = delete;

  const FourierShape& shape() const { return shape_; }

  Status make() {
    auto result = calls_.create(&handle_);
    is_made_ = result == CUFFT_SUCCESS;
    if (is_made_) result = calls_.set_auto_allocation(handle_, 0);
    if (result != CUFFT_SUCCESS) return fourier_status(result, "make a plan");
    auto [type, axes, lengths, given, made, count] = shape_;
    result = calls_.make_plan(
        handle_, axes, lengths.data(), given.data(), 1, elements_of(given, axes), made.data(), 1,
        elements_of(made, axes), type, count, &work_bytes_);
    return fourier_status(result, "plan transforms");
  }

  Status put(const Launch& launch, bool is_inverse, void* in, void* out) {
    auto work = scratch(launch, std::max<size_t>(work_bytes_, 1));
    if (!work) return work.status();
    std::lock_guard lock(mutex_);
    auto result = calls_.set_stream(handle_, stream_of(launch));
    if (result == CUFFT_SUCCESS) result = calls_.set_work_area(handle_, work->mutable_raw());
    if (result == CUFFT_SUCCESS) result = transform(is_inverse, in, out);
    return fourier_status(result, "transform");
  }

 private:
  cufftResult transform(bool is_inverse, void* in, void* out) {
    auto direction = is_inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    auto* complex_in = static_cast<cufftComplex*>(in);
    auto* complex_out = static_cast<cufftComplex*>(out);
    switch (shape_.type) {
      case CUFFT_R2C:
        return calls_.transform_reals(handle_, static_cast<cufftReal*>(in), complex_out);
      case CUFFT_C2R:
        return calls_.transform_to_reals(handle_, complex_in, static_cast<cufftReal*>(out));
      case CUFFT_C2C:
        return calls_.transform_complex64(handle_, complex_in, complex_out, direction);
      default:
        return calls_.transform_complex128(
            handle_, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleComplex*>(out),
            direction);
    }
  }

  const FourierShape shape_;
  const FourierCalls& calls_;
  std::mutex mutex_;
  cufftHandle handle_ = 0;
  bool is_made_ = false;
  size_t work_bytes_ = 0;
};

Status FourierPlans::transform(
    const Launch& launch, const FourierShape& shape, bool is_inverse, void* in, void* out) {
  auto plan = plan_for(shape);
  return plan ? (*plan)->put(launch, is_inverse, in, out) : plan.status();
}

Result<std::shared_ptr<FourierPlans::Plan>> FourierPlans::plan_for(const FourierShape& shape) {
  std::lock_guard lock(mutex_);
  auto found = std::ranges::find(plans_, shape, &Plan::shape);
  if (found != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, found);
    return plans_.front();
  }
  auto calls = fourier_calls();
  if (!calls) return calls.status();
  auto plan = std::make_shared<Plan>(shape, **calls);
  if (auto status = plan->make(); !status.ok()) return status;
  plans_.push_front(plan);
  if (plans_.size() > fourier_plans_max) plans_.pop_back();
  return plan;
}

}  // namespace troupe::cuda

#endif
