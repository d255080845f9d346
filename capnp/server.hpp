#pragma once

// The component `server`: tasks of a cluster in a program, and trainings that are the same program
// on all machines.

#include "troupe/capnp/client.hpp"
#include "troupe/capnp/server/server.hpp"
#include "troupe/capnp/server/train/run.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/graph/cluster/server_def.hpp"
