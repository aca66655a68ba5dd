# Makes a Python wheel, installs it into an empty folder and uses what is there.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

step(${CMAKE_COMMAND} --install ${build_dir} --config ${config} --strip --prefix ${work_dir}/prefix)
step(${python} ${source_dir}/packaging/wheel.py --prefix ${work_dir}/prefix --out ${work_dir}/dist)
file(REMOVE_RECURSE ${work_dir}/prefix)
file(GLOB wheel ${work_dir}/dist/*.whl)
step(${python} -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-index --no-deps
     --target ${work_dir}/site ${wheel})
step(${CMAKE_COMMAND} -E env PYTHONPATH=${work_dir}/site ${python} -m sinter_cpp)
string(STRIP "${output}" prefix)
check_no_traces(${prefix})
use_package(${prefix})
set(ENV{PYTHONPATH} ${work_dir}/site)
list(APPEND clean PYTHONPATH=${work_dir}/site)
use_tool(${work_dir}/site/bin/sinter-explain)
