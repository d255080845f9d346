#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/apps/swarm/oracle/call_span.hpp"
#include "troupe/apps/swarm/scenario_plan.hpp"

namespace troupe::swarm {

/// What may be taken from a shared accumulator, given what its clients know. Each gradient is 1 in
/// a place of its own, so that a sum tells which gradients are in it. A method that is told of an
/// end returns the invariant that is violated, empty if none is.
///
/// AM-1: a gradient that was applied is in one sum, once.
/// AM-2: a sum has at least the gradients that were required, and a mean is that of all.
/// AM-3: a gradient whose step was acknowledged is in a sum, unless it was stale, its accumulator
///       was lost, or a step that may have taken it has failed.
/// AM-4: a gradient of an older step than the accumulator's is in no sum.
class AccumulatorModel {
 public:
  static constexpr int64_t gradients_max = 128;  // a place each

  AccumulatorModel(const SharedAccumulator& accumulator, bool has_faults)
      : accumulator_(accumulator), has_faults_(has_faults) {}

  const SharedAccumulator& accumulator() const { return accumulator_; }

  bool has_place() const { return std::ssize(gradients_) < gradients_max; }
  /// Returns the place of the gradient. `is_of_first_step`: it is stale after the first sum.
  int64_t begin_apply(bool is_of_first_step, sim::Time now);
  void end_apply(int64_t place, bool ok, sim::Time ended);

  size_t begin_take(int64_t required, sim::Time now);
  /// `sum`: the places that are not 0, and what is there.
  std::string end_take(size_t take, const std::map<int64_t, double>& sum, sim::Time ended);
  void fail_take(size_t take, sim::Time ended);

  // As of a queue's model.
  void lose(sim::Time from, sim::Time to, bool surely);
  bool is_doubtful() const { return is_doubtful_; }
  void settle(sim::Time now);
  std::string check_drained() const;

 private:
  struct Gradient : PutSpan {
    bool is_of_first_step = false;
    bool is_taken = false;
    sim::Time taken_at{0};
  };
  struct Take : TakeSpan {
    int64_t required = 0;
  };

  std::string check_gradient(int64_t place, const Take& take) const;
  bool may_have_taken(const Take& take) const;
  bool is_stale(const Gradient& gradient) const;
  std::string named(const char* invariant, const std::string& text) const;

  const SharedAccumulator accumulator_;
  const bool has_faults_;
  std::vector<Gradient> gradients_;
  std::vector<Take> takes_;
  bool is_doubtful_ = false;
  sim::Time lost_at_{-1};
};

}  // namespace troupe::swarm
