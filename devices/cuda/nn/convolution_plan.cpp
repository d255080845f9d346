#if TROUPE_CUDNN
#include "troupe/devices/cuda/nn/convolution_plan.hpp"

#include <algorithm>
#include <set>

#include "troupe/devices/cuda/measure.hpp"
#include "troupe/graph/support/environment.hpp"

namespace troupe::cuda {
namespace {

using Pass = cpu::ConvolutionPass;
using Numbers = std::vector<int64_t>;

constexpr size_t plans_max = 1024;
constexpr size_t workspace_max = size_t{1} << 30;
/// Engines that are measured, of those that the library names first, as it expects them to be the
/// fastest, and of those that it falls back on, which it names without an order.
constexpr size_t measured_max = 8;
constexpr int named_max = 256;  // those that round less come late
/// To set up an engine takes longer than many small convolutions.
constexpr double measured_flops = 1e8;

// The numbers by which an engine knows its operands.
constexpr int64_t input_id = 'x', filter_id = 'w', output_id = 'y';

/// The spatial axes of a shape that the library is told of.
Numbers spatial_axes(const ConvolutionShape& shape, const ConvolutionShape::Sizes& sizes) {
  return {sizes.end() - shape.spatial, sizes.end()};
}

/// Of [batch, channels, spatial...], as they lie in memory.
Numbers strides_of(const Numbers& sizes, bool channels_first) {
  Numbers strides(sizes.size());
  int64_t next = 1;
  auto place = [&](size_t axis) {
    strides[axis] = next;
    next *= sizes[axis];
  };
  if (!channels_first) place(1);
  for (auto axis = sizes.size() - 1; axis > 1; --axis) place(axis);
  if (channels_first) place(1);
  place(0);
  return strides;
}

/// The description of one convolution, of which the library has several engines.
class Operation {
 public:
  Operation(cudnnHandle_t handle, const ConvolutionShape& shape, bool channels_first) {
    auto pass = shape.pass;
    auto describe_all = [&](DnnPart& tensor, int64_t id, int outer, int channels,
                            const ConvolutionShape::Sizes& sizes) {
      auto all = spatial_axes(shape, sizes);
      all.insert(all.begin(), {outer, channels});
      describe(tensor, id, shape, all, channels_first);
    };
    describe_all(input_, input_id, shape.batch, shape.inputs, shape.in);
    describe_all(filter_, filter_id, shape.outputs, shape.inputs / shape.groups, shape.kernel);
    describe_all(output_, output_id, shape.batch, shape.outputs, shape.out);
    describe_convolution(shape);
    operation_ = std::make_unique<DnnPart>(
        pass == Pass::output  ? CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR
        : pass == Pass::input ? CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR
                              : CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
    set_operands(names_of(pass), shape.dtype == DType::float64);
    auto* operation = operation_->get();
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &operation);
    if (operation_->status() == CUDNN_STATUS_SUCCESS) graph_.finalize();
  }

  const DnnPart& graph() const { return graph_; }
  cudnnStatus_t status() const {
    return operation_->status() == CUDNN_STATUS_SUCCESS ? graph_.status() : operation_->status();
  }

 private:
  struct Names {
    cudnnBackendAttributeName_t convolution, input, filter, output, alpha, beta;
  };
  static Names names_of(Pass pass) {
    if (pass == Pass::output)
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    if (pass == Pass::input)
      return {
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    return {
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }

  static void describe(
      DnnPart& tensor, int64_t id, const ConvolutionShape& shape, const Numbers& sizes,
      bool channels_first) {
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, dnn_type(shape.dtype))
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes)
        .set(CUDNN_ATTR_TENSOR_STRIDES, strides_of(sizes, channels_first))
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, int64_t{shape.alignment})
        .finalize();
  }

