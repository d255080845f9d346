#pragma once

// What a client program needs: graphs, tensors, sessions on a cluster, and pictures of their steps.

#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/graph/draw/chrome_trace.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/graph/types/eigen.hpp"
#include "troupe/graph/types/tensor.hpp"
