#include "troupe/graph/passes/partition.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/find_frames.hpp"
#include "troupe/graph/passes/later_reads.hpp"
#include "troupe/graph/passes/sort_nodes.hpp"

namespace troupe {
namespace {

class Partitioner {
 public:
  Partitioner(
      const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices)
      : graph_(graph), step_(step), devices_(devices), later_reads_(graph, step, devices) {}

  Result<std::vector<Partition>> run() {
    auto frames = find_frames(graph_, step_.nodes);
    if (!frames) return frames.status();
    frames_ = *std::move(frames);
    if (frames_.has_loops()) find_loops();
    for (auto id : step_.nodes)
      if (!is_copied(id)) add_node(id, device_of(id));
    for (const auto& part : std::set(loop_parts_))
      if (is_on_several_devices(part.second)) pivot(part);
    if (!status_.ok()) return status_;
    for (size_t i = 0; i < step_.fetches.size(); ++i) add_fetch(static_cast<int>(i));
    std::vector<Partition> partitions;
    for (auto& [device, partition] : partitions_) {
      if (frames_.has_loops()) sort_inputs_first(partition.nodes);
      partitions.push_back(std::move(partition));
    }
    return partitions;
  }

 private:
  std::string device_of(NodeId id) const { return devices_.at(id).to_string(); }

  Partition& at(const std::string& device) {
    auto& partition = partitions_[device];
    partition.device = device;
    return partition;
  }

  /// Pruning drops a control input only if there is nothing left to wait for.
  bool is_kept(NodeId id) const { return std::ranges::binary_search(step_.nodes, id); }

  /// Constants without a device constraint are copied to the devices that use them.
  bool is_copied(NodeId id) const {
    const auto& node = graph_.node(id);
    return node.op->name() == "Const" && node.device.empty() && node.control_inputs.empty();
  }

  void add_node(NodeId id, const std::string& device) {
    current_ = id;
    auto def = graph_.def_of(id);
    def.device = device;
    def.inputs.clear();
    const auto& node = graph_.node(id);
    for (int i = 0; i < static_cast<int>(node.inputs.size()); ++i) {
      auto input = node.inputs[static_cast<size_t>(i)];
      if (is_read(input) && !node.takes_reference(i))
        def.inputs.push_back(make_read_available(node, input, device));
      else if (auto reference = later_reads_.of(id, input))
        def.inputs.push_back(make_read_available(node, *reference, device));
      else def.inputs.push_back(make_available(input, device));
    }
    for (auto input : node.control_inputs)
      if (is_kept(input)) def.inputs.push_back("^" + make_control_available(input, device));
    at(device).nodes.push_back(std::move(def));
  }

  /// Makes an output available on that device, by an _Arg, a copy or a transfer if needed, and
  /// returns its name there.
  std::string make_available(Output output, const std::string& device) {
    auto key = std::pair(output, device);
    if (auto found = local_names_.find(key); found != local_names_.end()) return found->second;
    auto feed = std::ranges::find(step_.feeds, output);
    std::string name;
    if (feed != step_.feeds.end())
      name = add_feed(static_cast<int>(feed - step_.feeds.begin()), device);
    else if (is_copied(output.node)) {
      if (local_names_.emplace(key, graph_.name_of(output)).second) add_node(output.node, device);
      return graph_.name_of(output);
    } else if (device_of(output.node) == device) name = graph_.name_of(output);
    else name = add_transfer(graph_.name_of(output), {}, output, device);
    return local_names_.emplace(key, name).first->second;
  }

  bool is_fed(Output output) const { return std::ranges::count(step_.feeds, output) > 0; }

  /// Whether who wants a value there has to read it from the variable.
  bool is_read(Output output) const { return graph_.is_reference(output) && !is_fed(output); }

