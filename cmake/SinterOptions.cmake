# sinter_options(target [STRICT]): the warnings and sanitizers of every target of this project. STRICT, for the library
# itself, adds the warning about implicit conversions, which tests and examples may use freely.

function(sinter_options target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
    if("STRICT" IN_LIST ARGN)
        # The code indexes standard containers with signed integers; it checks that an index is not negative where the
        # index is computed.
        target_compile_options(${target} PRIVATE -Wconversion -Wno-sign-conversion)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # g++ 12 reports overlapping copies inside its own std::string (GCC bug 105651).
        target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
    if(SINTER_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(SINTER_FUZZERS)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    if(SINTER_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${SINTER_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${SINTER_SANITIZE}>)
    endif()
endfunction()
