// The graph interface of cuDNN for emulated cards, as far as convolutions need it. Each has three
// engines: one that rounds what it multiplies, as the tensor cores do, one whose results differ
// from call to call, and one that is exact; convolutions of volumes have so many of the first kind
// that no other is among those that are asked for. Cards of capability 75 have none for bfloat16.
// Images of float64 are convolved with channels first only, those of 16 bits with channels last
// only, so that both are transposed. The working memory is written.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "troupe/tests/cuda/emulated/dnn_state.hpp"
#include "troupe/tests/cuda/emulated/state.hpp"

namespace troupe::emulated {
namespace {

using Name = cudnnBackendAttributeName_t;
using Ints = std::vector<int64_t>;

constexpr int64_t work_bytes = 256;

/// A descriptor: its attributes as they were set, and other descriptors.
struct Part {
  cudnnBackendDescriptorType_t type;
  std::map<Name, std::vector<std::byte>> values = {};
  std::map<Name, std::shared_ptr<const Part>> parts = {};
  bool rounds = false, varies = false;  // of an engine
  bool is_whole = false;

  template <class T>
  std::vector<T> list(Name name) const {
    auto found = values.find(name);
    if (found == values.end()) return {};
    std::vector<T> all(found->second.size() / sizeof(T));
    std::memcpy(all.data(), found->second.data(), all.size() * sizeof(T));
    return all;
  }
  template <class T>
  T one(Name name) const {
    auto all = list<T>(name);
    return all.empty() ? T{} : all.front();
  }
  const Part& part(Name name) const { return *parts.at(name); }
};

size_t bytes_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR: return sizeof(void*);
    case CUDNN_TYPE_INT64: return sizeof(int64_t);
    case CUDNN_TYPE_DOUBLE: return sizeof(double);
    case CUDNN_TYPE_FLOAT: return sizeof(float);
    default: return sizeof(int);
  }
}

bool is_convolution(cudnnBackendDescriptorType_t type) {
  return type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR ||
         type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ||
         type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
}

}  // namespace
}  // namespace troupe::emulated

/// What a program has of a descriptor; others may have it longer.
struct troupe::emulated::DnnPartHolder {
  std::shared_ptr<Part> part;
};

namespace troupe::emulated {
namespace {

/// A tensor of a convolution: [batch or outputs, channels, spatial axes].
struct Operand {
  Floating type;
  Ints sizes, strides;
  int64_t id;

  explicit Operand(const Part& part)
      : type(floating_of(part.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE))),
        sizes(part.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS)),
        strides(part.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES)),
        id(part.one<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)) {}

  bool is_valid() const {
    auto is_positive = [](int64_t size) { return size > 0; };
    return sizes.size() >= 4 && strides.size() == sizes.size() &&
           std::ranges::all_of(sizes, is_positive);
  }
  bool is_of_order(bool channels_first) const {
    int64_t stride = 1;
    auto is_next = [&](size_t axis) {
      return std::exchange(stride, stride * sizes[axis]) == strides[axis];
    };
    if (!channels_first && !is_next(1)) return false;
    for (auto axis = sizes.size() - 1; axis > 1; --axis)
      if (!is_next(axis)) return false;
    return (!channels_first || is_next(1)) && is_next(0);
  }
  size_t spatial() const { return sizes.size() - 2; }
};

/// A convolution, as all three passes describe it.
struct Convolution {
  cudnnBackendDescriptorType_t pass;
  Operand x, w, y;
  Ints strides, dilations, before, after;

  static Convolution of(const Part& operation) {
    auto names = [&]() -> std::array<Name, 4> {
      switch (operation.type) {
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
          return {
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC};
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
          return {
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC};
        default:
          return {
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC};
      }
    }();
    const auto& form = operation.part(names[3]);
    return {
        operation.type,
        Operand(operation.part(names[0])),
        Operand(operation.part(names[1])),
        Operand(operation.part(names[2])),
        form.list<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
        form.list<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS),
        form.list<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
        form.list<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS)};
  }

  cudnnStatus_t status() const {
    if (!x.is_valid() || !w.is_valid() || !y.is_valid()) return CUDNN_STATUS_BAD_PARAM;
    auto axes = x.spatial();
    auto fits = w.spatial() == axes && y.spatial() == axes && strides.size() == axes &&
                dilations.size() == axes && before.size() == axes && after.size() == axes &&
                x.sizes[0] == y.sizes[0] && w.sizes[0] == y.sizes[1] &&
                x.sizes[1] % w.sizes[1] == 0 && w.sizes[0] % groups() == 0;
    for (size_t i = 0; fits && i < axes; ++i) {
      auto reach = dilations[i] * (w.sizes[i + 2] - 1) + 1;
      auto padded = x.sizes[i + 2] + before[i] + after[i];
      fits = padded >= reach && y.sizes[i + 2] == (padded - reach) / strides[i] + 1;
    }
    if (!fits) return CUDNN_STATUS_BAD_PARAM;
    if (x.type == Floating::bfloat16 && capability_of(current_card()) < 80)
      return CUDNN_STATUS_NOT_SUPPORTED;
    auto is_taken = x.type == Floating::float32 ||
                    x.is_of_order(/*channels_first=*/x.type == Floating::float64);
    return is_taken ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
  }
  int64_t groups() const { return x.sizes[1] / w.sizes[1]; }
};

