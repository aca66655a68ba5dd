# The host's loops, compiled once per instruction set; codegen/rows selects a variant at run time. SINTER_ISA is the
# variant's name in these files; SINTER_HAVE_V3 and SINTER_HAVE_V4 tell the rest of the library which variants exist.

set(SINTER_ONE_ISA OFF CACHE STRING "Compile the host's loops once. ON: for the oldest instruction set, with slower \
loops; native: for this machine's, whose binary others may not run, vectorised but not unrolled; OFF: for all")

set(sinter_isas baseline)
set(SINTER_X86_64 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(SINTER_X86_64 ON)
    if(NOT SINTER_ONE_ISA)
        list(APPEND sinter_isas v3 v4)
        target_compile_definitions(sinter PRIVATE SINTER_HAVE_V3=1 SINTER_HAVE_V4=1)
    endif()
endif()

# Sanitizers look at each access, whatever the optimiser does with it, and take the longest with what it unrolls.
set(sinter_loops_level -O3)
if(SINTER_SANITIZE)
    set(sinter_loops_level -O1)
elseif(SINTER_ONE_ISA STREQUAL native)
    set(sinter_loops_level -O2 $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=dynamic>)
endif()

foreach(isa IN LISTS sinter_isas)
    add_library(sinter_loops_${isa} OBJECT ${PROJECT_SOURCE_DIR}/codegen/rows/loops.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/casts.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/pairs.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/keyed_folds.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/extremes.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/divisions.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/column_folds.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/widened_sums.cpp
                                            ${PROJECT_SOURCE_DIR}/codegen/rows/copies.cpp
                                            ${PROJECT_SOURCE_DIR}/runtime/host/complex_tiles.cpp
                                            ${PROJECT_SOURCE_DIR}/runtime/host/product_tiles.cpp
                                            ${PROJECT_SOURCE_DIR}/runtime/host/tiny_products.cpp)
    target_include_directories(sinter_loops_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
    target_compile_definitions(sinter_loops_${isa} PRIVATE SINTER_ISA=${isa})
    sinter_options(sinter_loops_${isa} STRICT)
    # No code reads errno or the floating-point flags: this lets the compiler vectorise, and results stay IEEE 754's.
    # With contraction, results would depend on whether the instruction set has a fused multiply-add.
    # Signed integers wrap around, as in NumPy and on the device.
    target_compile_options(sinter_loops_${isa} PRIVATE ${sinter_loops_level} -fno-math-errno -fno-trapping-math
                                                          -ffp-contract=off -fwrapv)
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
        # SINTER_DETAIL_IVDEP permits vectorisation but does not demand it: no warning where clang does not vectorise.
        target_compile_options(sinter_loops_${isa} PRIVATE -Wno-pass-failed)
    endif()
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND CMAKE_SYSTEM_NAME STREQUAL Linux AND SINTER_X86_64)
        target_compile_options(sinter_loops_${isa} PRIVATE -fveclib=libmvec)  # g++: the declarations in loops.cpp
    endif()
    if(NOT isa STREQUAL baseline)
        target_compile_options(sinter_loops_${isa} PRIVATE -march=x86-64-${isa})
    elseif(SINTER_X86_64 AND SINTER_ONE_ISA STREQUAL native)
        target_compile_options(sinter_loops_${isa} PRIVATE -march=native)
    endif()
    target_sources(sinter PRIVATE $<TARGET_OBJECTS:sinter_loops_${isa}>)
endforeach()
