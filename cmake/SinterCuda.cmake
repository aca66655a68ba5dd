# Finds <cuda.h> and <nvrtc.h> in a toolkit, or else in NVIDIA's wheels from PyPI, which `./dev` puts into
# build/cuda-wheels. Sets SINTER_WITH_CUDA, SINTER_CUDA_INCLUDES and SINTER_NVRTC_LIBRARY_DIR (may be empty).

set(SINTER_CUDA_WHEELS ${PROJECT_SOURCE_DIR}/build/cuda-wheels CACHE PATH
    "Folder of `pip install --target` that holds the wheels nvidia-cuda-runtime and nvidia-cuda-nvrtc")

set(SINTER_WITH_CUDA OFF)
set(SINTER_CUDA_INCLUDES "")

function(sinter_find_cuda)
    set(roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda)
    set(wheels ${SINTER_CUDA_WHEELS}/nvidia/cu13 ${SINTER_CUDA_WHEELS}/nvidia/cuda_runtime
               ${SINTER_CUDA_WHEELS}/nvidia/cuda_nvrtc)
    set(arch ${CMAKE_SYSTEM_PROCESSOR}-linux)
    set(include_folders include targets/${arch}/include)
    set(library_folders lib64 lib targets/${arch}/lib lib/${CMAKE_LIBRARY_ARCHITECTURE})

    # A toolkit first (the folders named above, then Debian's nvidia-cuda-toolkit in /usr), then the wheels. Both
    # headers must come from the same root, so that they belong to one version.
    foreach(places IN ITEMS roots system wheels)
        set(folders ${${places}})
        if(places STREQUAL system)
            set(folders /usr)
        endif()
        unset(cuda_h)
        unset(nvrtc_h)
        unset(nvrtc)
        find_path(cuda_h cuda.h PATHS ${folders} PATH_SUFFIXES ${include_folders} NO_DEFAULT_PATH NO_CACHE)
        find_path(nvrtc_h nvrtc.h PATHS ${folders} PATH_SUFFIXES ${include_folders} NO_DEFAULT_PATH NO_CACHE)
        if(NOT cuda_h OR NOT nvrtc_h)
            continue()
        endif()
        file(STRINGS ${cuda_h}/cuda.h version REGEX "^#define CUDA_VERSION [0-9]+")
        string(REGEX MATCH "[0-9]+" version "${version}")
        if(NOT version OR version LESS 12000)
            continue()
        endif()
        find_file(nvrtc NAMES libnvrtc.so.13 libnvrtc.so.12 libnvrtc.so PATHS ${folders}
                  PATH_SUFFIXES ${library_folders} NO_DEFAULT_PATH NO_CACHE)
        set(library_dir "")
        if(nvrtc)
            get_filename_component(library_dir ${nvrtc} DIRECTORY)
        endif()
        set(includes ${cuda_h} ${nvrtc_h})
        list(REMOVE_DUPLICATES includes)
        set(SINTER_WITH_CUDA ON PARENT_SCOPE)
        set(SINTER_CUDA_INCLUDES ${includes} PARENT_SCOPE)
        set(SINTER_NVRTC_LIBRARY_DIR "${library_dir}" PARENT_SCOPE)
        set(SINTER_CUDA_VERSION ${version} PARENT_SCOPE)
        return()
    endforeach()
endfunction()

if(SINTER_CUDA)
    sinter_find_cuda()
    if(SINTER_WITH_CUDA)
        math(EXPR major "${SINTER_CUDA_VERSION} / 1000")
        math(EXPR minor "${SINTER_CUDA_VERSION} % 1000 / 10")
        set(sinter_cuda_message "Sinter: CUDA ${major}.${minor} headers in ${SINTER_CUDA_INCLUDES}")
    else()
        string(CONCAT sinter_cuda_message "Sinter: no CUDA headers (12.0 or newer) found, so this build is for the "
               "host only; install the CUDA toolkit, or run ./dev, which fetches the headers, to change that")
    endif()
else()
    set(sinter_cuda_message "Sinter: SINTER_CUDA is OFF, so this build is for the host only")
endif()
# Printed at the first configuration and whenever the result changes.
if(NOT sinter_cuda_message STREQUAL "${SINTER_CUDA_SAID}")
    message(STATUS "${sinter_cuda_message}")
    set(SINTER_CUDA_SAID "${sinter_cuda_message}" CACHE INTERNAL "")
endif()
