#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/graph/cluster/server_def.hpp"
#include "troupe/graph/support/environment.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The jobs of a cluster and how many tasks each has, in the order in which Slurm's tasks take
/// them.
using JobCounts = std::vector<std::pair<std::string, int>>;

/// "ps=1,worker=3".
Result<JobCounts> parse_job_counts(std::string_view text);

/// The hosts that Slurm means with "tux[1-3,07],login5". InvalidArgument begins with `key`.
Result<std::vector<std::string>> expand_host_list(std::string_view text, const std::string& key);

/// The cluster that `srun` started, and which of its tasks this is. Slurm's tasks, in its order of
/// nodes, become those of the jobs; each listens on `port_base` plus its number on its node.
///
/// Read are SLURM_STEP_NODELIST (else SLURM_JOB_NODELIST), SLURM_STEP_TASKS_PER_NODE (else
/// SLURM_TASKS_PER_NODE, SLURM_NTASKS_PER_NODE, or as many on each node), SLURM_STEP_NUM_TASKS
/// (else SLURM_NTASKS) and SLURM_PROCID. InvalidArgument names the variable and its value.
Result<ServerDef> slurm_server_def(
    const Environment& environment, const JobCounts& jobs, int port_base);

}  // namespace troupe
