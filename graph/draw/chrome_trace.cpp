#include "troupe/graph/draw/chrome_trace.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>
#include <vector>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/draw/device_starts.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

using nlohmann::json;
using Time = std::chrono::nanoseconds;

double to_us(Time time) { return static_cast<double>(time.count()) / 1000; }

/// Time between nodes.
struct Gap {
  std::string name;
  Time begin;
  Time end;
};

/// Shorter ones are left out.
constexpr Time shortest_gap = std::chrono::microseconds(1);

/// Sorts what has begins and ends by its begin, and assigns to each the lowest lane that is free
/// then.
template <class Run>
std::vector<size_t> find_lanes(std::vector<const Run*>& runs) {
  std::ranges::stable_sort(runs, {}, [](const Run* run) { return run->begin; });
  using Busy = std::pair<Time, size_t>;  // until when, and which lane
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::set<size_t> free;
  std::vector<size_t> lanes;
  for (const Run* run : runs) {
    for (; !busy.empty() && busy.top().first <= run->begin; busy.pop())
      free.insert(busy.top().second);
    if (free.empty()) free.insert(busy.size());
    auto lane = free.extract(free.begin()).value();
    busy.emplace(run->end, lane);
    lanes.push_back(lane);
  }
  return lanes;
}

/// The process and thread of the trace that a run is drawn on.
struct Track {
  int process;
  int thread;
};

class TraceWriter {
 public:
  explicit TraceWriter(const RunMetadata& metadata)
      : metadata_(metadata), transfers_(tensor_transfers_of(metadata)) {
    starts_ = device_starts(metadata, transfers_);
    is_consistent_ = starts_.size() == metadata.devices.size();
    if (is_consistent_) return;
    starts_.clear();
    for (const auto& run : metadata.devices) starts_.push_back({run.begin, {}});
  }

  std::string write() {
    for (size_t i = 0; i < metadata_.devices.size(); ++i) add_device(i);
    name_processes();
    for (size_t i = 0; i < metadata_.devices.size(); ++i) add_gaps(i);
    for (const auto& tensor : transfers_) add_arrow(tensor);
    std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    const char* separator = "\n";
    for (const auto& event : events_) {
      text += separator + event.dump(-1, ' ', false, json::error_handler_t::replace);
      separator = ",\n";
    }
    return text + "\n]}\n";
  }

 private:
  using Gaps = std::vector<Gap>;

  struct Process {
    int number;
    Time uncertainty{0};
  };

  void add_device(size_t index) {
    const auto& device = metadata_.devices[index];
    auto name = DeviceName::parse(device.device);
    bool is_full = name.ok() && name->is_full();
    auto task = is_full ? task_name(*name->job, *name->task) : device.device;
    auto place = is_full ? *name->type + ":" + std::to_string(*name->index) : device.device;
    auto number = static_cast<int>(processes_.size()) + 1;
    auto& process = processes_.try_emplace(task, Process{number}).first->second;
    process.uncertainty = std::max(process.uncertainty, starts_[index].uncertainty);

    std::vector<const NodeRun*> computes, waits;
    for (const auto& run : device.nodes)
      (run.op == transfer::recv ? waits : computes).push_back(&run);
    add_runs(index, process.number, place, computes);
    add_runs(index, process.number, place + " receives", waits);
  }

  void add_runs(
      size_t device, int process, const std::string& name, std::vector<const NodeRun*>& runs) {
    auto lanes = find_lanes(runs);
    auto first = thread_count_ + 1;
    for (size_t i = 0; i < runs.size(); ++i) {
      Track track{process, first + static_cast<int>(lanes[i])};
      tracks_[runs[i]] = track;
      add_slice(*runs[i], starts_[device].at, track);
    }
    name_lanes(process, name, lanes);
  }

  void add_gaps(size_t index) {
    const auto& device = metadata_.devices[index];
    auto start = starts_[index].at;
    Gaps queue, network, actor;
    for (const auto& run : device.nodes)
      if (run.op != transfer::recv)
        queue.push_back({run.node, start + run.ready, start + run.begin});
    for (const auto& [from, to, send, recv] : transfers_)
      if (to == index)
        network.push_back({recv->tensor, starts_[from].at + send->end, start + recv->end});
    actor.push_back({"start", Time(0), start});
    actor.push_back({"report", start + device.duration, device.end});
    auto name = DeviceName::parse(device.device);
    bool is_full = name.ok() && name->is_full();
    auto task = is_full ? task_name(*name->job, *name->task) : device.device;
    auto place = is_full ? *name->type + ":" + std::to_string(*name->index) : device.device;
    auto process = processes_.at(task).number;
    add_gaps_of(process, place, "queue", queue);
    add_gaps_of(process, place, "network", network);
    add_gaps_of(process, place, "actor", actor);
  }

