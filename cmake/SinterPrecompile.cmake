# sinter_precompile(target header...): the target's files find these headers read already, where SINTER_PRECOMPILE asks
# for it. No file may rely on it: tests/house/includes.py knows these headers by the names they declare, and every build
# without the option reads each file as it stands.
#
# A precompiled header serves what is compiled with the same options. sinter_precompiled_by(target owner) takes that of
# another target rather than making one more.

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
