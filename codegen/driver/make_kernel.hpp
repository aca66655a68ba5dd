// From the graph of one kernel to its loop nest.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/loop_nest.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/verify.hpp>

#include <string>

namespace sinter::codegen {

/// Verifies a graph or a loop nest, and appends it to `trace`, if given, for explain().
template <class Form>
void record(std::string* trace, const char* pass, const Form& form) {
    verify(form, pass);
    if (trace) *trace += std::string("after ") + pass + ":\n" + print(form);
}

/// Whether a kernel's graph is a call of a function of whole arrays.
bool is_call(const graph& part);

/// The kernel of a graph. Verifies the result of each pass and appends it to `trace`, if given.
loop_nest make_kernel(graph part, std::string* trace = nullptr);

}  // namespace sinter::codegen
