#pragma once

// What a client program needs: graphs, tensors, sessions on a cluster, and pictures of their steps.

#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/builder.hpp"
#include "troupe/graph/draw/chrome_trace.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/eigen.hpp"
#include "troupe/graph/file.hpp"
#include "troupe/graph/gradients.hpp"
#include "troupe/graph/optimizer.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/tensor.hpp"
