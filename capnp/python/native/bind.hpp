#pragma once

#include <nanobind/nanobind.h>

namespace troupe::python {

// Each function adds the bindings of one part of the C++ API to the module troupe._native.
void bind_tensor(nanobind::module_& module);
void bind_functions(nanobind::module_& module);
void bind_graph(nanobind::module_& module);
void bind_graph_functions(nanobind::module_& module);
void bind_catalog(nanobind::module_& module);
void bind_cluster(nanobind::module_& module);
void bind_metadata(nanobind::module_& module);
void bind_session(nanobind::module_& module);
void bind_client(nanobind::module_& module);
void bind_server(nanobind::module_& module);
void bind_files(nanobind::module_& module);
void bind_checkpoint(nanobind::module_& module);
void bind_train(nanobind::module_& module);
void bind_import(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);

}  // namespace troupe::python