  /// As make_available(), for the value of what a reference names, as the node finds it when it
  /// runs.
  std::string make_read_available(const Node& node, Output ref, const std::string& device) {
    auto source = device_of(ref.node);
    std::set<std::string> controls;
    for (auto input : node.control_inputs)
      if (is_kept(input)) controls.insert("^" + make_control_available(input, source));
    // As it waits for its other inputs, too; a Merge does not. What is sent is not waited for.
    if (source == device && node.op->name() != "Merge")
      for (auto input : node.inputs)
        if (input != ref && !is_fed(input) && !is_copied(input.node) &&
            device_of(input.node) == source)
          controls.insert("^" + name_to_wait_for(node, input));
    auto read = make_read(ref, std::move(controls));
    if (source == device) return read;
    auto& received = received_reads_[{read, device}];
    if (received.empty()) received = add_transfer(read, {}, ref, device);
    return received;
  }

  /// What a read for the node waits for so that it waits for that input. Where it reads the input
  /// itself again, it is on the same branch and in the same loop.
  std::string name_to_wait_for(const Node& node, Output input) {
    const auto& source = graph_.node(input.node);
    auto passes_on = loops::passes_on(source.op->name()) && source.op->name() != "Identity";
    if (!passes_on || !later_reads_.of(node.id, input)) return source.name;
    auto& name = passed_on_[input];
    if (!name.empty()) return name;
    name = transfer::passed_on_prefix + std::to_string(passed_on_.size() - 1);
    auto device = device_of(source.id);
    at(device).nodes.push_back(
        {.name = name,
         .op = "Identity",
         .device = device,
         .inputs = {graph_.name_of(input)},
         .attrs = {{"T", graph_.dtype_of(input)}}});
    return name;
  }

  /// A node that reads what a reference names after those; returns its value's name.
  std::string make_read(Output ref, std::set<std::string> controls) {
    const auto& source = graph_.node(ref.node);
    auto device = device_of(ref.node);
    // The handle of a variable is there before the step, whatever its node waits for.
    if (source.op->makes_resource_handle())
      for (auto input : source.control_inputs)
        if (is_kept(input)) controls.insert("^" + make_control_available(input, device));
    std::vector<std::string> inputs{graph_.name_of(ref)};
    inputs.insert(inputs.end(), controls.begin(), controls.end());
    auto& name = reads_[inputs];
    if (!name.empty()) return name;
    auto node = transfer::read_prefix + std::to_string(reads_.size() - 1);
    at(device).nodes.push_back(
        {.name = node,
         .op = transfer::read,
         .device = device,
         .inputs = inputs,
         .attrs = {{"T", graph_.dtype_of(ref)}}});
    return name = node + ":0";
  }

  /// As make_available(), for a control edge: the end of a node without a value.
  std::string make_control_available(NodeId id, const std::string& device) {
    const auto& node = graph_.node(id);
    if (is_copied(id)) {
      make_available({id, 0}, device);
      return node.name;
    }
    if (device_of(id) == device) return node.name;
    auto key = std::pair(id, device);
    if (auto found = control_names_.find(key); found != control_names_.end()) return found->second;
    auto signal = transfer::signal_prefix + std::to_string(edge_count_);
    at(device_of(id))
        .nodes.push_back(
            {.name = signal,
             .op = "Const",
             .device = device_of(id),
             .inputs = {"^" + node.name},
             .attrs = {{"value", Tensor::scalar(true)}, {"dtype", DType::boolean}}});
    auto name = add_transfer(signal, DType::boolean, {id, 0}, device);
    return control_names_[key] = name.substr(0, name.rfind(':'));
  }

