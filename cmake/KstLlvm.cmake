# SPDX-License-Identifier: GPL-2.0-or-later
#
# LLVM and clang as two interface targets, kst::llvm and kst::clang: the
# distribution's shared libraries, headers as SYSTEM. `find_package(LLVM 19)`
# refuses Debian's 19.1.7, so the major is checked by hand. The static
# archives are never linked beside the shared ones: two copies of LLVM's
# globals in one process break option parsing.

set(KST_LLVM_MAJORS 19 22)

find_package(LLVM REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR IN_LIST KST_LLVM_MAJORS)
  message(FATAL_ERROR "LLVM ${LLVM_VERSION} at ${LLVM_DIR}: need one of ${KST_LLVM_MAJORS}")
endif()
set(Clang_DIR ${LLVM_DIR}/../clang)
find_package(Clang REQUIRED CONFIG)
message(STATUS "LLVM ${LLVM_VERSION} from ${LLVM_DIR}")

add_library(kst_llvm INTERFACE)
add_library(kst::llvm ALIAS kst_llvm)
target_include_directories(kst_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(KST_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(kst_llvm INTERFACE ${KST_LLVM_DEFINITIONS})
target_compile_options(kst_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
target_link_libraries(kst_llvm INTERFACE LLVM)

add_library(kst_clang INTERFACE)
add_library(kst::clang ALIAS kst_clang)
target_include_directories(kst_clang SYSTEM INTERFACE ${CLANG_INCLUDE_DIRS})
target_link_libraries(kst_clang INTERFACE clang-cpp kst_llvm)
