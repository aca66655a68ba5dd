# sinter_embed_kernels(target ARCHS sm_90 ... [ARGUMENTS argument ...]): embeds a program's kernels in its executable,
# so that running it needs neither NVRTC nor a kernel cache.
#
# After each build the program runs once on the host, with the arguments. Each expression that it evaluates is compiled
# for every architecture in ARCHS, and the images become a section of the executable. This needs NVRTC but no GPU. A
# kernel's source depends on the shapes and on the size of the GPU, so this run should use the shapes of later runs or
# similar ones. A kernel that is not found in the executable is compiled at run time as usual.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)  # after a build
    set(images ${PROGRAM}.kernels)
    file(REMOVE ${images})
    string(REPLACE "," ";" arguments "${ARGUMENTS}")
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env SINTER_DEVICE=host SINTER_RECORD_KERNELS=${images} SINTER_RECORD_ARCHS=${ARCHS}
                ${PROGRAM} ${arguments}
        RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(failed)
        message(FATAL_ERROR "sinter_embed_kernels: ${PROGRAM} ended with ${failed} when it was run to record its "
                            "kernels; give it ARGUMENTS with which it runs well on the host\n${said}")
    endif()
    if(NOT EXISTS ${images})
        message(FATAL_ERROR "sinter_embed_kernels: ${PROGRAM} evaluated nothing when it was run to record its kernels; "
                            "give it ARGUMENTS with which it does")
    endif()
    execute_process(
        COMMAND ${OBJCOPY} --remove-section .sinter_kernels --add-section .sinter_kernels=${images}
                --set-section-flags .sinter_kernels=readonly ${PROGRAM}
        RESULT_VARIABLE failed ERROR_VARIABLE said)
    if(failed)
        message(FATAL_ERROR "sinter_embed_kernels: ${OBJCOPY} could not add a section to ${PROGRAM}: ${said}")
    endif()
    return()
endif()

set(SINTER_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(sinter_embed_kernels target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARCHS;ARGUMENTS")
    if(NOT arg_ARCHS)
        message(FATAL_ERROR "sinter_embed_kernels(${target}): name the architectures: ARCHS sm_80 sm_90")
    endif()
    string(REPLACE ";" "," archs "${arg_ARCHS}")
    string(REPLACE ";" "," arguments "${arg_ARGUMENTS}")
    add_custom_command(TARGET ${target} POST_BUILD
        COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> -DARCHS=${archs} "-DARGUMENTS=${arguments}"
                -DOBJCOPY=${CMAKE_OBJCOPY} -P ${SINTER_EMBED_SCRIPT}
        COMMENT "Compiling the kernels of ${target} for ${archs}" VERBATIM)
endfunction()
