#pragma once

#include <vector>

#include "troupe/devices/data/dataset.hpp"

namespace troupe::data {

/// Elements that are there already, as a dataset of such components.
SharedDataset make_window(DTypes dtypes, Shapes shapes, std::vector<Element> elements);

}  // namespace troupe::data
