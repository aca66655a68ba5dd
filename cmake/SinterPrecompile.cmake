# sinter_precompile(target header...): precompiles these headers for the target if SINTER_PRECOMPILE is on. No file may
# rely on it: tests/house/includes.py checks that each file includes the headers whose names it uses, and builds without
# the option compile each file alone.
#
# A precompiled header can be shared by targets with the same compile options: sinter_precompiled_by(target owner)
# reuses the header of another target.

if(SINTER_PRECOMPILE AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    message(STATUS "Sinter: no precompiled headers, because ccache keeps nothing that is compiled with them")
    set(SINTER_PRECOMPILE OFF)
endif()

function(sinter_precompile target)
    if(SINTER_PRECOMPILE)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()

function(sinter_precompiled_by target owner)
    if(SINTER_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM ${owner})
    endif()
endfunction()
