# find_package(Troupe) defines Troupe::client for clients of a cluster, Troupe::server for nodes, and
# Troupe::actors for clusters inside a program, Troupe::simulation for simulated ones.
# find_package(Troupe COMPONENTS client) does not need the dependencies of the others.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 3.4)
if(NOT TARGET CapnProto::capnp-rpc)  # its package file can be read only once
  enable_language(C)  # it looks for libatomic in C
  find_dependency(CapnProto)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/TroupeClientTargets.cmake)
if(NOT Troupe_FIND_COMPONENTS STREQUAL "client")
  find_dependency(Threads)
  find_dependency(TBB)
  find_dependency(spdlog)
  find_dependency(ZLIB)
  find_dependency(JPEG)
  find_dependency(PNG)
  find_dependency(GIF)
  find_dependency(SQLite3)
  find_dependency(ICU COMPONENTS uc)
  find_dependency(Protobuf)
  include(${CMAKE_CURRENT_LIST_DIR}/TroupeServerTargets.cmake)
endif()
foreach(component ${Troupe_FIND_COMPONENTS})
  if(NOT TARGET Troupe::${component})
    set(Troupe_FOUND FALSE)
    set(Troupe_NOT_FOUND_MESSAGE "there is no component ${component}")
  endif()
endforeach()
