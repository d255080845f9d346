#include "troupe/capnp/client/shared_connections.hpp"

#include <kj/common.h>

#include <condition_variable>
#include <map>
#include <mutex>

namespace troupe {
namespace {

struct Entry {
  std::weak_ptr<Connection> connection;
  bool is_opening = false;  // by one of the threads
};

struct ConnectionTable {
  std::mutex mutex;
  std::condition_variable opened;
  std::map<std::string, Entry> entries;
};

/// Never destroyed: threads may use it while the process exits.
ConnectionTable& table() {
  static auto& table = *new ConnectionTable;
  return table;
}

}  // namespace

Result<std::shared_ptr<Connection>> shared_connection(
    const std::string& name, std::chrono::steady_clock::time_point deadline,
    const OpenConnection& open) {
  std::shared_ptr<Connection> lost;  // its destructor runs a loop: not under the lock
  std::unique_lock lock(table().mutex);
  auto& entries = table().entries;
  std::erase_if(entries, [](const auto& named) {
    return !named.second.is_opening && named.second.connection.expired();
  });
  // Looked up each time: another thread may have erased it.
  while (true) {
    if (!table().opened.wait_until(lock, deadline, [&] { return !entries[name].is_opening; })) {
      lock.unlock();
      return open();
    }
    auto found = entries[name].connection.lock();
    if (found == nullptr || found == lost) break;
    lock.unlock();
    if (!found->is_lost()) return found;
    lost = std::move(found);
    lock.lock();
  }
  entries[name].is_opening = true;
  lock.unlock();
  KJ_DEFER({
    if (!lock) lock.lock();
    entries[name].is_opening = false;
    lock.unlock();
    table().opened.notify_all();
  });
  auto opened = open();
  lock.lock();
  if (opened.ok()) entries[name].connection = *opened;
  return opened;
}

}  // namespace troupe
