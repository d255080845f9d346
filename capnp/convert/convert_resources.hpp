#pragma once

#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

// Conversions, as in convert.hpp, of the resources that containers hold.

void fill(rpc::Master::ListResourcesResults::Builder to, const ResourceList& list);
Result<ResourceList> to_resource_list(rpc::Master::ListResourcesResults::Reader from);

}  // namespace troupe
