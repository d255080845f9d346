#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

// The parts of the space family, each in the file of its name.
void add_patches_ops(OpCatalog& catalog);  // ExtractImagePatches, ExtractVolumePatches

}  // namespace troupe
