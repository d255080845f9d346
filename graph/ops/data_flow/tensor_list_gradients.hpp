#pragma once

#include "troupe/graph/build/gradients.hpp"

/// The gradients of ops on lists of tensors: lists of the gradients of their elements, zeros where
/// there is none.
namespace troupe::tensor_list {

void gradient_of_push(Gradient& g);
void gradient_of_pop(Gradient& g);
void gradient_of_get(Gradient& g);
void gradient_of_set(Gradient& g);
void gradient_of_resize(Gradient& g);
void gradient_of_stack(Gradient& g);
void gradient_of_from_tensor(Gradient& g);
void gradient_of_gather(Gradient& g);
void gradient_of_scatter(Gradient& g);
void gradient_of_scatter_into(Gradient& g);
void gradient_of_concat(Gradient& g);
void gradient_of_split(Gradient& g);

}  // namespace troupe::tensor_list
