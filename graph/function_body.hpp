#pragma once

#include "troupe/graph/graph.hpp"

namespace troupe {

/// The body of a function as a graph: an _Arg for each argument, then the function's nodes. The
/// arguments have those shapes, or the declared ones where `shapes` is empty. InvalidArgument or
/// NotFound says in which function, and at which of its nodes, something is wrong.
Result<Graph> make_body(
    const FunctionDef& def, const Shapes& shapes, std::shared_ptr<const OpCatalog> catalog,
    std::shared_ptr<const FunctionLibrary> library);

/// The inverse: the function whose arguments are the graph's _Args, by their index. It has the
/// nodes that the results need, and with `keep_all` also the others.
FunctionDef make_function(
    std::string name, const Graph& body, const std::vector<std::pair<std::string, Output>>& results,
    bool keep_all);

/// The library with more functions, which may be in any order, and may be there already. Checks
/// each by making its body. InvalidArgument: a name has two bodies, a function calls itself (with
/// the chain of calls), or functions go beyond function_depth_max or inlined_nodes_max.
Result<std::shared_ptr<const FunctionLibrary>> with_functions(
    const std::shared_ptr<const FunctionLibrary>& library, std::vector<FunctionDef> functions,
    const std::shared_ptr<const OpCatalog>& catalog);

/// The dtypes and shapes that a call with those arguments has. InvalidArgument where they do not
/// fit; an error of the body is at the body's node.
Result<CallOutputs> infer_call(
    const FunctionRef& function, const DTypes& dtypes, const Shapes& shapes,
    const std::shared_ptr<const OpCatalog>& catalog,
    const std::shared_ptr<const FunctionLibrary>& library);

}  // namespace troupe
