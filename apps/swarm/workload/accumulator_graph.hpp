#pragma once

#include <map>

#include "troupe/apps/swarm/oracle/accumulator_model.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::swarm {

/// The ops of a shared accumulator in the graph of a client.
struct AccumulatorOps {
  Value step, place;  // placeholders: the step of a gradient, and where it is 1
  Value apply;        // a target
  Value required;     // placeholder
  Values take;        // the sum; of a sparse one its indices and values
  Value count;
};

AccumulatorOps add_accumulator(const Builder& builder, const SharedAccumulator& accumulator);

/// What was taken, as the model wants it.
std::map<int64_t, double> sum_taken(const SharedAccumulator& accumulator, const Tensors& taken);

}  // namespace troupe::swarm
