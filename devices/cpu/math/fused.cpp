#include <algorithm>
#include <array>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/math/math.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"
#include "troupe/graph/ops/fusion.hpp"

namespace troupe::cpu {
namespace {

// Some tiles, with those of operands and the result, fit into the nearest cache.
constexpr int64_t tile_bytes = 8192;
constexpr int tiles_max = 4;

/// One of the nodes that were fused, with its kernel.
struct FusedPart {
  fusion::Part node;
  KernelCatalog::Compute compute;
  UnaryElements unary;    // of a part with one operand
  BinaryElements binary;  // of one with two
  Operands fit = Operands::broadcast;
  int tile = 0;  // where its result is until it is used; the last's is the output

  Status at(const Status& status) const { return status.at({.node = node.name, .op = node.op}); }
};

/// What a step need not find out.
struct FusedProgram {
  std::vector<FusedPart> parts;
  std::vector<int> uses;  // of each input and of each part's result, by operands
  int input_count;
  DType dtype;
  int64_t cost;  // of an element, as in UnaryElements
};

constexpr auto endless = std::numeric_limits<int64_t>::max();

/// How an operand is laid out under the elements of the result: each of its elements stands for
/// `stretch` of them, and after `period` elements it begins again.
struct Span {
  int64_t stretch;
  int64_t period;
};

/// Nothing for an operand that repeats in more than these ways.
std::optional<Span> span_of(const Shape& operand, const Shape& whole) {
  if (operand == whole) return Span{1, endless};
  if (operand.is_scalar()) return Span{endless, 1};
  Span span{1, 1};
  bool begun = false, ended = false;
  for (int back = 1; back <= whole.rank(); ++back) {
    auto size = whole[whole.rank() - back];
    if (size == 1) continue;
    if (back > operand.rank() || operand[operand.rank() - back] == 1) {
      if (begun) ended = true;
      else span.stretch *= size;
    } else {
      if (ended) return std::nullopt;
      begun = true;
      span.period *= size;
    }
  }
  if (!begun) span.stretch = endless;
  return span;
}

/// Where an operand of a tiled part is: in a tensor, or in the tile of an earlier part.
struct FusedSource {
  const std::byte* tensor = nullptr;
  Span span{1, 1};
  int tile = 0;
};

/// Consecutive elements of an operand: `count` of them, or one that stands for as many.
struct Window {
  const std::byte* from;
  int64_t count;
  bool repeats;
};

struct TiledPart {
  const FusedPart* part;
  std::array<FusedSource, 2> operands;
  bool is_last;
};

/// The part of a launch in which intermediate results stay in the cache.
class TiledLoop {
 public:
  TiledLoop(std::span<const TiledPart> parts, DType dtype, Tensor& out)
      : parts_(parts),
        size_(static_cast<int64_t>(size_of(dtype))),
        out_(static_cast<std::byte*>(out.mutable_raw())),
        streams_(vector::is_beyond_caches(static_cast<int64_t>(out.bytes()))) {}

  void compute(int64_t begin, int64_t end) const {
    Tiles tiles;
    for (auto size = tile_bytes / size_; begin < end; begin += size)
      compute_tile(tiles, begin, std::min(size, end - begin));
  }

 private:
  struct alignas(64) Tiles {
    std::byte bytes[tiles_max][tile_bytes];
  };

  void compute_tile(Tiles& tiles, int64_t begin, int64_t count) const {
    for (const auto& tiled : parts_) {
      auto* out = tiled.is_last ? out_ + begin * size_ : tiles.bytes[tiled.part->tile];
      if (tiled.part->node.operands.size() == 1) {
        auto x = window(tiles, tiled.operands[0], begin, 0);
        loop_of(tiled, tiled.part->unary)(out, x.from, count);
        continue;
      }
      auto loop = loop_of(tiled, tiled.part->binary);
      for (int64_t i = 0; i < count;) {
        auto x = window(tiles, tiled.operands[0], begin, i);
        auto y = window(tiles, tiled.operands[1], begin, i);
        auto size = std::min({count - i, x.count, y.count});
        auto repeat = x.repeats ? Repeat::x : y.repeats ? Repeat::y : Repeat::none;
        loop(out + i * size_, x.from, y.from, size, repeat);
        i += size;
      }
    }
  }

  Window window(const Tiles& tiles, const FusedSource& source, int64_t begin, int64_t i) const {
    if (!source.tensor) return {tiles.bytes[source.tile] + i * size_, endless, false};
    auto [stretch, period] = source.span;
    if (stretch == endless) return {source.tensor, endless, true};
    if (period == endless) return {source.tensor + (begin + i) * size_, endless, false};
    auto element = begin + i, place = element / stretch % period;
    auto* from = source.tensor + place * size_;
    if (stretch > 1) return {from, stretch - element % stretch, true};
    return {from, period - place, false};
  }

