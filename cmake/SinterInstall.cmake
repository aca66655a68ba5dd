# Install rules, and the CMake package for find_package(Sinter).
include(CMakePackageConfigHelpers)

set(sinter_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sinter)

install(TARGETS sinter EXPORT SinterTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET sinter_mpi)
    install(TARGETS sinter_mpi EXPORT SinterMpiTargets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(EXPORT SinterMpiTargets NAMESPACE sinter:: DESTINATION ${sinter_package_dir})
endif()
install(EXPORT SinterTargets NAMESPACE sinter:: DESTINATION ${sinter_package_dir})

# Programs and libraries find the shared library from where they are installed, wherever that is moved to.
if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH from_programs ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set(sinter_program_rpath "$ORIGIN/${from_programs}")
    if(TARGET sinter_mpi)
        set_target_properties(sinter_mpi PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/SinterConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/SinterConfig.cmake INSTALL_DESTINATION ${sinter_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SinterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SinterConfig.cmake ${PROJECT_BINARY_DIR}/SinterConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/SinterEmbed.cmake ${PROJECT_SOURCE_DIR}/cmake/FindSodium.cmake
        DESTINATION ${sinter_package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/sinter)
