# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an installation holds beside the tool (tools/ installs that itself) and
# the plugins: man page, completions, package for CMake; and `cpack -G DEB`.

find_program(GZIP gzip REQUIRED)
set(KST_PACKAGING ${PROJECT_SOURCE_DIR}/cmake/package)

# kst_compressed(FROM TO COMMAND): TO is what COMMAND makes of FROM, compressed; the same bytes each time.
function(kst_compressed From To)
  add_custom_command(OUTPUT ${To}
    COMMAND sh -c "${ARGN} < \"$1\" | \"$2\" -9n > \"$3.part\" && mv \"$3.part\" \"$3\""
            sh ${From} ${GZIP} ${To}
    DEPENDS ${From} VERBATIM)
endfunction()

find_program(SCDOC scdoc)
if(SCDOC)
  set(KST_MAN ${PROJECT_BINARY_DIR}/kstatic-affinity.1.gz)
  kst_compressed(${PROJECT_SOURCE_DIR}/docs/kstatic-affinity.1.scd ${KST_MAN} ${SCDOC})
  install(FILES ${KST_MAN} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
configure_file(${KST_PACKAGING}/changelog.in ${PROJECT_BINARY_DIR}/changelog @ONLY)
kst_compressed(${PROJECT_BINARY_DIR}/changelog ${PROJECT_BINARY_DIR}/changelog.gz cat)
add_custom_target(kst_documents ALL DEPENDS ${KST_MAN} ${PROJECT_BINARY_DIR}/changelog.gz)

install(PROGRAMS tools/kstatic-affinity/dask-driver.py DESTINATION ${CMAKE_INSTALL_DATADIR}/kstatic-affinity)
install(FILES README.md ${KST_PACKAGING}/copyright ${PROJECT_BINARY_DIR}/changelog.gz TYPE DOC)
install(DIRECTORY docs/ TYPE DOC FILES_MATCHING PATTERN "*.md" PATTERN screens EXCLUDE)
install(FILES ${KST_PACKAGING}/kstatic-affinity.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kstatic-affinity)
install(FILES ${KST_PACKAGING}/_kstatic-affinity
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${KST_PACKAGING}/lintian DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME kstatic-affinity)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kstatic-affinity-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${KST_PACKAGING}/kstatic-affinity-config.cmake
  ${PROJECT_BINARY_DIR}/kstatic-affinity-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kstatic-affinity)

set(CPACK_PACKAGE_CONTACT "The kstatic-affinity developers <kstatic-affinity@packages.debian.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "field affinity and layout of Linux kernel structs")
set(CPACK_PACKAGE_DESCRIPTION
"Estimates from source, with or without measured counts, which fields of a
struct are used together, and proposes an order that touches fewer cache
lines: as a report for review and as a patch. Records what a kernel does in
QEMU, replays orders on it, and says which types miss caches and why.")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Headers that come with the compiler, stddef.h and its like.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libclang-common-${LLVM_VERSION_MAJOR}-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-${LLVM_VERSION_MAJOR}, qemu-system-x86")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-distributed")
include(CPack)
