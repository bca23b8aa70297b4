# SPDX-License-Identifier: Apache-2.0
#
# Fails when the library exports something that EXPORTS does not match, or needs more than libc. A stray export can bind to a
# function of the same name in another library of the process; linked to libibverbs, it would not even load, let alone
# explain, on a machine without rdma-core. With GLIBC also if the library needs a later version than that: it would not
# load on older distributions.
#
#   cmake -DLIBRARY=... -DEXPORTS=... -DNM=... -DREADELF=... [-DGLIBC=2.17] -P check-library.cmake

set(allowed_libraries "^(libc|libdl|libpthread|ld-linux-[a-z0-9-]+)\\.so\\.[0-9]+$")

execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY}
                OUTPUT_VARIABLE exports RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${NM} cannot read ${LIBRARY}")
endif()
string(REGEX MATCHALL "[^\n]+" exports "${exports}")
foreach(line ${exports})
  string(REGEX REPLACE " .*" "" symbol "${line}")
  if(NOT symbol MATCHES "${EXPORTS}")
    message(FATAL_ERROR "${LIBRARY} exports ${symbol}: make it static, or leave it to -fvisibility=hidden")
  endif()
endforeach()

execute_process(COMMAND ${READELF} --dynamic --wide ${LIBRARY}
                OUTPUT_VARIABLE dynamic RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${READELF} cannot read ${LIBRARY}")
endif()
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" needed "${dynamic}")
foreach(line ${needed})
  string(REGEX REPLACE ".*\\[(.*)\\].*" "\\1" name "${line}")
  if(NOT name MATCHES "${allowed_libraries}")
    message(FATAL_ERROR "${LIBRARY} is linked to ${name}: load it in load/ with dlopen")
  endif()
endforeach()

if(NOT GLIBC)
  return()
endif()
execute_process(COMMAND ${READELF} --version-info --dyn-syms --wide ${LIBRARY}
                OUTPUT_VARIABLE versions RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${READELF} cannot read ${LIBRARY}")
endif()
string(REGEX MATCHALL "Name: GLIBC_[^ \n]+" needed "${versions}")
if(NOT needed)
  message(FATAL_ERROR "${LIBRARY} needs no version of glibc, or ${READELF} shows them in another way")
endif()
foreach(line ${needed})
  string(REPLACE "Name: GLIBC_" "" version "${line}")
  if(NOT version MATCHES "^[0-9.]+$" OR version VERSION_GREATER GLIBC)
    string(REGEX MATCHALL "[^ \n]+@GLIBC_${version}" symbols "${versions}")
    message(FATAL_ERROR "${LIBRARY} needs glibc ${version}, for ${symbols}: give them an older version in src/glibc")
  endif()
endforeach()
