#pragma once

#include "troupe/graph/builder.hpp"
#include "troupe/graph/optimizer.hpp"

namespace troupe::digits {

/// The graph that one worker trains with, and the places where steps touch it.
struct Model {
  Builder builder;
  Value images;       // to feed: float32[rows,64]
  Value labels;       // to feed: int64[rows]
  Value initialize;   // target: gives all variables their first values
  Value train;        // target: one step of the optimizer, and of the count
  Value loss;         // to fetch: float32[], the mean over the rows
  Value global_step;  // to fetch: int64[], how many steps all workers have done
  Value predicted;    // to fetch: int64[rows], the likeliest digits
};

/// A classifier 64-128-10 that computes on /job:worker/task:<worker> and keeps its variables on
/// /job:ps/task:0, in the container "digits": models of several workers share them. The seed says
/// how the weights begin.
Model make_model(int worker, const Optimizer& optimizer, int64_t seed);

}  // namespace troupe::digits
