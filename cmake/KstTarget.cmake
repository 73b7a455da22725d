# SPDX-License-Identifier: GPL-2.0-or-later
#
# How our targets are made: kst_library(), warnings and sanitizers.

# Warnings and sanitizers belong to our targets, not to the whole build.
function(kst_options Target)
  # GCC 12 sees overlapping copies in every `"text" + std::string` (GCC bug
  # 105651), and Expected<T> as uninitialized where it is inlined.
  target_compile_options(${Target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>
    $<$<BOOL:${KST_WERROR}>:-Werror>)
  if(KST_SANITIZE)
    target_compile_options(${Target} PRIVATE -fsanitize=${KST_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${Target} PUBLIC -fsanitize=${KST_SANITIZE})
  endif()
endfunction()

option(KST_UNITY "Compile several sources of a library as one: faster from nothing, slower after an edit" OFF)

# Puts the sources that a list names, or else all of a folder, into Out.
function(kst_sources Out Folder)
  if(ARGN)
    set(${Out} ${ARGN} PARENT_SCOPE)
  else()
    file(GLOB_RECURSE Found CONFIGURE_DEPENDS ${Folder}/*.cpp)
    set(${Out} ${Found} PARENT_SCOPE)
  endif()
endfunction()

# kst_library(NAME [SOURCES...] [FOLDER folder] [LINK targets...]): a static
# library kst_NAME, known as kst::NAME. Includes are written from the top of the
# repository.
function(kst_library Name)
  cmake_parse_arguments(Arg "" "FOLDER" "LINK" ${ARGN})
  kst_sources(Sources ${CMAKE_CURRENT_SOURCE_DIR}/${Arg_FOLDER} ${Arg_UNPARSED_ARGUMENTS})
  add_library(kst_${Name} STATIC ${Sources})
  add_library(kst::${Name} ALIAS kst_${Name})
  target_include_directories(kst_${Name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(kst_${Name} PUBLIC ${Arg_LINK})
  set_target_properties(kst_${Name} PROPERTIES UNITY_BUILD ${KST_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  kst_options(kst_${Name})
endfunction()
