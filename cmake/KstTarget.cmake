# SPDX-License-Identifier: GPL-2.0-or-later

# Warnings and sanitizers belong to our targets, not to the whole build.
function(kst_options Target)
  target_compile_options(${Target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    $<$<BOOL:${KST_WERROR}>:-Werror>)
  if(KST_SANITIZE)
    target_compile_options(${Target} PRIVATE -fsanitize=${KST_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${Target} PUBLIC -fsanitize=${KST_SANITIZE})
  endif()
endfunction()

# kst_library(NAME SOURCES... [LINK targets...]): a static library kst_NAME,
# known as kst::NAME. Includes are written from the top of the repository.
function(kst_library Name)
  cmake_parse_arguments(Arg "" "" "LINK" ${ARGN})
  add_library(kst_${Name} STATIC ${Arg_UNPARSED_ARGUMENTS})
  add_library(kst::${Name} ALIAS kst_${Name})
  target_include_directories(kst_${Name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(kst_${Name} PUBLIC ${Arg_LINK})
  kst_options(kst_${Name})
endfunction()