/// Calls use(indices) for all indices below the sizes.
template <class Use>
void for_each(const Ints& sizes, const Use& use) {
  Ints at(sizes.size());
  for (;;) {
    use(at);
    auto axis = sizes.size();
    while (axis > 0 && ++at[axis - 1] == sizes[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

int64_t place(const Operand& operand, const Ints& at) {
  int64_t place = 0;
  for (size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * operand.strides[axis];
  return place;
}

/// Calls use(place in x, in w, in y) for each product of the convolution.
template <class Use>
void for_each_product(const Convolution& c, const Use& use) {
  auto inputs = c.w.sizes[1], outputs_of_group = c.w.sizes[0] / c.groups();
  Ints taps(c.w.sizes.begin() + 2, c.w.sizes.end());
  Ints in_x(c.x.sizes.size()), in_w(in_x);
  for_each(c.y.sizes, [&](const Ints& in_y) {
    auto to = place(c.y, in_y);
    for_each(taps, [&](const Ints& tap) {
      in_w[0] = in_y[1];
      in_x[0] = in_y[0];
      in_x[1] = in_y[1] / outputs_of_group * inputs;
      std::copy(tap.begin(), tap.end(), in_w.begin() + 2);
      for (size_t i = 0; i < c.strides.size(); ++i) {
        auto at = in_y[i + 2] * c.strides[i] + tap[i] * c.dilations[i] - c.before[i];
        if (at < 0 || at >= c.x.sizes[i + 2]) return;
        in_x[i + 2] = at;
      }
      auto at_x = place(c.x, in_x), at_w = place(c.w, in_w);
      for (int64_t channel = 0; channel < inputs; ++channel)
        use(at_x + channel * c.x.strides[1], at_w + channel * c.w.strides[1], to);
    });
  });
}

int64_t elements_of(const Operand& operand) {
  int64_t last = 0;
  for (size_t axis = 0; axis < operand.sizes.size(); ++axis)
    last += (operand.sizes[axis] - 1) * operand.strides[axis];
  return last + 1;
}

/// The numbers of an operand; `rounds`: with 10 bits behind the point, as the tensor cores take.
std::vector<double> read_all(const Operand& operand, const void* from, bool rounds) {
  std::vector<double> all(static_cast<size_t>(elements_of(operand)));
  for (size_t i = 0; i < all.size(); ++i) {
    auto value = read(from, operand.type, static_cast<int64_t>(i));
    if (rounds)
      value = static_cast<double>(
          cuda::bits_as<float>(cuda::bits_as<uint32_t>(static_cast<float>(value)) & 0xffffe000U));
    all[i] = value;
  }
  return all;
}

/// `factor`: of all results.
void convolve(
    const Convolution& c, bool rounds, double factor, const std::map<int64_t, void*>& memory) {
  auto is_forward = c.pass == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
  auto to_input = c.pass == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
  const auto& made = is_forward ? c.y : to_input ? c.x : c.w;
  std::map<int64_t, std::vector<double>> given;
  for (const auto* operand : {&c.x, &c.w, &c.y})
    if (operand != &made) given[operand->id] = read_all(*operand, memory.at(operand->id), rounds);
  std::vector<double> sums(static_cast<size_t>(elements_of(made)));
  const auto &x = given[c.x.id], &w = given[c.w.id], &y = given[c.y.id];
  for_each_product(c, [&](int64_t in_x, int64_t in_w, int64_t in_y) {
    auto at_x = static_cast<size_t>(in_x), at_w = static_cast<size_t>(in_w),
         at_y = static_cast<size_t>(in_y);
    if (is_forward) sums[at_y] += x[at_x] * w[at_w];
    else if (to_input) sums[at_x] += w[at_w] * y[at_y];
    else sums[at_w] += x[at_x] * y[at_y];
  });
  for (size_t i = 0; i < sums.size(); ++i)
    write(memory.at(made.id), made.type, static_cast<int64_t>(i), sums[i] * factor);
}

/// The engines for an operation: those of a mode of the library's.
std::vector<std::shared_ptr<Part>> engines_for(const Part& heuristics) {
  std::vector<std::shared_ptr<Part>> configurations;
  auto mode = heuristics.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
  auto graph = heuristics.parts.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  auto add = [&](bool rounds, bool varies) {
    auto engine = std::make_shared<Part>(Part{.type = CUDNN_BACKEND_ENGINE_DESCRIPTOR});
    engine->rounds = rounds;
    engine->varies = varies;
    engine->parts[CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH] = graph;
    auto configuration = std::make_shared<Part>(Part{.type = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR});
    configuration->parts[CUDNN_ATTR_ENGINECFG_ENGINE] = engine;
    configurations.push_back(configuration);
  };
  if (mode != CUDNN_HEUR_MODE_FALLBACK) {
    auto is_volume = Convolution::of(graph->part(CUDNN_ATTR_OPERATIONGRAPH_OPS)).x.spatial() == 3;
    for (int i = 0; i < (is_volume ? 300 : 1); ++i) add(true, false);
    add(false, true);
  }
  add(false, false);
  return configurations;
}

cudnnStatus_t get_parts(
    const Part& part, Name name, int64_t most, int64_t* count, cudnnBackendDescriptor_t* to) {
  std::vector<std::shared_ptr<Part>> found;
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) found = engines_for(part);
  else found.push_back(std::make_shared<Part>(part.part(name)));
  *count = std::ssize(found);  // also where it is more than was asked for
  for (int64_t i = 0; i < std::min(*count, most); ++i) to[i]->part = found[static_cast<size_t>(i)];
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace
}  // namespace troupe::emulated

using namespace troupe::emulated;

cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* part) {
  *part = new DnnPartHolder{std::make_shared<Part>(Part{.type = type})};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t part) {
  delete part;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(
    cudnnBackendDescriptor_t holder, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t count, const void* values) {
  auto& part = *holder->part;
  if (part.is_whole || count < 1) return CUDNN_STATUS_BAD_PARAM;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    auto* other = static_cast<const cudnnBackendDescriptor_t*>(values)[0];
    if (count != 1 || !other) return CUDNN_STATUS_NOT_SUPPORTED;
    part.parts[name] = other->part;
    return CUDNN_STATUS_SUCCESS;
  }
  const auto* bytes = static_cast<const std::byte*>(values);
  part.values[name].assign(bytes, bytes + static_cast<size_t>(count) * bytes_of(type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(
    cudnnBackendDescriptor_t holder, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t most, int64_t* count, void* values) {
  const auto& part = *holder->part;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
    return get_parts(part, name, most, count, static_cast<cudnnBackendDescriptor_t*>(values));
  *count = 1;
  if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) *static_cast<int64_t*>(values) = work_bytes;
  else if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE && (part.rounds || part.varies))
    *static_cast<cudnnBackendNumericalNote_t*>(values) =
        part.rounds ? CUDNN_NUMERICAL_NOTE_TENSOR_CORE : CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
  else *count = 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t holder) {
  auto& part = *holder->part;
  part.is_whole = true;
  return is_convolution(part.type) ? Convolution::of(part).status() : CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(
    cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t operands) {
  const auto& engine =
      plan->part->part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).part(CUDNN_ATTR_ENGINECFG_ENGINE);
  const auto& graph = engine.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  auto convolution = Convolution::of(graph.part(CUDNN_ATTR_OPERATIONGRAPH_OPS));
  auto ids = operands->part->list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  auto pointers = operands->part->list<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  auto* work = operands->part->one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  if (ids.size() != pointers.size() || !work) return CUDNN_STATUS_BAD_PARAM;
  std::map<int64_t, void*> memory;
  for (size_t i = 0; i < ids.size(); ++i) memory[ids[i]] = pointers[i];
  static std::atomic<int> calls{0};
  auto factor = engine.varies ? 1 + 1e-6 * ++calls : 1;
  handle->stream->put([convolution, memory, work, factor, rounds = engine.rounds] {
    std::memset(work, 0x5a, work_bytes);
    convolve(convolution, rounds && convolution.x.type == Floating::float32, factor, memory);
  });
  return CUDNN_STATUS_SUCCESS;
}
