#include "troupe/devices/cuda/state/training.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"
#include "troupe/devices/cuda/state/rules.hpp"

namespace troupe::cuda {
namespace {

template <class T>
__device__ Wide<T> read_scalar(const TrainingCall& call, int i) {
  const auto* scalar = call.scalars[i];
  if (!scalar) return static_cast<Wide<T>>(call.values[i]);
  if (call.is_long[i]) return static_cast<Wide<T>>(*static_cast<const int64_t*>(scalar));
  return widen(*static_cast<const T*>(scalar));
}

template <class T>
__device__ RuleScalars<Wide<T>> read_scalars(const TrainingCall& call) {
  RuleScalars<Wide<T>> scalars{};
  for (int i = 0; i < call.scalar_count; ++i) scalars.at[i] = read_scalar<T>(call, i);
  scalars.flag = call.flag;
  return scalars;
}

template <class Rule, class T>
__device__ void apply_rule(
    const TrainingCall& call, const RuleScalars<Wide<T>>& scalars, int64_t at, int64_t slope_at) {
  Wide<T> x[Rule::variables];
#pragma unroll
  for (int i = 0; i < Rule::variables; ++i) x[i] = widen(static_cast<const T*>(call.old[i])[at]);
  Rule::apply(x, widen(static_cast<const T*>(call.gradient)[slope_at]), scalars);
#pragma unroll
  for (int i = 0; i < Rule::variables; ++i)
    static_cast<T*>(call.fresh[i])[at] = Narrow<T>::of(x[i]);
}

__device__ int64_t index_at(const TrainingCall& call, int64_t i) {
  return call.has_long_indices ? static_cast<const int64_t*>(call.indices)[i]
                               : static_cast<const int32_t*>(call.indices)[i];
}

/// A block makes all updates of a row, in their order: the one that the first of its indices has.
template <class Rule, class T>
__device__ void train_rows(const TrainingCall& call, const RuleScalars<Wide<T>>& scalars) {
  for (int64_t first = blockIdx.x; first < call.index_count; first += gridDim.x) {
    auto row = index_at(call, first);
    int is_later = row < 0 || row >= call.rows;
    for (int64_t i = threadIdx.x; i < first && !is_later; i += blockDim.x)
      is_later = index_at(call, i) == row;
    if (__syncthreads_or(is_later)) continue;
    for (auto i = first; i < call.index_count; ++i) {
      if (index_at(call, i) != row) continue;
      for (int64_t k = threadIdx.x; k < call.row_size; k += blockDim.x)
        apply_rule<Rule, T>(call, scalars, row * call.row_size + k, i * call.row_size + k);
    }
  }
}

/// The same of sorted indices: the block of the first one of a row goes on to those beside it.
template <class Rule, class T>
__device__ void train_sorted_rows(const TrainingCall& call, const RuleScalars<Wide<T>>& scalars) {
  for (int64_t first = blockIdx.x; first < call.index_count; first += gridDim.x) {
    auto row = index_at(call, first);
    if (row < 0 || row >= call.rows || (first > 0 && index_at(call, first - 1) == row)) continue;
    for (auto i = first; i < call.index_count && index_at(call, i) == row; ++i)
      for (int64_t k = threadIdx.x; k < call.row_size; k += blockDim.x)
        apply_rule<Rule, T>(
            call, scalars, row * call.row_size + k, call.places[i] * call.row_size + k);
  }
}

template <class Rule, class T>
__global__ void train_kernel(TrainingCall call) {
  auto scalars = read_scalars<T>(call);
  if (call.places) return train_sorted_rows<Rule, T>(call, scalars);
  if (call.indices) return train_rows<Rule, T>(call, scalars);
  for (auto i = first_item(); i < call.count; i += item_step())
    apply_rule<Rule, T>(call, scalars, i, i);
}

template <class Rule, class T>
void launch(const TrainingCall& call) {
  auto blocks = call.indices ? blocks_for(call.index_count, 1) : blocks_for(call.count);
  start_kernel(call.stream, blocks, block_threads, train_kernel<Rule, T>, call);
}

struct Entry {
  std::string_view rule;
  LaunchTraining float32, float64, float16, bfloat16;
};

template <class Rule>
constexpr Entry entry(std::string_view name) {
  return {name, launch<Rule, float>, launch<Rule, double>, launch<Rule, Half>, launch<Rule, Brain>};
}

constexpr Entry entries[] = {
    entry<GradientDescentRule>("GradientDescent"),
    entry<ProximalGradientDescentRule>("ProximalGradientDescent"),
    entry<MomentumRule>("Momentum"),
    entry<KerasMomentumRule>("KerasMomentum"),
    entry<AddSignRule>("AddSign"),
    entry<PowerSignRule>("PowerSign"),
    entry<AdamRule>("Adam"),
    entry<AmsgradRule>("AdamWithAmsgrad"),
    entry<AdaMaxRule>("AdaMax"),
    entry<AdagradRule>("Adagrad"),
    entry<AdagradV2Rule>("AdagradV2"),
    entry<AdagradDARule>("AdagradDA"),
    entry<ProximalAdagradRule>("ProximalAdagrad"),
    entry<AdadeltaRule>("Adadelta"),
    entry<RMSPropRule>("RMSProp"),
    entry<CenteredRMSPropRule>("CenteredRMSProp"),
    entry<FtrlRule>("Ftrl"),
    entry<FtrlV2Rule>("FtrlV2"),
};

}  // namespace

LaunchTraining find_training(std::string_view rule, Element element) {
  for (const auto& entry : entries) {
    if (entry.rule != rule) continue;
    switch (element) {
      case Element::float32: return entry.float32;
      case Element::float64: return entry.float64;
      case Element::float16: return entry.float16;
      case Element::bfloat16: return entry.bfloat16;
      default: return nullptr;
    }
  }
  return nullptr;
}

}  // namespace troupe::cuda
