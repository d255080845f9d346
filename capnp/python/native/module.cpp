#include "troupe/capnp/python/native/bind.hpp"

NB_MODULE(_native, module) {
  using namespace troupe::python;
  // Programs may exit without closing graphs and sessions, which is not a leak worth reporting.
  nanobind::set_leak_warnings(false);
  module.doc() = "The C++ runtime of Troupe; private to the package.";
  bind_tensor(module);
  bind_graph(module);
  bind_graph_functions(module);
  bind_catalog(module);
  bind_functions(module);
  bind_cluster(module);
  bind_metadata(module);
  bind_session(module);
  bind_client(module);
  bind_server(module);
  bind_files(module);
  bind_checkpoint(module);
  bind_train(module);
  bind_import(module);
  bind_simulation(module);
}
