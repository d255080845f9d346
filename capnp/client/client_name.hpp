#pragma once

#include <string>

namespace troupe {

/// What this process calls itself to a node: "train.py (process 7) of ann@host". `program`: empty
/// for the name of the program's file.
std::string client_name(std::string program);

}  // namespace troupe
