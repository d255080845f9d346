# The target troupe_cuda, libtroupe_cuda.so: devices/cuda. It says in one line what is built.

set(TROUPE_CUDA AUTO CACHE STRING "Kernels of NVIDIA's cards: AUTO builds them where nvcc is, ON, OFF")
set_property(CACHE TROUPE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(TROUPE_CUDA_ARCHITECTURES "$ENV{TROUPE_CUDA_ARCHITECTURES}" CACHE STRING
    "Of the cards, as CMAKE_CUDA_ARCHITECTURES; empty: all from 70 (with CUDA 13, 75) to 90, and PTX")

# Why there is none, in words; empty where there is.
function(troupe_find_cuda fault)
  set(${fault} "" PARENT_SCOPE)
  if(NOT TROUPE_CUDA)
    set(${fault} "TROUPE_CUDA is OFF" PARENT_SCOPE)
    return()
  endif()
  if(TROUPE_SANITIZE OR TROUPE_FUZZ)
    set(${fault} "a build with sanitizers has none" PARENT_SCOPE)
    return()
  endif()
  find_program(TROUPE_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT TROUPE_NVCC)
    set(${fault} "no nvcc was found" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${TROUPE_NVCC} --version OUTPUT_VARIABLE text ERROR_QUIET)
  if(NOT text MATCHES "release ([0-9]+\\.[0-9]+)")
    set(${fault} "${TROUPE_NVCC} does not tell its version" PARENT_SCOPE)
  elseif(CMAKE_MATCH_1 VERSION_LESS 12)
    set(${fault} "${TROUPE_NVCC} is of CUDA ${CMAKE_MATCH_1}, and 12 is the first that will do"
        PARENT_SCOPE)
  endif()
  set(troupe_cuda_version ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

troupe_find_cuda(cuda_fault)
if(cuda_fault AND TROUPE_CUDA STREQUAL "ON")
  message(FATAL_ERROR "TROUPE_CUDA is ON, but ${cuda_fault}")
elseif(cuda_fault)
  message(STATUS "CUDA: off (${cuda_fault})")
  return()
endif()

set(CMAKE_CUDA_COMPILER ${TROUPE_NVCC})
if(TROUPE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES ${TROUPE_CUDA_ARCHITECTURES})
else()
  set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 90-virtual)
  if(troupe_cuda_version VERSION_LESS 13)
    list(PREPEND CMAKE_CUDA_ARCHITECTURES 70-real)
  endif()
endif()
if(CCACHE)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # of CMake 3.25, which does not know that nvcc has it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
find_package(CUDAToolkit REQUIRED)

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS devices/cuda/*.cpp devices/cuda/*.cu)

# Headers that sources include which are compiled where the program runs, as text.
set(texts "")
foreach(name math/numbers.hpp math/functions.hpp math/complex.hpp index/divider.hpp
             index/strided_walk.hpp reduction/folds.hpp reduction/lane_count.hpp reduction/lanes.cuh)
  set(header devices/cuda/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(APPEND texts "      {\"troupe/${header}\", R\"text(${text})text\"},\n")
endforeach()
file(CONFIGURE OUTPUT generated/kernel_headers.cpp CONTENT [[
#include "troupe/devices/cuda/fusion/compiled_kernels.hpp"

namespace troupe::cuda {

const std::vector<std::pair<std::string_view, std::string_view>>& kernel_headers() {
  static const std::vector<std::pair<std::string_view, std::string_view>> headers = {
@texts@  };
  return headers;
}

}  // namespace troupe::cuda
]] @ONLY)
list(APPEND cuda_sources ${CMAKE_BINARY_DIR}/generated/kernel_headers.cpp)

add_library(troupe_cuda MODULE ${cuda_sources})
troupe_units(troupe_cuda 4)
set_target_properties(troupe_cuda PROPERTIES
  POSITION_INDEPENDENT_CODE ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
  BUILD_RPATH "$ORIGIN;${CUDAToolkit_LIBRARY_DIR}" INSTALL_RPATH "$ORIGIN;${CUDAToolkit_LIBRARY_DIR}")

# The flags of all other code are those of g++, which nvcc does not take.
get_target_property(options troupe_cuda COMPILE_OPTIONS)
set(cxx_options "")
foreach(option ${options} $<$<CONFIG:Release>:-O2>)
  list(APPEND cxx_options "$<$<COMPILE_LANGUAGE:CXX>:${option}>")
endforeach()
set_target_properties(troupe_cuda PROPERTIES COMPILE_OPTIONS "${cxx_options}")
foreach(option --expt-relaxed-constexpr --extended-lambda -Xcompiler=-Wall,-Wno-unused-parameter)
  target_compile_options(troupe_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${option}>)
endforeach()
# Eigen's numbers are the host's in these files: its own support of CUDA costs time and warnings.
# The one source that computes with functions of Eigen on cards undefines it.
target_compile_definitions(troupe_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:EIGEN_NO_CUDA>)

string(REGEX MATCH "^[0-9]+" least ${CMAKE_CUDA_ARCHITECTURES})
target_compile_definitions(troupe_cuda PRIVATE TROUPE_CUDA_LEAST_CAPABILITY=${least})
target_link_libraries(
  troupe_cuda PRIVATE troupe_devices CUDA::cudart_static CUDA::cublasLt CUDA::nvrtc)
# What it has of Troupe is its own, whatever the program has that loads it.
target_link_options(troupe_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,defs -Wl,--as-needed)

find_path(CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_library(CUDNN cudnn HINTS ${CUDAToolkit_LIBRARY_DIR})
if(CUDNN AND CUDNN_INCLUDE)
  target_include_directories(troupe_cuda SYSTEM PRIVATE ${CUDNN_INCLUDE})
  target_link_libraries(troupe_cuda PRIVATE ${CUDNN})
  target_compile_definitions(troupe_cuda PRIVATE TROUPE_CUDNN=1)
  set(cudnn "with cuDNN")
else()
  target_compile_definitions(troupe_cuda PRIVATE TROUPE_CUDNN=0)
  set(cudnn "without cuDNN")
endif()
# These are loaded where a program needs them: only their headers are needed here.
find_path(CUFFT_INCLUDE cufft.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
if(CUFFT_INCLUDE)
  target_include_directories(troupe_cuda SYSTEM PRIVATE ${CUFFT_INCLUDE})
  target_compile_definitions(troupe_cuda PRIVATE TROUPE_CUFFT=1)
  set(cufft "with cuFFT")
else()
  target_compile_definitions(troupe_cuda PRIVATE TROUPE_CUFFT=0)
  set(cufft "without cuFFT")
endif()
find_path(CUSOLVER_INCLUDE cusolverDn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
if(CUSOLVER_INCLUDE)
  target_include_directories(troupe_cuda SYSTEM PRIVATE ${CUSOLVER_INCLUDE})
  target_compile_definitions(troupe_cuda PRIVATE TROUPE_CUSOLVER=1)
  set(cusolver "with cuSOLVER")
else()
  target_compile_definitions(troupe_cuda PRIVATE TROUPE_CUSOLVER=0)
  set(cusolver "without cuSOLVER")
endif()
install(TARGETS troupe_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
string(REPLACE ";" " " architectures "${CMAKE_CUDA_ARCHITECTURES}")
message(STATUS "CUDA: ${troupe_cuda_version} for ${architectures}, ${cudnn}, ${cufft}, ${cusolver}")
