# Runs Conan's recipe on an installed Sinter, so that nothing is compiled but the recipe's own test program. Conan is
# where ./dev test puts it; without it this ends with `skipped`.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

set(conan ${CMAKE_COMMAND} -E env PYTHONPATH=${source_dir}/build/conan CONAN_HOME=${work_dir}/home
    SINTER_PREFIX=${work_dir}/prefix SINTER_DEVICE=host SINTER_CACHE_DIR=off CXX=${compiler}
    ${python} -m conans.conan)
execute_process(COMMAND ${conan} --version RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(NOT result EQUAL 0)
    message(STATUS "skipped: there is no Conan")
    return()
endif()
step(${CMAKE_COMMAND} --install ${build_dir} --config ${config} --strip --prefix ${work_dir}/prefix)
# The recipe as a checkout has it, so that its builds leave nothing there.
file(COPY ${source_dir}/packaging/conan DESTINATION ${work_dir}/checkout/packaging)
file(COPY ${consumer_dir} DESTINATION ${work_dir}/checkout/tests/package)
file(COPY ${source_dir}/CMakeLists.txt DESTINATION ${work_dir}/checkout)
step(${conan} profile detect)
step(${conan} create ${work_dir}/checkout/packaging/conan -s compiler.cppstd=20)
file(READ ${consumer_dir}/output.txt expected)
string(REGEX REPLACE "^== [^\n]*\n" "" expected "${expected}")
string(FIND "${output}" "${expected}" at)
if(at EQUAL -1)
    message(FATAL_ERROR "the program did not print\n${expected}but ${output}")
endif()
