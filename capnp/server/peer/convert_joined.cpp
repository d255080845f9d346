#include "troupe/capnp/server/peer/convert_joined.hpp"

#include <limits>
#include <string>
#include <utility>

#include "troupe/capnp/convert/convert.hpp"

namespace troupe {
namespace {

bool is_index(uint32_t number) {
  return number <= static_cast<uint32_t>(std::numeric_limits<int32_t>::max());
}

}  // namespace

void fill(rpc::Login::JoinParams::Builder to, const Join& request) {
  to.setProtocolVersion(request.version);
  to.setCluster(request.cluster);
  to.setJob(request.job);
  to.setAddress(request.address);
}

Join to_join(rpc::Login::JoinParams::Reader from) {
  return {
      .cluster = from.getCluster().cStr(),
      .version = from.getProtocolVersion(),
      .job = from.getJob().cStr(),
      .address = from.getAddress().cStr()};
}

void fill(rpc::Login::JoinResults::Builder to, const Joined& joined) {
  to.setTask(static_cast<uint32_t>(joined.task));
  fill(to.initCluster(), joined.cluster);
  fill(to.initJoined(), joined.membership.joined);
  to.setChange(joined.membership.version);
  to.setDirectoryJob(joined.directory_job);
  to.setDirectoryTask(static_cast<uint32_t>(joined.directory_task));
}

Result<Joined> to_joined(rpc::Login::JoinResults::Reader from) {
  if (auto status = to_status(from.getStatus()); !status.ok()) return status;
  auto cluster = to_cluster(from.getCluster());
  if (!cluster) return cluster.status();
  auto joined = to_cluster(from.getJoined());
  if (!joined) return joined.status();
  if (!is_index(from.getTask()) || !is_index(from.getDirectoryTask()))
    return invalid_argument("a task's index is a number from 0 to 2147483647");
  return Joined{
      .task = static_cast<int32_t>(from.getTask()),
      .cluster = *std::move(cluster),
      .membership = {.version = from.getChange(), .joined = *std::move(joined)},
      .directory_job = from.getDirectoryJob().cStr(),
      .directory_task = static_cast<int32_t>(from.getDirectoryTask())};
}

}  // namespace troupe
