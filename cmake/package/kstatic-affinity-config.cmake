# find_package(kstatic-affinity) gives what a program needs that counts its accesses:
#
#   kst::rt        the runtime and kst.h
#   kst::counters  the same, and code compiled with the plugin, by clang of the LLVM that it was built with
#
# Which structs are counted says KST_OPTIONS in the environment of the compiler.

get_filename_component(_kst_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
add_library(kst::rt INTERFACE IMPORTED)
set_target_properties(kst::rt PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${_kst_prefix}/include"
  INTERFACE_LINK_LIBRARIES "${CMAKE_CURRENT_LIST_DIR}/../../libkst_rt.a")
add_library(kst::counters INTERFACE IMPORTED)
set_target_properties(kst::counters PROPERTIES
  INTERFACE_COMPILE_OPTIONS "-fpass-plugin=${CMAKE_CURRENT_LIST_DIR}/../../kstatic-affinity/KstCounters.so"
  INTERFACE_LINK_LIBRARIES kst::rt)
unset(_kst_prefix)
