# The host's loops, compiled once for each instruction set; codegen/rows chooses among them at run time. SINTER_ISA
# names the variant inside the files; SINTER_HAVE_V3 and SINTER_HAVE_V4 tell the rest what is there.

option(SINTER_ONE_ISA "Compile the host's loops for the oldest instruction set alone: a faster build, slower loops" OFF)

set(sinter_isas baseline)
set(SINTER_X86_64 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(SINTER_X86_64 ON)
    if(NOT SINTER_ONE_ISA)
        list(APPEND sinter_isas v3 v4)
        target_compile_definitions(sinter PRIVATE SINTER_HAVE_V3=1 SINTER_HAVE_V4=1)
    endif()
endif()

foreach(isa IN LISTS sinter_isas)
    add_library(sinter_loops_${isa} OBJECT ${PROJECT_SOURCE_DIR}/codegen/rows/loops.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/casts.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/pairs.cpp
                                            ${PROJECT_SOURCE_DIR}/runtime/host/product_tiles.cpp)
    target_include_directories(sinter_loops_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
    target_compile_definitions(sinter_loops_${isa} PRIVATE SINTER_ISA=${isa})
    sinter_options(sinter_loops_${isa} STRICT)
    # The vectoriser needs to know that nobody reads errno or the floating-point flags; values stay IEEE's.
    # Contraction would make the results depend on whether the instruction set has a fused multiply-add.
    # Signed integers wrap around, as NumPy's and the device's do.
    target_compile_options(sinter_loops_${isa} PRIVATE -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off
                                                          -fwrapv)
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
        target_compile_options(sinter_loops_${isa} PRIVATE -Wno-pass-failed)  # the promise is no order to vectorise
    endif()
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND CMAKE_SYSTEM_NAME STREQUAL Linux AND SINTER_X86_64)
        target_compile_options(sinter_loops_${isa} PRIVATE -fveclib=libmvec)  # g++ finds it by declarations
    endif()
    if(NOT isa STREQUAL baseline)
        target_compile_options(sinter_loops_${isa} PRIVATE -march=x86-64-${isa})
    endif()
    target_sources(sinter PRIVATE $<TARGET_OBJECTS:sinter_loops_${isa}>)
endforeach()