  /// Adds a pair of _Send and _Recv. `as` is set for a control signal: the dtype to send instead of
  /// the output's.
  std::string add_transfer(
      const std::string& from, std::optional<DType> as, Output output, const std::string& device) {
    auto edge = edge_count_++;
    auto dtype = as ? *as : graph_.dtype_of(output);
    auto shape = as ? Shape() : graph_.shape_of(output);
    auto source = device_of(output.node);
    auto frame = frames_.of_outputs[output.node];
    // A device with nothing but constants of a loop has to go through its iterations, too: the
    // receiver waits for a value in each.
    if (frame > 0 && !merges_.contains({source, frame})) pivot({source, frame});
    at(source).nodes.push_back(
        {.name = transfer::send_prefix + std::to_string(edge),
         .op = transfer::send,
         .device = source,
         .inputs = {from},
         .attrs = {{"T", dtype}, {"edge", edge}, {"to_device", device}}});
    auto name = transfer::recv_prefix + std::to_string(edge);
    std::vector<std::string> controls;
    if (frame > 0) controls.push_back("^" + pivot({device, frame}));
    at(device).nodes.push_back(
        {.name = name,
         .op = transfer::recv,
         .device = device,
         .inputs = std::move(controls),
         .attrs = {
             {"tensor_type", dtype},
             {"edge", edge},
             {"from_device", source},
             {"tensor_name", as ? "^" + graph_.node(output.node).name : graph_.name_of(output)},
             {"shape", shape}}});
    return name + ":0";
  }

  // -- loops

  /// The part of a loop that a device runs.
  using LoopPart = std::pair<std::string, int>;

  void find_loops() {
    for (auto id : step_.nodes) {
      const auto& node = graph_.node(id);
      auto frame = frames_.of_nodes[id];
      if (frame <= 0) continue;
      LoopPart part{device_of(id), frame};
      loop_parts_.insert(part);
      if (node.op->name() == loops::loop_cond) conditions_[frame] = id;
      auto begins = std::ranges::any_of(
          node.inputs, [&](Output input) { return input.node > id; });  // a Merge with a back edge
      if (begins) merges_.try_emplace(part, id);
    }
  }

  bool is_on_several_devices(int frame) const {
    auto is_part = [&](const LoopPart& part) { return part.second == frame; };
    return std::ranges::count_if(loop_parts_, is_part) > 1;
  }

  /// A node that runs in each iteration of that part of a loop, whatever the iteration computes:
  /// what comes from another device waits for it, and so belongs to the iteration. It is a Merge of
  /// the loop, or where the device has none, that of a loop of its own which goes round with it.
  /// (TensorFlow: the control loop of a partition.)
  std::string pivot(const LoopPart& part) {
    if (auto found = pivots_.find(part); found != pivots_.end()) return found->second;
    auto merge = merges_.find(part);
    if (merge != merges_.end() && merge->second < current_)
      return pivots_[part] = graph_.node(merge->second).name;
    return add_control_loop(part);
  }

  std::string add_control_loop(const LoopPart& part) {
    const auto& device = part.first;
    auto number = part.second;
    const auto& frame = frames_.frames[static_cast<size_t>(number)];
    auto prefix = "_loop/" + std::to_string(control_loop_count_++) + "/";
    auto name = [&](const char* suffix) { return prefix + suffix; };
    auto merge = pivots_[part] = name("merge");
    auto condition = conditions_.find(number);
    if (condition == conditions_.end()) {
      status_ = invalid_argument(
          "the loop '" + frame.name + "' is on several devices, but has no LoopCond");
      return merge;
    }
    std::vector<std::string> controls;
    if (frame.parent > 0) controls.push_back("^" + pivot({device, frame.parent}));
    auto add = [&](const char* suffix, const char* op, std::vector<std::string> inputs,
                   Attrs attrs) {
      at(device).nodes.push_back(
          {.name = name(suffix),
           .op = op,
           .device = device,
           .inputs = std::move(inputs),
           .attrs = std::move(attrs)});
    };
    add("start", "Const", controls, {{"value", Tensor::scalar(false)}, {"dtype", DType::boolean}});
    add("enter", loops::enter, {name("start")},
        {{"frame_name", frame.name}, {"parallel_iterations", frame.parallel_iterations}});
    add("merge", loops::merge, {name("enter"), name("next")}, {{loops::shape_attr, Shape()}});
    add("switch", "Switch", {merge, make_available({condition->second, 0}, device)}, {});
    add("next", loops::next_iteration, {name("switch:1")}, {});
    return merge;
  }

