# SPDX-License-Identifier: GPL-2.0-or-later
# Writes OUTPUT, a header with a hash over the contents of SOURCES.
set(All "")
foreach(File IN LISTS SOURCES)
  file(SHA256 ${File} Hash)
  string(APPEND All ${Hash})
endforeach()
string(SHA256 Id "${All}")
string(SUBSTRING ${Id} 0 16 Id)
file(WRITE ${OUTPUT} "#define KST_FACTS_BUILD_ID \"${Id}\"\n")
