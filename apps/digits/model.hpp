#pragma once

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"

namespace troupe::digits {

/// The graph that one worker trains with, and its feeds, fetches and targets.
struct Model {
  Builder builder;
  Value images;       // to feed: float32[rows,64]
  Value labels;       // to feed: int64[rows]
  Value initialize;   // target: initializes all variables
  Value train;        // target: applies the gradients and increments the global step
  Value loss;         // to fetch: float32[], the mean over the rows
  Value global_step;  // to fetch: int64[], the number of training steps of all workers
  Value predicted;    // to fetch: int64[rows], the most likely digits
};

/// A classifier 64-128-10 that computes on /job:worker/task:<worker> and keeps its variables on
/// /job:ps/task:0, in the container "digits": models of several workers share them. The seed
/// determines the initial weights.
Model make_model(int worker, const Optimizer& optimizer, int64_t seed);

}  // namespace troupe::digits
