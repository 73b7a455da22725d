# SPDX-License-Identifier: GPL-2.0-or-later
#
# Given to a project by CMAKE_PROJECT_INCLUDE (bench/stranger_builds.py): its
# library expat gets a precompiled header.

cmake_language(DEFER CALL target_precompile_headers expat PRIVATE
               <errno.h> <limits.h> <stdio.h> <stdlib.h> <string.h>)