  template <class Elements>
  decltype(Elements::loop) loop_of(const TiledPart& tiled, const Elements& elements) const {
    return tiled.is_last && streams_ && elements.streaming ? elements.streaming : elements.loop;
  }

  const std::span<const TiledPart> parts_;
  const int64_t size_;
  std::byte* const out_;
  const bool streams_;
};

/// One launch. A part is tiled if its result has the shape of the last part's, and so have those of
/// all parts that lead from it to the last. Before them, others are computed by their own kernels.
class FusedLaunch {
 public:
  FusedLaunch(Launch& launch, const FusedProgram& program)
      : launch_(launch), program_(program), values_(program.uses.size(), &memory_) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i].uses = program.uses[i];
    for (int i = 0; i < program.input_count; ++i) values_[i].tensor = launch.take_input(i);
  }

  Status run() {
    if (find_shapes()) choose_tiled();
    for (size_t i = 0; i < program_.parts.size(); ++i)
      if (!result_of(i).is_tiled)
        if (auto status = compute_alone(i); !status.ok()) return program_.parts[i].at(status);
    if (values_.back().is_tiled)
      if (auto status = compute_tiled(); !status.ok()) return program_.parts.back().at(status);
    launch_.set(0, std::move(values_.back().tensor));
    return {};
  }

 private:
  struct Value {
    Tensor tensor;
    const Shape* shape = nullptr;  // until parts are computed, which may take tensors away
    int uses = 0;                  // by operands of parts that are still to be computed
    bool is_tiled = false;
    bool is_used_alone = false;
  };

  Value& result_of(size_t part) {
    return values_[static_cast<size_t>(program_.input_count) + part];
  }
  Value& operand(const FusedPart& part, size_t index) {
    return values_[static_cast<size_t>(part.node.operands[index])];
  }

  /// False where some part's kernel will refuse its operands.
  bool find_shapes() {
    for (int i = 0; i < program_.input_count; ++i) values_[i].shape = &values_[i].tensor.shape();
    for (size_t i = 0; i < program_.parts.size(); ++i) {
      const auto& part = program_.parts[i];
      const auto& x = *operand(part, 0).shape;
      result_of(i).shape = &x;
      if (part.node.operands.size() == 1) continue;
      const auto& y = *operand(part, 1).shape;
      if (part.fit == Operands::pairwise && x != y) return false;
      if (part.fit == Operands::biased && (x.rank() < 2 || y != Shape{x[x.rank() - 1]}))
        return false;
      if (part.fit != Operands::broadcast || y.is_scalar() || x == y) continue;
      auto both = broadcast(x, y);
      if (!both) return false;
      result_of(i).shape = &broadcasts_.emplace_back(*both);
    }
    whole_ = *values_.back().shape;
    return true;
  }

  void choose_tiled() {
    for (auto i = program_.parts.size(); i-- > 0;) {
      const auto& part = program_.parts[i];
      auto& result = result_of(i);
      result.is_tiled =
          !result.is_used_alone && part.tile < tiles_max && can_be_tiled(part, result);
      if (result.is_tiled) continue;
      for (size_t k = 0; k < part.node.operands.size(); ++k) operand(part, k).is_used_alone = true;
    }
  }

  bool can_be_tiled(const FusedPart& part, const Value& result) {
    if (*result.shape != whole_) return false;
    int stretched = 0;
    for (size_t k = 0; k < part.node.operands.size(); ++k) {
      auto span = span_of(*operand(part, k).shape, whole_);
      if (!span) return false;
      stretched += span->stretch > 1;
    }
    return stretched < 2;
  }

  Status compute_alone(size_t index) {
    const auto& part = program_.parts[index];
    std::array<Tensor, 2> operands;
    auto count = part.node.operands.size();
    for (size_t k = 0; k < count; ++k) {
      auto& value = operand(part, k);
      operands[k] = --value.uses == 0 ? std::move(value.tensor) : value.tensor;
    }
    auto& result = result_of(index).tensor;
    Launch alone(launch_.device(), {}, std::span(operands.data(), count), {&result, 1});
    return part.compute(alone);
  }

  Status compute_tiled() {
    auto out = reuse_or_allocate();
    if (!out) return out.status();
    std::pmr::vector<TiledPart> tiled(&memory_);
    tiled.reserve(program_.parts.size());
    for (size_t i = 0; i < program_.parts.size(); ++i) {
      if (!result_of(i).is_tiled) continue;
      const auto& part = program_.parts[i];
      auto& added = tiled.emplace_back(TiledPart{&part, {}, i + 1 == program_.parts.size()});
      for (size_t k = 0; k < part.node.operands.size(); ++k)
        added.operands[k] = source_of(static_cast<size_t>(part.node.operands[k]));
    }
    TiledLoop loop(tiled, program_.dtype, *out);
    parallel_ranges(out->elements(), program_.cost, [&](int64_t begin, int64_t end) {
      loop.compute(begin, end);
    });
    values_.back().tensor = *std::move(out);
    return {};
  }

