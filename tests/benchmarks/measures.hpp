#pragma once

#include "troupe/tests/benchmarks/report.hpp"

namespace troupe::bench {

// What does each thing cost? One function a group of figures; each appends its rows.

/// A round trip over a raw loopback socket between two processes: the floor under remote steps.
double measure_raw_round_trip(Report& report);
/// Nanoseconds a node, of chains and fans of small ops.
void measure_executor(Report& report);
/// Steps of one constant, and over two tasks, in this process.
void measure_local_steps(Report& report);
/// A traced step of 10,000 nodes, and what its trace and its picture cost.
void measure_pictures(Report& report);
/// What a step over a simulated cluster costs this process, by its tasks and by those it touches.
void measure_simulated_clusters(Report& report);
/// Start, memory, null steps, steps over two tasks and training, with real nodes; `floor_us` is the
/// raw round trip.
void measure_nodes(Report& report, double floor_us);

}  // namespace troupe::bench
