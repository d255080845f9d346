#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Fails unless the pixels of images have 3 channels.
Status check_pixels(const Shape& images);

/// Checks the shapes of input 0, images, and of input 1, the scalar by which they are adjusted.
Status check_adjustment(const Launch& launch, const char* name);

}  // namespace troupe::cpu
