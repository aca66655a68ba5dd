# The steps of the package test; each must succeed. Arguments: build_dir, work_dir, consumer_dir, generator, compiler,
# config.

function(step)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\nfailed (${result}):\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${work_dir})
step(${CMAKE_COMMAND} --install ${build_dir} --config ${config} --prefix ${work_dir}/prefix)
step(${CMAKE_COMMAND} -S ${consumer_dir} -B ${work_dir}/build -G ${generator} -D CMAKE_BUILD_TYPE=${config}
     -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work_dir}/prefix)
step(${CMAKE_COMMAND} --build ${work_dir}/build --config ${config})
step(${work_dir}/build/consumer)
