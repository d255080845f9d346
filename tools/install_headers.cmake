# Installs headers: those that the `umbrellas` include, to include/troupe, which is the API; what
# these include in turn to include/troupe-internal/troupe, which may change with each version.
# `source`: the folder of the tree.

cmake_minimum_required(VERSION 3.25)

# What a header includes of the tree.
function(includes_of header result)
  file(STRINGS ${source}/${header} lines REGEX "^#include \"troupe/")
  list(TRANSFORM lines REPLACE "^#include \"troupe/([^\"]+)\".*" "\\1")
  set(${result} ${lines} PARENT_SCOPE)
endfunction()

function(install_header header folder)
  cmake_path(GET header PARENT_PATH parent)
  file(INSTALL ${source}/${header}
       DESTINATION ${CMAKE_INSTALL_PREFIX}/include/${folder}/${parent})
endfunction()

# Of an earlier version.
file(REMOVE_RECURSE $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/include/troupe
     $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/include/troupe-internal)
set(public ${umbrellas})
foreach(umbrella ${umbrellas})
  includes_of(${umbrella} included)
  list(APPEND public ${included})
endforeach()
list(REMOVE_DUPLICATES public)
foreach(header ${public})
  install_header(${header} troupe)
endforeach()

set(known ${public})
set(pending ${public})
while(pending)
  list(POP_FRONT pending header)
  includes_of(${header} included)
  foreach(inner ${included})
    if(NOT inner IN_LIST known)
      list(APPEND known ${inner})
      list(APPEND pending ${inner})
      install_header(${inner} troupe-internal/troupe)
    endif()
  endforeach()
endwhile()
