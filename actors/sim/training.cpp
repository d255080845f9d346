#include "troupe/actors/sim/training.hpp"

namespace troupe::sim {

bool TrainingHost::wait(Time time) {
  cluster_.run_for(time);
  return !cluster_.violation();
}

void TrainingHost::log(const std::string& message) {
  if (log_) log_(message);
}

}  // namespace troupe::sim
