# Projects that build Sinter with their own program: as a subdirectory, and fetched. Configured, and what their program
# needs to be built is asked for; the library's own files are compiled elsewhere.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

set(settings -G ${generator} -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_MAKE_PROGRAM=${make_program})
file(COPY ${consumer_dir} ${consumer_dir}/../subdirectory ${consumer_dir}/../fetched DESTINATION ${work_dir})
# FetchContent clones the repository, as a user does, where this is one with a branch main; else it is given the files.
execute_process(COMMAND git -C ${source_dir} rev-parse --verify --quiet refs/heads/main
                RESULT_VARIABLE no_main OUTPUT_QUIET ERROR_QUIET)
if(no_main)
    set(sources -D FETCHCONTENT_SOURCE_DIR_SINTER=${source_dir})
else()
    set(sources -D SINTER_REPOSITORY=file://${source_dir})
endif()
file(CREATE_LINK ${source_dir} ${work_dir}/subdirectory/sinter SYMBOLIC)
step(${clean} ${CMAKE_COMMAND} -S ${work_dir}/subdirectory -B ${work_dir}/build1 ${settings})
step(${clean} ${CMAKE_COMMAND} -S ${work_dir}/fetched -B ${work_dir}/build2 ${settings}
     ${sources})
foreach(build IN ITEMS build1 build2)
    step(${clean} ${make_program} -C ${work_dir}/${build} -t commands program)
    foreach(part IN ITEMS "consumer/main\\.cpp" "libsinter\\.a" "codegen/driver/" "-o program")
        if(NOT output MATCHES "${part}")
            message(FATAL_ERROR "the program would be built without ${part}")
        endif()
    endforeach()
    step(${clean} ${make_program} -C ${work_dir}/${build} -t targets all)
    if(output MATCHES "test_language|example_|sinter-explain")
        message(FATAL_ERROR "tests, examples or tools are a part of the user's build")
    endif()
endforeach()