  void add_gaps_of(int process, const std::string& place, const char* category, const Gaps& gaps) {
    std::vector<const Gap*> shown;
    for (const auto& gap : gaps)
      if (gap.end - gap.begin >= shortest_gap) shown.push_back(&gap);
    auto lanes = find_lanes(shown);
    auto first = thread_count_ + 1;
    for (size_t i = 0; i < shown.size(); ++i) {
      Track track{process, first + static_cast<int>(lanes[i])};
      auto slice = event("X", category + (": " + shown[i]->name), category, shown[i]->begin, track);
      slice["dur"] = to_us(shown[i]->end - shown[i]->begin);
      events_.push_back(std::move(slice));
    }
    name_lanes(process, place + " " + category, lanes);
  }

  /// Names the tracks of a group of slices, which follow those that there are.
  void name_lanes(int process, const std::string& name, const std::vector<size_t>& lanes) {
    auto first = thread_count_ + 1;
    auto lane_count = lanes.empty() ? 0 : static_cast<int>(std::ranges::max(lanes)) + 1;
    thread_count_ += lane_count;
    for (int lane = 0; lane < lane_count; ++lane) {
      auto suffix = lane == 0 ? "" : " (" + std::to_string(lane + 1) + ")";
      Track track{process, first + lane};
      add_metadata("thread_name", track, {{"name", name + suffix}});
      add_metadata("thread_sort_index", track, {{"sort_index", track.thread}});
    }
  }

  void add_slice(const NodeRun& run, Time start, Track track) {
    json args{{"op", run.op}, {"thread", run.thread}, {"bytes", run.bytes}};
    if (!run.tensor.empty()) args["tensor"] = run.tensor;
    if (!run.peer.empty()) args["peer"] = run.peer;
    auto is_feed = run.op == transfer::arg && !run.tensor.empty();
    auto slice = event("X", is_feed ? run.tensor : run.node, run.op, start + run.begin, track);
    slice["dur"] = to_us(std::max(run.end - run.begin, Time(0)));
    slice["args"] = std::move(args);
    events_.push_back(std::move(slice));
  }

  void add_arrow(const TensorTransfer& tensor) {
    const auto& [from, to, send, recv] = tensor;
    auto sent = starts_[from].at + send->begin;
    // An arrow must end inside a slice, and the end of a slice is exclusive.
    auto arrived = starts_[to].at + std::max(recv->begin, recv->end - Time(1));
    if (arrived < sent) return;
    auto begin = event("s", recv->tensor, "tensor", sent, tracks_.at(send));
    auto end = event("f", recv->tensor, "tensor", arrived, tracks_.at(recv));
    begin["id"] = end["id"] = ++arrow_count_;
    end["bp"] = "e";
    events_.push_back(std::move(begin));
    events_.push_back(std::move(end));
  }

  void name_processes() {
    for (const auto& [task, process] : processes_) {
      Track track{process.number, 0};
      auto clock = is_consistent_ ? "clock +- " + json(to_us(process.uncertainty)).dump() + " us"
                                  : std::string("clocks contradict each other");
      add_metadata("process_name", track, {{"name", task}});
      add_metadata("process_labels", track, {{"labels", clock}});
      add_metadata("process_sort_index", track, {{"sort_index", process.number}});
    }
  }

  void add_metadata(const char* name, Track track, json args) {
    auto metadata = event("M", name, "__metadata", Time(0), track);
    metadata["args"] = std::move(args);
    events_.push_back(std::move(metadata));
  }

  static json event(
      const char* phase, const std::string& name, const std::string& category, Time time,
      Track track) {
    return {{"ph", phase},       {"name", name},         {"cat", category},
            {"ts", to_us(time)}, {"pid", track.process}, {"tid", track.thread}};
  }

  const RunMetadata& metadata_;
  std::vector<TensorTransfer> transfers_;
  std::vector<DeviceStart> starts_;
  bool is_consistent_ = false;
  std::vector<json> events_;
  std::map<std::string, Process> processes_;
  std::map<const NodeRun*, Track> tracks_;
  int thread_count_ = 0;
  int arrow_count_ = 0;
};

}  // namespace

std::string to_chrome_trace(const RunMetadata& metadata) { return TraceWriter(metadata).write(); }

}  // namespace troupe
