#pragma once

#include "troupe/graph/build/builder.hpp"
#include "troupe/tests/benchmarks/report.hpp"

namespace troupe::bench {

// One function for each group of figures; each appends its rows to the report.

/// A round trip over a raw loopback socket between two processes: the lower bound of remote steps.
double measure_raw_round_trip(Report& report);
/// The sum of ten scalars that are made `there` of x and used `here`.
Value ten_crossing(const Builder& here, const Builder& there, const Value& x);
/// Nanoseconds per node, for chains and fans of small ops.
void measure_executor(Report& report);
/// Steps of one constant, and over two tasks, in this process.
void measure_local_steps(Report& report);
/// Null steps of one session in this process, by the number of threads that run them.
void measure_threads(Report& report);
/// A session's first step, with many fetches.
void measure_first_run(Report& report);
/// A graph of 100,000 nodes until its first step has ended, and a small step beside it.
void measure_large_graph(Report& report);
/// A traced step of 10,000 nodes, its Chrome trace and its dot graph.
void measure_pictures(Report& report);
/// The real time of steps over simulated clusters, by the number of tasks and of tasks in the step.
void measure_simulated_clusters(Report& report);
/// Start, memory, null steps, steps over two tasks and training, with real nodes; `floor_us` is the
/// raw round trip.
void measure_nodes(Report& report, double floor_us);

}  // namespace troupe::bench
