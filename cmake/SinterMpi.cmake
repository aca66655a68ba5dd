# sinter::mpi: connects the processes of a mesh by MPI. It is a separate library, so other programs do not need MPI.

option(SINTER_MPI "Build sinter::mpi when MPI is found" ON)

file(GLOB sinter_mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/mpi/*.cpp)

# sinter_add_mpi(target MPI_TARGET): builds the library with one MPI implementation.
function(sinter_add_mpi target mpi)
    add_library(${target} ${sinter_mpi_sources})
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC sinter PRIVATE fmt::fmt ${mpi})
    sinter_options(${target} STRICT)
endfunction()

if(SINTER_MPI)
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)  # the target may exist without it
        sinter_add_mpi(sinter_mpi MPI::MPI_CXX)
        add_library(sinter::mpi ALIAS sinter_mpi)
        set_target_properties(sinter_mpi PROPERTIES EXPORT_NAME mpi
            VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    endif()
endif()
