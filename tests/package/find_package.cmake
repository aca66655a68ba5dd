# Installs the library into a fresh prefix, then builds and runs a program that finds it there, and the tool.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

step(${CMAKE_COMMAND} --install ${build_dir} --config ${config} --strip --prefix ${work_dir}/prefix)
check_no_traces(${work_dir}/prefix)
use_package(${work_dir}/prefix)
use_mpi(${work_dir}/prefix)
use_tool(${work_dir}/prefix/bin/sinter-explain)
