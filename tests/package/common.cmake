# What the package tests share. Arguments of each: build_dir, source_dir, work_dir, consumer_dir, generator, compiler,
# config. Programs run with an environment that names nothing of the build.

set(clean /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=${work_dir} SINTER_DEVICE=host
    SINTER_CACHE_DIR=off)

# Runs a command, which must succeed.
function(step)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\nfailed (${result}):\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# Builds and runs the user's program with the Sinter in a folder; it prints what the README shows.
function(use_package prefix)
    step(${clean} ${CMAKE_COMMAND} -S ${consumer_dir} -B ${work_dir}/build -G ${generator}
         -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${prefix}
         -D CMAKE_MAKE_PROGRAM=${make_program})
    file(STRINGS ${work_dir}/build/CMakeCache.txt found REGEX "^Sinter_DIR:")
    string(FIND "${found}" "=${prefix}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "the program found another Sinter: ${found}, not one in ${prefix}")
    endif()
    step(${clean} ${CMAKE_COMMAND} --build ${work_dir}/build --config ${config})
    execute_process(COMMAND ${clean} ${work_dir}/build/consumer OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
    file(READ ${consumer_dir}/output.txt expected)
    string(REGEX REPLACE "^== [^\n]*\n" "" expected "${expected}")
    if(NOT printed STREQUAL expected)
        message(FATAL_ERROR "the program printed\n${printed}and not\n${expected}")
    endif()
endfunction()

# Builds a program with the component for MPI, where the installed Sinter has it.
function(use_mpi prefix)
    step(${clean} ${CMAKE_COMMAND} -S ${consumer_dir}_mpi -B ${work_dir}/build_mpi -G ${generator}
         -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${prefix}
         -D CMAKE_MAKE_PROGRAM=${make_program})
    step(${clean} ${CMAKE_COMMAND} --build ${work_dir}/build_mpi --config ${config})
endfunction()

# Runs sinter-explain from a folder.
function(use_tool program)
    step(${clean} ${program} "softmax(x, axis=1)" "x:f32[64,128]" --arch sm_80 --assert "launches==1, bytes==least")
endfunction()

# No file that users include or that CMake reads names the folders of the build.
function(check_no_traces prefix)
    file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.hpp ${prefix}/*.def)
    if(NOT texts)
        message(FATAL_ERROR "there are no headers below ${prefix}")
    endif()
    foreach(file IN LISTS texts)
        file(STRINGS ${file} traces REGEX "${source_dir}|${build_dir}")
        if(traces)
            message(FATAL_ERROR "${file} names the folders of the build: ${traces}")
        endif()
    endforeach()
endfunction()

file(REMOVE_RECURSE ${work_dir})
file(MAKE_DIRECTORY ${work_dir})
