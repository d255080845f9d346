#pragma once

#include <memory>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/partial_step.hpp"

namespace troupe {

/// A step that a client asked for, from the moment it is known which.
struct AskedStep {
  CallId call = 0;
  Tensors feeds;  // in the order of the step's signature
  RunOptions options;
  Done<Tensors> done;
  GiveMetadata traced;
  Counted counted;
  std::shared_ptr<void> is_open;         // held until it has ended, see DrainRuns
  std::shared_ptr<PartialStep> partial;  // where it is fed and fetched while it runs
};

}  // namespace troupe
