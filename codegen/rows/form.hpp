// Names of functions that are compiled once per instruction set: SINTER_FORM(cast_loop) is cast_loop_v3 when compiled
// for v3. dispatch.hpp's SINTER_FORM_FOR chooses among them.
#pragma once

#if !defined(SINTER_ISA)
#error "compile this file with -DSINTER_ISA=baseline, v3 or v4"
#endif
#define SINTER_JOIN_(a, b) a##_##b
#define SINTER_JOIN(a, b) SINTER_JOIN_(a, b)
#define SINTER_FORM(function) SINTER_JOIN(function, SINTER_ISA)
