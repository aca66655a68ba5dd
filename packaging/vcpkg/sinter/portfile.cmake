# The port for vcpkg, from this checkout: vcpkg install sinter --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DSINTER_TESTS=OFF -DSINTER_EXAMPLES=OFF -DSINTER_TOOLS=ON -DSINTER_PRECOMPILE=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME sinter CONFIG_PATH lib/cmake/Sinter)
vcpkg_copy_tools(TOOL_NAMES sinter-explain AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
