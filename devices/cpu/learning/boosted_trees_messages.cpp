#include "troupe/devices/cpu/learning/boosted_trees_messages.hpp"

#include <bit>
#include <cstring>

#include "troupe/devices/cpu/parsing/wire.hpp"

namespace troupe::cpu {
namespace {

/// Writes the fields of a message, those that have their default left out.
class MessageWriter {
 public:
  template <class M>
  using Of = const M;

  std::string take() { return std::move(bytes_); }

  template <class T>
  void integer(uint64_t number, T value) {
    if (value == 0) return;
    tag(number, WireType::varint);
    varint(static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  void real(uint64_t number, float value) {
    if (value == 0) return;
    tag(number, WireType::fixed32);
    fixed(value);
  }
  void reals(uint64_t number, const std::vector<float>& values) {
    if (values.empty()) return;
    tag(number, WireType::bytes);
    varint(values.size() * sizeof(float));
    for (auto value : values) fixed(value);
  }
  void integers(uint64_t number, const std::vector<int32_t>& values) {
    if (values.empty()) return;
    MessageWriter packed;
    for (auto value : values) packed.varint(static_cast<uint64_t>(int64_t{value}));
    text(number, packed.bytes_);
  }
  template <class M>
  void message(uint64_t number, const M& message) {
    MessageWriter inner;
    fields(inner, message);
    text(number, inner.bytes_);
  }
  template <class M>
  void optional(uint64_t number, const std::optional<M>& held) {
    if (held) message(number, *held);
  }
  template <class M>
  void repeated(uint64_t number, const std::vector<M>& messages) {
    for (const auto& each : messages) message(number, each);
  }
  template <class M, class... Ms>
  void alternative(uint64_t number, const std::variant<Ms...>& any) {
    if (auto* held = std::get_if<M>(&any)) message(number, *held);
  }

 private:
  void tag(uint64_t number, WireType type) { varint(number << 3 | static_cast<uint64_t>(type)); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void fixed(float value) {
    static_assert(std::endian::native == std::endian::little);
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes_.append(raw, sizeof(raw));
  }
  void text(uint64_t number, std::string_view inner) {
    tag(number, WireType::bytes);
    varint(inner.size());
    bytes_ += inner;
  }

  std::string bytes_;
};

/// Takes one field of a message into what has its number and type, as protobuf does.
class FieldReader {
 public:
  template <class M>
  using Of = M;

  explicit FieldReader(const WireField& field) : field_(field) {}
  bool has_failed() const { return has_failed_; }

  template <class T>
  void integer(uint64_t number, T& value) {
    if (is(number, WireType::varint)) value = static_cast<T>(field_.value);
  }
  void real(uint64_t number, float& value) {
    if (is(number, WireType::fixed32)) value = real_of(field_.value);
  }
  void reals(uint64_t number, std::vector<float>& values) {
    if (is(number, WireType::fixed32)) values.push_back(real_of(field_.value));
    if (!is(number, WireType::bytes)) return;
    auto count = field_.bytes.size() / sizeof(float);
    has_failed_ = field_.bytes.size() % sizeof(float) != 0;
    if (has_failed_ || count == 0) return;
    values.resize(values.size() + count);
    std::memcpy(&values[values.size() - count], field_.bytes.data(), count * sizeof(float));
  }
  void integers(uint64_t number, std::vector<int32_t>& values) {
    if (is(number, WireType::varint)) values.push_back(static_cast<int32_t>(field_.value));
    if (!is(number, WireType::bytes)) return;
    WireReader packed(field_.bytes);
    for (uint64_t value; !packed.rest().empty() && !has_failed_;) {
      has_failed_ = !packed.take_varint(value);
      values.push_back(static_cast<int32_t>(value));
    }
  }
  template <class M>
  void optional(uint64_t number, std::optional<M>& held) {
    if (!is(number, WireType::bytes)) return;
    if (!held) held.emplace();
    read(*held);
  }
  template <class M>
  void repeated(uint64_t number, std::vector<M>& messages) {
    if (is(number, WireType::bytes)) read(messages.emplace_back());
  }
  template <class M, class... Ms>
  void alternative(uint64_t number, std::variant<Ms...>& any) {
    if (!is(number, WireType::bytes)) return;
    if (!std::holds_alternative<M>(any)) any.template emplace<M>();
    read(std::get<M>(any));
  }

 private:
  bool is(uint64_t number, WireType type) const {
    return field_.number == number && field_.type == type;
  }
  static float real_of(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
  template <class M>
  void read(M& message);

  const WireField& field_;
  bool has_failed_ = false;
};

template <class M>
bool read_message(std::string_view bytes, M& message) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    FieldReader into(field);
    fields(into, message);
    if (into.has_failed()) return false;
  }
  return !reader.has_failed();
}

template <class M>
void FieldReader::read(M& message) {
  has_failed_ = !read_message(field_.bytes, message);
}

// What each message has, in the order of the numbers: for reading and for writing.
template <class Io>
void fields(Io& io, typename Io::template Of<LeafVector>& vector) {
  io.reals(1, vector.values);
}
template <class Io>
void fields(Io& io, typename Io::template Of<LeafSparseVector>& vector) {
  io.integers(1, vector.indices);
  io.reals(2, vector.values);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeLeaf>& leaf) {
  io.template alternative<LeafVector>(1, leaf.values);
  io.template alternative<LeafSparseVector>(2, leaf.values);
  io.real(3, leaf.scalar);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeBranches>& branches) {
  io.integer(3, branches.left);
  io.integer(4, branches.right);
}
template <class Io>
void fields(Io& io, typename Io::template Of<BucketizedSplit>& split) {
  io.integer(1, split.feature_id);
  io.integer(2, split.threshold);
  fields(io, split.branches);
  io.integer(5, split.dimension_id);
  io.integer(6, split.default_direction);
}
template <class Io>
void fields(Io& io, typename Io::template Of<CategoricalSplit>& split) {
  io.integer(1, split.feature_id);
  io.integer(2, split.value);
  fields(io, split.branches);
  io.integer(5, split.dimension_id);
}
template <class Io>
void fields(Io& io, typename Io::template Of<DenseSplit>& split) {
  io.integer(1, split.feature_id);
  io.real(2, split.threshold);
  fields(io, split.branches);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeNodeMetadata>& metadata) {
  io.real(1, metadata.gain);
  io.optional(2, metadata.original_leaf);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeNode>& node) {
  io.template alternative<TreeLeaf>(1, node.content);
  io.template alternative<BucketizedSplit>(2, node.content);
  io.template alternative<CategoricalSplit>(3, node.content);
  io.template alternative<DenseSplit>(4, node.content);
  io.optional(777, node.metadata);
}
template <class Io>
void fields(Io& io, typename Io::template Of<Tree>& tree) {
  io.repeated(1, tree.nodes);
}
template <class Io>
void fields(Io& io, typename Io::template Of<PrunedNode>& node) {
  io.integer(1, node.new_node_id);
  io.reals(2, node.logit_change);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeMetadata>& metadata) {
  io.integer(2, metadata.num_layers_grown);
  io.integer(3, metadata.is_finalized);
  io.repeated(4, metadata.post_pruned_nodes);
}
template <class Io>
void fields(Io& io, typename Io::template Of<GrowingMetadata>& metadata) {
  io.integer(1, metadata.num_trees_attempted);
  io.integer(2, metadata.num_layers_attempted);
  io.integer(3, metadata.last_layer_node_start);
  io.integer(4, metadata.last_layer_node_end);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeEnsemble>& ensemble) {
  io.repeated(1, ensemble.trees);
  io.reals(2, ensemble.tree_weights);
  io.repeated(3, ensemble.tree_metadata);
  io.optional(4, ensemble.growing_metadata);
}

}  // namespace

std::string serialize_ensemble(const TreeEnsemble& ensemble) {
  MessageWriter writer;
  fields(writer, ensemble);
  return writer.take();
}

std::optional<TreeEnsemble> parse_ensemble(std::string_view bytes) {
  TreeEnsemble ensemble;
  if (!read_message(bytes, ensemble)) return {};
  return ensemble;
}

std::string serialize_debug_output(const DebugOutput& output) {
  MessageWriter writer;
  writer.integers(1, output.feature_ids);
  writer.reals(2, output.logits_path);
  return writer.take();
}

}  // namespace troupe::cpu
