#include "troupe/graph/train/host.hpp"

#include <thread>

namespace troupe::train {

Host::Time MachineHost::now() { return std::chrono::steady_clock::now().time_since_epoch(); }

bool MachineHost::wait(Time time) {
  std::this_thread::sleep_for(time);
  return true;
}

void MachineHost::log(const std::string& message) {
  if (log_) log_(message);
}

}  // namespace troupe::train
