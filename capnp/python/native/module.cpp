#include "troupe/capnp/python/native/bind.hpp"

NB_MODULE(_native, module) {
  using namespace troupe::python;
  // A program may end with graphs and sessions of its own that were never closed.
  nanobind::set_leak_warnings(false);
  module.doc() = "The C++ runtime of Troupe, as the modules of the package use it.";
  bind_tensor(module);
  bind_graph(module);
  bind_catalog(module);
  bind_cluster(module);
  bind_metadata(module);
  bind_session(module);
  bind_client(module);
  bind_server(module);
  bind_train(module);
}
