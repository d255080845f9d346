#pragma once

#include "troupe/graph/cluster_view.hpp"
#include "troupe/graph/status.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

// What containers hold, as capnp/convert.hpp for all else.

void fill(rpc::Master::ListResourcesResults::Builder to, const ResourceList& list);
Result<ResourceList> to_resource_list(rpc::Master::ListResourcesResults::Reader from);

}  // namespace troupe