  std::string add_feed(int feed, const std::string& device) {
    auto& partition = at(device);
    auto index = static_cast<int64_t>(partition.feeds.size());
    partition.feeds.push_back(feed);
    auto output = step_.feeds[static_cast<size_t>(feed)];
    if (step_.is_partial) return add_client_recv(partition, feed, output);
    auto name = transfer::arg_prefix + std::to_string(index);
    partition.nodes.push_back(
        {.name = name,
         .op = transfer::arg,
         .device = device,
         .inputs = {},
         .attrs = {
             {"T", graph_.dtype_of(output)},
             {"index", index},
             {"shape", graph_.shape_of(output)}}});
    return name + ":0";
  }

  std::string add_client_recv(Partition& partition, int feed, Output output) {
    auto name = "_feed/" + std::to_string(feed);
    partition.nodes.push_back(
        {.name = name,
         .op = transfer::recv,
         .device = partition.device,
         .inputs = {},
         .attrs = {
             {"tensor_type", graph_.dtype_of(output)},
             {"edge", transfer::client_edge(feed)},
             {"from_device", std::string(transfer::client)},
             {"tensor_name", graph_.name_of(output)},
             {"shape", graph_.shape_of(output)}}});
    return name + ":0";
  }

  void add_fetch(int fetch) {
    auto output = step_.fetches[static_cast<size_t>(fetch)];
    if (std::ranges::count(step_.feeds, output)) return;
    auto device = device_of(output.node);
    auto from = is_read(output) ? make_read(output, {}) : make_available(output, device);
    auto& partition = at(device);
    auto index = static_cast<int64_t>(partition.fetches.size());
    partition.fetches.push_back(fetch);
    if (step_.is_partial) return add_client_send(partition, fetch, from);
    partition.nodes.push_back(
        {.name = "_retval/" + std::to_string(index),
         .op = transfer::retval,
         .device = device,
         .inputs = {from},
         .attrs = {{"T", graph_.dtype_of(output)}, {"index", index}}});
  }

  void add_client_send(Partition& partition, int fetch, const std::string& from) {
    auto output = step_.fetches[static_cast<size_t>(fetch)];
    partition.nodes.push_back(
        {.name = "_fetch/" + std::to_string(fetch),
         .op = transfer::send,
         .device = partition.device,
         .inputs = {from},
         .attrs = {
             {"T", graph_.dtype_of(output)},
             {"edge", transfer::client_edge(fetch)},
             {"to_device", std::string(transfer::client)}}});
  }

  const Graph& graph_;
  const PrunedStep& step_;
  const std::map<NodeId, DeviceName>& devices_;
  std::map<std::string, Partition> partitions_;
  std::map<std::pair<Output, std::string>, std::string> local_names_;
  std::map<std::pair<NodeId, std::string>, std::string> control_names_;
  std::map<std::vector<std::string>, std::string> reads_;  // by their inputs
  std::map<std::pair<std::string, std::string>, std::string> received_reads_;
  LaterReads later_reads_;
  std::map<Output, std::string> passed_on_;
  int64_t edge_count_ = 0;
  LoopFrames frames_;
  std::set<LoopPart> loop_parts_;
  std::map<LoopPart, NodeId> merges_;  // the first that begins an iteration
  std::map<int, NodeId> conditions_;   // by frame
  std::map<LoopPart, std::string> pivots_;
  NodeId current_ = -1;  // the node whose inputs are made available
  int64_t control_loop_count_ = 0;
  Status status_;
};

}  // namespace

Result<std::vector<Partition>> partition(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices) {
  return Partitioner(graph, step, devices).run();
}

}  // namespace troupe