  FusedSource source_of(size_t index) {
    const auto& value = values_[index];
    if (value.is_tiled)
      return {.tile = program_.parts[index - static_cast<size_t>(program_.input_count)].tile};
    return {
        .tensor = static_cast<const std::byte*>(value.tensor.raw()),
        .span = *span_of(value.tensor.shape(), whole_)};
  }

  /// Over an operand, if nobody else has it: the last part writes an element after all have read
  /// it.
  Result<Tensor> reuse_or_allocate() {
    for (const auto& value : values_) {
      const auto& tensor = value.tensor;
      if (tensor.is_set() && tensor.is_sole_owner() && tensor.shape() == whole_) return tensor;
    }
    return launch_.allocate(program_.dtype, whole_);
  }

  Launch& launch_;
  const FusedProgram& program_;
  std::array<std::byte, 2048> few_;  // of few parts: a small step takes no longer than a malloc
  std::pmr::monotonic_buffer_resource memory_{few_.data(), few_.size()};
  std::pmr::vector<Value> values_;              // the inputs, then the parts' results
  std::pmr::list<Shape> broadcasts_{&memory_};  // which stay where they are
  Shape whole_;
};

/// Gives each part a tile, which may be that of an operand that it is the last to use.
void choose_tiles(FusedProgram& program) {
  auto uses = program.uses;
  std::vector<bool> is_taken;
  for (auto& part : program.parts) {
    for (auto operand : part.node.operands)
      if (--uses[operand] == 0 && operand >= program.input_count)
        is_taken[program.parts[operand - program.input_count].tile] = false;
    auto free = std::ranges::find(is_taken, false);
    part.tile = static_cast<int>(free - is_taken.begin());
    if (free == is_taken.end()) is_taken.push_back(true);
    else *free = true;
  }
}

using Makers = std::map<std::string, KernelCatalog::Make, std::less<>>;

Result<FusedPart> make_part(const fusion::Part& node, DType dtype, const Makers& makers) {
  auto maker = makers.find(node.op);
  if (maker == makers.end()) return unimplemented("there is no CPU kernel for " + node.op);
  auto kernel = maker->second(Node{
      .id = 0,
      .name = node.name,
      .op = nullptr,
      .device = {},
      .attrs = fusion::attrs_of_part(node.op, dtype),
      .inputs = {},
      .control_inputs = {},
      .output_dtypes = {},
      .output_shapes = {}});
  if (!kernel) return kernel.status();
  FusedPart part{.node = node, .compute = kernel->compute, .unary = {}, .binary = {}};
  const auto* unary = part.compute.target<ComputeUnary>();
  const auto* binary = part.compute.target<ComputeBinary>();
  if (node.operands.size() == (unary ? 1 : binary ? 2 : 0)) {
    if (unary) part.unary = unary->elements;
    else part.binary = binary->elements, part.fit = binary->operands;
    return part;
  }
  return unimplemented(node.op + " cannot be fused");
}

Result<Kernel> make_fused(const Node& node, const Makers& makers) {
  auto program = std::make_shared<FusedProgram>();
  program->input_count = static_cast<int>(node.inputs.size());
  program->dtype = node.attr<DType>("T");
  program->cost = 0;
  program->uses.resize(node.inputs.size());
  for (const auto& described : fusion::parts_of(node.attrs)) {
    auto part = make_part(described, program->dtype, makers);
    if (!part) return part.status().at({.node = described.name, .op = described.op});
    program->cost += described.operands.size() == 1 ? part->unary.cost : part->binary.cost;
    for (auto operand : described.operands) ++program->uses[static_cast<size_t>(operand)];
    program->parts.push_back(*std::move(part));
    program->uses.push_back(0);
  }
  choose_tiles(*program);
  return Kernel{
      .compute = [program](Launch& launch) { return FusedLaunch(launch, *program).run(); },
      .cost_ns =
          [cost = program->cost](const Launch& launch) {
            int64_t elements = 0;
            for (int i = 0; i < launch.input_count(); ++i)
              elements = std::max(elements, launch.input(i).elements());
            return 50 + elements * cost / 4;
          }};
}

}  // namespace

void add_fused_kernel(KernelCatalog& catalog) {
  auto makers = std::make_shared<Makers>();
  for (const auto& op : catalog.ops())
    if (fusion::operand_count(op) > 0) makers->emplace(op, catalog.find(op));
  catalog.add(fusion::op, [makers](const Node& node) { return make_fused(node, *makers); });
}

}  // namespace troupe::cpu
