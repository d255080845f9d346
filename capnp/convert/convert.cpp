#include "troupe/capnp/convert/convert.hpp"

#include <capnp/message.h>
#include <kj/exception.h>

#include <limits>
#include <type_traits>

#include "troupe/capnp/convert/convert_tensor.hpp"
#include "troupe/capnp/convert/to_vector.hpp"

namespace troupe {
namespace {

Result<int> to_index(uint32_t number, const char* what) {
  if (number > static_cast<uint32_t>(std::numeric_limits<int>::max()))
    return invalid_argument(std::string(what) + " cannot be " + std::to_string(number));
  return static_cast<int>(number);
}

Result<ClusterSpec> read_cluster(rpc::Cluster::Reader from) {
  std::map<std::string, JobTasks> jobs;
  for (auto job : from.getJobs()) {
    auto [place, is_new] = jobs.try_emplace(text_of(job.getName()));
    if (!is_new) return invalid_argument("job '" + place->first + "' is given twice");
    for (auto task : job.getTasks()) {
      auto index = to_index(task.getIndex(), "a task's index");
      if (!index) return index.status();
      Address address{.host = text_of(task.getHost()), .port = task.getPort()};
      if (!place->second.by_index.emplace(*index, address.to_string()).second)
        return invalid_argument(
            "task " + std::to_string(*index) + " of job '" + place->first + "' is given twice");
    }
  }
  return ClusterSpec::make(jobs);
}

rpc::NodeState to_rpc(NodeState state) {
  return state == NodeState::draining ? rpc::NodeState::DRAINING : rpc::NodeState::SERVING;
}
NodeState to_state(rpc::NodeState state) {
  return state == rpc::NodeState::DRAINING ? NodeState::draining : NodeState::serving;
}

Result<ListedDevice> read_device(rpc::Device::Reader from) {
  auto index = to_index(from.getIndex(), "a device's index");
  if (!index) return index.status();
  return ListedDevice{
      .name = text_of(from.getName()),
      .attributes =
          {.type = text_of(from.getType()),
           .index = *index,
           .memory_limit = from.getMemoryLimit(),
           .description = text_of(from.getDescription())},
      .incarnation = from.getIncarnation(),
      .memory_in_use = from.getMemoryInUse(),
      .state = to_state(from.getState())};
}

Result<NodeInfo> read_node_info(rpc::NodeInfo::Reader from) {
  auto task = to_index(from.getTask(), "a task's index");
  auto cluster = to_cluster(from.getCluster());
  if (!task) return task.status();
  if (!cluster) return cluster.status();
  return NodeInfo{
      .job = text_of(from.getJob()),
      .task = *task,
      .incarnation = from.getIncarnation(),
      .protocol_version = from.getProtocolVersion(),
      .cluster = *std::move(cluster),
      .sessions = from.getSessions(),
      .steps = from.getSteps(),
      .late_messages = from.getLateMessages(),
      .state = to_state(from.getState())};
}

Result<Wait> read_wait(rpc::WaitingStep::Wait::Reader from) {
  auto age = to_timeout(from.getAgeMs());
  if (!age) return age.status();
  return Wait{
      .device = text_of(from.getDevice()),
      .node = text_of(from.getNode()),
      .op = text_of(from.getOp()),
      .what = text_of(from.getWhat()),
      .peer = text_of(from.getPeer()),
      .age = *age};
}

Result<WaitingStep> read_waiting_step(rpc::WaitingStep::Reader from) {
  auto age = to_timeout(from.getAgeMs());
  auto waits = to_vector<Wait>(from.getWaits(), read_wait);
  if (!age) return age.status();
  if (!waits) return waits.status();
  return WaitingStep{
      .session = from.getSession(),
      .step = from.getStep(),
      .age = *age,
      .waits = *std::move(waits),
      .runner = text_of(from.getRunner())};
}

}  // namespace

void fill(rpc::Status::Builder to, const Status& status) {
  to.setCode(static_cast<uint16_t>(status.code()));
  if (status.ok()) return;
  to.setMessage(status.message());
  if (!status.where().node.empty()) to.setNode(status.where().node);
  if (!status.where().op.empty()) to.setOp(status.where().op);
  if (!status.where().device.empty()) to.setDevice(status.where().device);
  if (!status.where().task.empty()) to.setTask(status.where().task);
  const auto& notes = status.notes();
  if (!notes.empty()) fill(to.initNotes(static_cast<unsigned>(notes.size())), notes);
}

Status to_status(rpc::Status::Reader from) {
  if (from.getCode() == 0) return Status();
  auto message = checked([from]() -> Result<std::string> { return text_of(from.getMessage()); });
  auto where = checked([from]() -> Result<Where> {
    return Where{
        .node = text_of(from.getNode()),
        .op = text_of(from.getOp()),
        .device = text_of(from.getDevice()),
        .task = text_of(from.getTask())};
  });
  auto notes = checked([from] { return to_texts(from.getNotes()); });
  if (!message || !where) return message ? where.status() : message.status();
  if (!notes) return notes.status();
  if (from.getCode() > static_cast<uint16_t>(last_code))
    return invalid_argument(
               "an answer has the unknown code " + std::to_string(from.getCode()) + ": " + *message)
        .at(*where);
  Status status(static_cast<Code>(from.getCode()), *std::move(message), *std::move(where));
  for (auto& note : *notes) status = status.with_note(std::move(note));
  return status;
}

Result<std::chrono::milliseconds> to_timeout(uint64_t milliseconds) {
  constexpr uint64_t ten_years = uint64_t{10} * 366 * 24 * 3600 * 1000;
  if (milliseconds > ten_years)
    return invalid_argument(
        "a timeout is at most ten years long, not " + std::to_string(milliseconds) + " ms");
  return std::chrono::milliseconds(milliseconds);
}

Result<Feeds> to_feeds(capnp::List<rpc::Feed>::Reader from, DeferredTensors* deferred) {
  return checked([from, deferred] {
    return to_vector<Feeds::value_type>(from, [deferred](auto feed) -> Result<Feeds::value_type> {
      auto output = text_of(feed.getOutput());
      auto value = to_tensor(feed.getValue(), deferred);
      if (!value)
        return Status(value.status().code(), "feed '" + output + "': " + value.status().message());
      return Feeds::value_type(std::move(output), *std::move(value));
    });
  });
}

void fill(capnp::List<capnp::Text>::Builder to, const std::vector<std::string>& texts) {
  for (unsigned i = 0; i < texts.size(); ++i) to.set(i, texts[i]);
}

Result<std::vector<std::string>> to_texts(capnp::List<capnp::Text>::Reader from) {
  return checked([from] {
    return to_vector<std::string>(
        from, [](auto text) { return Result<std::string>(text_of(text)); });
  });
}

void fill(rpc::Cluster::Builder to, const ClusterSpec& cluster) {
  auto jobs = to.initJobs(static_cast<unsigned>(cluster.jobs().size()));
  unsigned job_index = 0;
  for (const auto& [name, tasks] : cluster.jobs()) {
    auto job = jobs[job_index++];
    job.setName(name);
    auto list = job.initTasks(static_cast<unsigned>(tasks.size()));
    unsigned task_index = 0;
    for (const auto& [index, address] : tasks) {
      auto task = list[task_index++];
      task.setIndex(static_cast<uint32_t>(index));
      task.setHost(address.host);
      task.setPort(static_cast<uint16_t>(address.port));
    }
  }
}

Result<ClusterSpec> to_cluster(rpc::Cluster::Reader from) {
  return checked([from] { return read_cluster(from); });
}

void fill(rpc::Master::ListDevicesResults::Builder to, const DeviceList& list) {
  auto devices = to.initDevices(static_cast<unsigned>(list.devices.size()));
  for (unsigned i = 0; i < list.devices.size(); ++i) {
    const auto& device = list.devices[i];
    devices[i].setName(device.name);
    devices[i].setType(device.attributes.type);
    devices[i].setIndex(static_cast<uint32_t>(device.attributes.index));
    devices[i].setMemoryLimit(device.attributes.memory_limit);
    devices[i].setDescription(device.attributes.description);
    devices[i].setIncarnation(device.incarnation);
    devices[i].setState(to_rpc(device.state));
    devices[i].setMemoryInUse(device.memory_in_use);
  }
  auto missing = to.initMissing(static_cast<unsigned>(list.missing.size()));
  for (unsigned i = 0; i < list.missing.size(); ++i) fill(missing[i], list.missing[i]);
}

Result<DeviceList> to_device_list(rpc::Master::ListDevicesResults::Reader from) {
  return checked([from]() -> Result<DeviceList> {
    auto devices = to_vector<ListedDevice>(from.getDevices(), read_device);
    if (!devices) return devices.status();
    DeviceList list{.devices = *std::move(devices), .missing = {}};
    for (auto status : from.getMissing()) list.missing.push_back(to_status(status));
    return list;
  });
}

void fill(capnp::List<rpc::WaitingStep>::Builder to, const std::vector<WaitingStep>& steps) {
  for (unsigned i = 0; i < steps.size(); ++i) {
    to[i].setSession(steps[i].session);
    to[i].setStep(steps[i].step);
    to[i].setAgeMs(static_cast<uint64_t>(steps[i].age.count()));
    if (!steps[i].runner.empty()) to[i].setRunner(steps[i].runner);
    auto waits = to[i].initWaits(static_cast<unsigned>(steps[i].waits.size()));
    for (unsigned j = 0; j < steps[i].waits.size(); ++j) {
      const auto& wait = steps[i].waits[j];
      waits[j].setDevice(wait.device);
      waits[j].setNode(wait.node);
      waits[j].setOp(wait.op);
      waits[j].setWhat(wait.what);
      waits[j].setPeer(wait.peer);
      waits[j].setAgeMs(static_cast<uint64_t>(wait.age.count()));
    }
  }
}

Result<std::vector<WaitingStep>> to_waiting_steps(capnp::List<rpc::WaitingStep>::Reader from) {
  return checked([from] { return to_vector<WaitingStep>(from, read_waiting_step); });
}

void fill(rpc::NodeInfo::Builder to, const NodeInfo& info) {
  to.setJob(info.job);
  to.setTask(static_cast<uint32_t>(info.task));
  to.setIncarnation(info.incarnation);
  to.setProtocolVersion(info.protocol_version);
  fill(to.initCluster(), info.cluster);
  to.setSessions(info.sessions);
  to.setSteps(info.steps);
  to.setLateMessages(info.late_messages);
  to.setState(to_rpc(info.state));
}

Result<NodeInfo> to_node_info(rpc::NodeInfo::Reader from) {
  return checked([from] { return read_node_info(from); });
}

}  // namespace troupe
