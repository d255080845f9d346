#pragma once

// The component `actors`: whole clusters in a program, without a network.

#include "troupe/actors/local/local_cluster.hpp"
