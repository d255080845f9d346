#pragma once

#include <map>
#include <vector>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/optimize/precision_lists.hpp"
#include "troupe/graph/optimize/step_types.hpp"

namespace troupe {

/// Whether the kernels of GPUs of that op compute in float16 what the attribute says the dtype of,
/// which the definition of the op allows.
bool has_float16_kernel(const std::string& op, const std::string& attr);

/// Which slots of a step become float16; by slot. All are false where no op is allowed.
std::vector<bool> choose_precision(
    const StepTypes& types, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices,
    const PrecisionLists& lists);

}  // namespace troupe
