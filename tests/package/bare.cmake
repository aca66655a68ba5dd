# What docs/install.md and ./dev configure, on a machine without Python, which is needed for tests alone, and without
# MPI. Everything that is installed is a part of the default target, so that `cmake --build` and then `cmake --install`
# is enough.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

foreach(preset IN ITEMS package release)
    step(${clean} ${CMAKE_COMMAND} -S ${source_dir} -B ${work_dir}/${preset} --preset ${preset}
         -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_MAKE_PROGRAM=${make_program}
         -D CMAKE_DISABLE_FIND_PACKAGE_Python3=ON -D MPI_CXX_COMPILER=/bin/false
         -D MPI_SKIP_GUESSING=ON)
endforeach()
file(STRINGS ${work_dir}/package/cmake_install.cmake installed REGEX "\"${work_dir}/package/[^\"]*(\\.a|\\.so)\"")
step(${make_program} -C ${work_dir}/package -t query all)
foreach(line IN LISTS installed)
    string(REGEX MATCH "[^/\"]+(\\.a|\\.so)\"" library "${line}")
    string(REPLACE "\"" "" library "${library}")
    if(NOT output MATCHES "${library}")
        message(FATAL_ERROR "${library} is installed, but the default target does not build it")
    endif()
endforeach()
step(${make_program} -C ${work_dir}/package -t targets all)
if(output MATCHES "sinter_mpi")
    message(FATAL_ERROR "sinter::mpi is built where there is no MPI")
endif()
if(output MATCHES "example_|bench_|course_")
    message(FATAL_ERROR "examples or benchmarks are built for a package")
endif()
if(NOT output MATCHES "sinter-explain")
    message(FATAL_ERROR "sinter-explain is not built for a package")
endif()