  void describe_convolution(const ConvolutionShape& shape) {
    auto is_double = shape.dtype == DType::float64;
    auto mode = CUDNN_CROSS_CORRELATION;
    convolution_
        .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode)
        .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{shape.spatial})
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, spatial_axes(shape, shape.dilations))
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, spatial_axes(shape, shape.strides))
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, spatial_axes(shape, shape.padding))
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, spatial_axes(shape, shape.padding))
        .finalize();
  }

  void set_operands(const Names& names, bool is_double) {
    const float one = 1, zero = 0;
    const double double_one = 1, double_zero = 0;
    auto type = is_double ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
    operation_->set(names.convolution, convolution_)
        .set(names.input, input_)
        .set(names.filter, filter_)
        .set(names.output, output_)
        .set(names.alpha, type, 1, is_double ? static_cast<const void*>(&double_one) : &one)
        .set(names.beta, type, 1, is_double ? static_cast<const void*>(&double_zero) : &zero)
        .finalize();
  }

  DnnPart input_{CUDNN_BACKEND_TENSOR_DESCRIPTOR}, filter_{CUDNN_BACKEND_TENSOR_DESCRIPTOR},
      output_{CUDNN_BACKEND_TENSOR_DESCRIPTOR};
  DnnPart convolution_{CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR};
  std::unique_ptr<DnnPart> operation_;
  DnnPart graph_{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
};

using Configurations = std::vector<std::unique_ptr<DnnPart>>;

