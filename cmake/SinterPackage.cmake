# The Debian package, cpack -G DEB: headers, library, CMake package and sinter-explain.
set(CPACK_PACKAGE_NAME sinter-dev)
set(CPACK_PACKAGE_VENDOR "The Sinter maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Sinter maintainers <maintainers@sinter.example>")
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
# Build dependencies of programs that link the library; shlibdeps adds the libraries that sinter-explain loads.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libboost-dev (>= 1.74), libtbb-dev (>= 2021), libfmt-dev (>= 9), zlib1g-dev, libsodium-dev (>= 1.0.18)")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenblas0-pthread, liblapack3")
include(CPack)
