#pragma once

// The component `simulation`: clusters in one thread, with faults and a virtual clock.

#include "troupe/actors/sim/call.hpp"
#include "troupe/actors/sim/check.hpp"
#include "troupe/actors/sim/cluster.hpp"
#include "troupe/actors/sim/fault.hpp"
#include "troupe/actors/sim/invariants.hpp"
#include "troupe/actors/sim/options.hpp"
#include "troupe/actors/sim/program/program.hpp"
#include "troupe/actors/sim/program/program_scenario.hpp"
#include "troupe/actors/sim/session.hpp"
#include "troupe/actors/sim/training.hpp"
