#include "troupe/capnp/convert/convert_explanation.hpp"

#include "troupe/capnp/convert/convert_tensor.hpp"
#include "troupe/capnp/convert/to_vector.hpp"

namespace troupe {
namespace {

using std::chrono::nanoseconds;

void fill(rpc::StepExplanation::Device::Builder to, const ExplainedDevice& device) {
  to.setDevice(device.device);
  to.setNodes(device.nodes);
  to.setPredictedNs(device.predicted.count());
  to.setMeasuredNs(device.measured.count());
  to.setPredictedPeak(device.predicted_peak);
  to.setMeasuredPeak(device.measured_peak);
}

ExplainedDevice to_device(rpc::StepExplanation::Device::Reader from) {
  return {
      .device = text_of(from.getDevice()),
      .nodes = from.getNodes(),
      .predicted = nanoseconds(from.getPredictedNs()),
      .measured = nanoseconds(from.getMeasuredNs()),
      .predicted_peak = from.getPredictedPeak(),
      .measured_peak = from.getMeasuredPeak()};
}

void fill(rpc::StepExplanation::Node::Builder to, const ExplainedNode& node) {
  to.setNode(node.node);
  to.setOp(node.op);
  to.setDevice(node.device);
  troupe::fill(to.initInputs(static_cast<unsigned>(node.inputs.size())), node.inputs);
  to.setWhy(node.why);
  auto count = static_cast<unsigned>(node.alternatives.size());
  troupe::fill(to.initAlternatives(count), node.alternatives);
  to.setBeginNs(node.begin.count());
  to.setPredictedNs(node.predicted.count());
  to.setMeasuredNs(node.measured.count());
  to.setMeasuredSteps(node.measured_steps);
  to.setBytes(node.bytes);
}

Result<ExplainedNode> to_node(rpc::StepExplanation::Node::Reader from) {
  auto inputs = to_texts(from.getInputs());
  if (!inputs) return inputs.status();
  auto alternatives = to_texts(from.getAlternatives());
  if (!alternatives) return alternatives.status();
  return ExplainedNode{
      .node = text_of(from.getNode()),
      .op = text_of(from.getOp()),
      .device = text_of(from.getDevice()),
      .inputs = *std::move(inputs),
      .why = text_of(from.getWhy()),
      .alternatives = *std::move(alternatives),
      .begin = nanoseconds(from.getBeginNs()),
      .predicted = nanoseconds(from.getPredictedNs()),
      .measured = nanoseconds(from.getMeasuredNs()),
      .measured_steps = from.getMeasuredSteps(),
      .bytes = from.getBytes()};
}

void fill(rpc::StepExplanation::Transfer::Builder to, const ExplainedTransfer& transfer) {
  to.setTensor(transfer.tensor);
  to.setFrom(transfer.from);
  to.setTo(transfer.to);
  to.setBytes(transfer.bytes);
  to.setPredictedNs(transfer.predicted.count());
  to.setIsLinkMeasured(transfer.is_link_measured);
}

ExplainedTransfer to_transfer(rpc::StepExplanation::Transfer::Reader from) {
  return {
      .tensor = text_of(from.getTensor()),
      .from = text_of(from.getFrom()),
      .to = text_of(from.getTo()),
      .bytes = from.getBytes(),
      .predicted = nanoseconds(from.getPredictedNs()),
      .is_link_measured = from.getIsLinkMeasured()};
}

/// Fills a list with what is in a vector.
template <class List, class Items>
void fill_all(List to, const Items& items) {
  for (unsigned i = 0; i < items.size(); ++i) fill(to[i], items[i]);
}

}  // namespace

void fill(rpc::StepExplanation::Builder to, const StepExplanation& explanation) {
  to.setPlacement(explanation.placement);
  to.setPredictedNs(explanation.predicted.count());
  auto size = [](const auto& items) { return static_cast<unsigned>(items.size()); };
  fill_all(to.initDevices(size(explanation.devices)), explanation.devices);
  fill_all(to.initNodes(size(explanation.nodes)), explanation.nodes);
  fill_all(to.initTransfers(size(explanation.transfers)), explanation.transfers);
}

Result<StepExplanation> to_step_explanation(rpc::StepExplanation::Reader from) {
  return checked([from]() -> Result<StepExplanation> {
    StepExplanation explanation{
        .placement = text_of(from.getPlacement()),
        .predicted = nanoseconds(from.getPredictedNs()),
        .devices = {},
        .nodes = {},
        .transfers = {}};
    for (auto device : from.getDevices()) explanation.devices.push_back(to_device(device));
    for (auto node : from.getNodes()) {
      auto explained = to_node(node);
      if (!explained) return explained.status();
      explanation.nodes.push_back(*std::move(explained));
    }
    for (auto transfer : from.getTransfers())
      explanation.transfers.push_back(to_transfer(transfer));
    return explanation;
  });
}

}  // namespace troupe
