#pragma once

#include <initializer_list>
#include <string>

#include "troupe/graph/op.hpp"

namespace troupe {

/// An op whose output is a dataset. The inputs at those positions must be scalars; a negative one
/// counts from the end.
Op make_dataset_op(std::string name, const char* doc, std::initializer_list<int> scalars = {});

/// With the attributes of a dataset's elements: a dtype and a shape for each component.
Op with_element_attrs(Op op);

/// The shapes of the outputs are those of the attribute `output_shapes`, of which there must be as
/// many.
Status infer_components(ShapeInference& s);

}  // namespace troupe