/// What the library names for the operation, in that mode.
Configurations configurations(const Operation& operation, cudnnBackendHeurMode_t mode) {
  DnnPart heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, operation.graph())
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  if (heuristics.finalize() != CUDNN_STATUS_SUCCESS) return {};
  Configurations found;
  std::vector<cudnnBackendDescriptor_t> parts;
  for (int i = 0; i < named_max; ++i) {
    found.push_back(std::make_unique<DnnPart>(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    parts.push_back(found.back()->get());
  }
  int64_t count = 0;
  auto status = cudnnBackendGetAttribute(
      heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, named_max,
      &count, parts.data());
  // It may know of more than it was asked for.
  count = std::min<int64_t>(count, named_max);
  found.resize(status == CUDNN_STATUS_SUCCESS ? static_cast<size_t>(count) : 0);
  return found;
}

/// What is known of how an engine rounds.
std::set<cudnnBackendNumericalNote_t> notes_of(const DnnPart& configuration) {
  DnnPart engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  auto* part = engine.get();
  int64_t count = 0;
  auto status = cudnnBackendGetAttribute(
      configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count,
      &part);
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes;
  if (status == CUDNN_STATUS_SUCCESS)
    status = cudnnBackendGetAttribute(
        engine.get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, notes.size(),
        &count, notes.data());
  if (status != CUDNN_STATUS_SUCCESS) return {};
  return {notes.begin(), notes.begin() + std::min(count, std::ssize(notes))};
}

/// What is wanted of an engine.
struct Wanted {
  bool allows_tf32;
  bool rounds_alike;  // each time
};

/// Whether it rounds no more than the operands' dtype does, and as it is wanted to.
bool is_exact_enough(
    const DnnPart& configuration, const ConvolutionShape& shape, const Wanted& wanted) {
  auto notes = notes_of(configuration);
  if (wanted.rounds_alike && notes.contains(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) return false;
  if (shape.dtype != DType::float32 || wanted.allows_tf32) return true;
  return !notes.contains(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) &&
         !notes.contains(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
}

std::shared_ptr<const ConvolutionEngine> set_up(
    cudnnHandle_t handle, const DnnPart& configuration, bool channels_first) {
  auto engine = std::make_shared<ConvolutionEngine>();
  engine->channels_first = channels_first;
  engine->plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
      .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  if (engine->plan.finalize() != CUDNN_STATUS_SUCCESS) return nullptr;
  engine->workspace =
      static_cast<size_t>(engine->plan.read_int(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  return engine->workspace <= workspace_max ? engine : nullptr;
}

cudnnStatus_t find_engines(
    cudnnHandle_t handle, const ConvolutionShape& shape, bool channels_first, const Wanted& wanted,
    size_t most, ConvolutionPlan::Engines& engines) {
  Operation operation(handle, shape, channels_first);
  if (operation.status() != CUDNN_STATUS_SUCCESS) return operation.status();
  for (auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    size_t found = 0;
    for (const auto& configuration : configurations(operation, mode)) {
      if (found >= most) break;
      if (!is_exact_enough(*configuration, shape, wanted)) continue;
      auto engine = set_up(handle, *configuration, channels_first);
      if (!engine) continue;
      engines.push_back(std::move(engine));
      ++found;
    }
    if (most == 1 && !engines.empty()) break;
  }
  if (!engines.empty()) return CUDNN_STATUS_SUCCESS;
  return CUDNN_STATUS_NOT_SUPPORTED;
}

/// Whether the library has its fastest engines with channels first: those of Winograd's algorithm
/// are there; tensor cores take channels last.
bool is_faster_with_channels_first(DType dtype, bool allows_tf32) {
  return dtype == DType::float64 || (dtype == DType::float32 && !allows_tf32);
}

}  // namespace

double ConvolutionShape::flops() const {
  auto product = [](const Sizes& sizes) { return 1.0 * sizes[0] * sizes[1] * sizes[2]; };
  return 2.0 * batch * outputs * inputs / groups * product(out) * product(kernel);
}

Status ConvolutionEngine::put(const Launch& launch, const ConvolutionMemory& memory) const {
  Tensor work;
  if (workspace > 0) {
    auto allocated = scratch(launch, workspace);
    if (!allocated) return allocated.status();
    work = *std::move(allocated);
  }
  DnnPart operands(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  const void* pointers[] = {memory.input, memory.filter, memory.output};
  const int64_t ids[] = {input_id, filter_id, output_id};
  auto* space = work.is_set() ? work.mutable_raw() : nullptr;
  operands.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers)
      .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids)
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &space);
  auto status = operands.finalize();
  if (status == CUDNN_STATUS_SUCCESS)
    status = kept<DnnLibrary>(launch).use(launch, [&](cudnnHandle_t handle) {
      return cudnnBackendExecute(handle, plan.get(), operands.get());
    });
  return to_status(status, "convolve");
}

std::shared_ptr<const ConvolutionEngine> ConvolutionPlan::choose(
    const Launch& launch, const Put& put) {
  std::lock_guard lock(mutex_);
  auto fastest = find_fastest(launch, engines_.size(), [&](size_t i) { return put(*engines_[i]); });
  auto engine = engines_[fastest];
  if (!is_captured(launch)) engines_ = {engine};
  return engine;
}

Status ConvolutionPlan::run(const Launch& launch, const Put& put) {
  return put(*choose(launch, put));
}

ConvolutionPlans::ConvolutionPlans(const Card&)
    : allows_tf32_(variable(process_environment(), "TROUPE_TF32") == "1") {}

Result<std::shared_ptr<ConvolutionPlan>> ConvolutionPlans::plan(
    const Launch& launch, const ConvolutionShape& shape) {
  std::lock_guard lock(mutex_);
  if (auto found = plans_.find(shape); found != plans_.end()) return found->second;
  // Images are convolved as they lie where the library can, and, where engines are measured, also
  // in the order for which it has the fastest: transposing takes less than some engines differ.
  ConvolutionPlan::Engines engines;
  auto status = CUDNN_STATUS_NOT_SUPPORTED;
  auto most = measures_algorithms() && shape.flops() >= measured_flops ? measured_max : 1;
  // Engines that round otherwise each time are taken where there are no others.
  for (auto rounds_alike : {true, false})
    for (auto channels_first : {shape.channels_first, !shape.channels_first}) {
      auto is_compared = rounds_alike && most > 1 &&
                         channels_first == is_faster_with_channels_first(shape.dtype, allows_tf32_);
      if (!engines.empty() && !is_compared) continue;
      status = kept<DnnLibrary>(launch).use(launch, [&](cudnnHandle_t handle) {
        return find_engines(
            handle, shape, channels_first, {allows_tf32_, rounds_alike}, most, engines);
      });
    }
  if (engines.empty()) return to_status(status, "plan a convolution");
  if (plans_.size() >= plans_max) plans_.clear();
  auto plan = std::make_shared<ConvolutionPlan>(std::move(engines));
  plans_.emplace(shape, plan);
  return plan;
}

}  // namespace troupe::cuda

#endif
