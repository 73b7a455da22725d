# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an installation holds beside the tool (tools/ installs that itself):
# the man page, if scdoc is there to make it, and `cpack -G DEB`.

find_program(SCDOC scdoc)
if(SCDOC)
  set(KST_MAN_SOURCE ${PROJECT_SOURCE_DIR}/docs/kstatic-affinity.1.scd)
  set(KST_MAN ${PROJECT_BINARY_DIR}/kstatic-affinity.1)
  add_custom_command(OUTPUT ${KST_MAN}
    COMMAND sh -c "\"$1\" < \"$2\" > \"$3.part\" && mv \"$3.part\" \"$3\""
            sh ${SCDOC} ${KST_MAN_SOURCE} ${KST_MAN}
    DEPENDS ${KST_MAN_SOURCE} VERBATIM)
  add_custom_target(kst_man ALL DEPENDS ${KST_MAN})
  install(FILES ${KST_MAN} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

install(FILES README.md LICENSE TYPE DOC)

set(CPACK_PACKAGE_CONTACT "The kstatic-affinity developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
