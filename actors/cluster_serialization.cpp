#include <caf/sec.hpp>

#include "troupe/actors/node_serialization.hpp"

// What describes a cluster and its devices.

namespace troupe {

caf::error inspect(caf::serializer& sink, OpSet& value) {
  auto names = value.names(), on_request = value.on_request();
  return sink(names, on_request);
}

caf::error inspect(caf::deserializer& source, OpSet& value) {
  std::vector<std::string> names, on_request;
  if (auto error = source(names, on_request)) return error;
  value = OpSet(std::move(names), std::move(on_request));
  return {};
}

caf::error inspect(caf::serializer& sink, ClusterSpec& value) {
  auto count = static_cast<uint64_t>(value.jobs().size());
  if (auto error = sink(count)) return error;
  for (const auto& [job, tasks] : value.jobs()) {
    auto name = job;
    std::map<int32_t, std::string> addresses;
    for (const auto& [index, address] : tasks) addresses.emplace(index, address.to_string());
    if (auto error = sink(name, addresses)) return error;
  }
  return {};
}

caf::error inspect(caf::deserializer& source, ClusterSpec& value) {
  uint64_t count = 0;
  if (auto error = source(count)) return error;
  std::map<std::string, JobTasks> jobs;
  for (; count > 0; --count) {
    std::string job;
    std::map<int32_t, std::string> addresses;
    if (auto error = source(job, addresses)) return error;
    jobs.emplace(std::move(job), std::move(addresses));
  }
  auto made = ClusterSpec::make(jobs);
  if (!made) return caf::make_error(caf::sec::invalid_argument, "an impossible cluster");
  value = *std::move(made);
  return {};
}

}  // namespace troupe
