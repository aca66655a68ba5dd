// sinter_all.hpp: Sinter in one header that needs nothing linked, made by tools/single_header/amalgamate.py.
//
//     #include "sinter_all.hpp"
//     #include <cstdio>
//     int main() {
//         const sinter::array<float, 2> x({8192, 4096});
//         std::puts(source(softmax(x, sinter::axis=1)).c_str());      // the CUDA text; explain(e).text() has the rest
//     }
//
// It is meant for exploration, as in Compiler Explorer, and for single-file programs: it generates kernels but neither
// compiles nor launches them. With SINTER_ALL_EVALUATE it also evaluates, on one host core. It needs C++20 and the
// headers of Boost.Hana. For computing, link the library instead.
//
// Distributed under the Boost Software License, Version 1.0: https://www.boost.org/LICENSE_1_0.txt
#pragma once
#pragma GCC system_header

// <declarations>

#define SINTER_ISA baseline

// <definitions>

#undef SINTER_ISA
