#include "troupe/capnp/server/convert_joined.hpp"

#include <limits>
#include <string>
#include <utility>

#include "troupe/capnp/convert.hpp"

namespace troupe {
namespace {

bool is_index(uint32_t number) {
  return number <= static_cast<uint32_t>(std::numeric_limits<int32_t>::max());
}

}  // namespace

void fill(rpc::Login::JoinParams::Builder to, const Join& wish) {
  to.setProtocolVersion(wish.version);
  to.setCluster(wish.cluster);
  to.setJob(wish.job);
  to.setAddress(wish.address);
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
  fill(to.initJoined(), joined.news.joined);
  to.setChange(joined.news.change);
  to.setKeeperJob(joined.keeper_job);
  to.setKeeperTask(static_cast<uint32_t>(joined.keeper_task));
}

Result<Joined> to_joined(rpc::Login::JoinResults::Reader from) {
  if (auto status = to_status(from.getStatus()); !status.ok()) return status;
  auto cluster = to_cluster(from.getCluster());
  if (!cluster) return cluster.status();
  auto joined = to_cluster(from.getJoined());
  if (!joined) return joined.status();
  if (!is_index(from.getTask()) || !is_index(from.getKeeperTask()))
    return invalid_argument("a task's index is a number from 0 to 2147483647");
  return Joined{
      .task = static_cast<int32_t>(from.getTask()),
      .cluster = *std::move(cluster),
      .news = {.change = from.getChange(), .joined = *std::move(joined)},
      .keeper_job = from.getKeeperJob().cStr(),
      .keeper_task = static_cast<int32_t>(from.getKeeperTask())};
}

}  // namespace troupe
