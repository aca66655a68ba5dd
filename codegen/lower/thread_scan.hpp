// What scans along rows and along columns share: the elements of one thread.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <functional>

namespace sinter::codegen::lower {

class thread_scan {
protected:
    thread_scan(lowering& shared, int scan, device_ir::id held)
        : c(shared), v(scan), elements(held), type(shared.at(scan).type), exclusive(shared.at(scan).exclusive) {}

    scalar fold(const scalar& a, const scalar& b) const { return c.combine(v, a, b); }

    /// The fold so far; that of the current neighbour if a thread has several columns.
    scalar carry() const { return c.operand(v); }

    /// For a thread that has all elements: folds in the next one.
    void alone(const scalar& element);

    /// Folds `before` into `count` scanned elements. `name`: the loop variable.
    void add_before(const scalar& before, const std::function<scalar(const scalar&)>& element, int count,
                    const char* name);

    lowering& c;
    int v;
    device_ir::id elements;
    dtype type;
    bool exclusive;
};

}  // namespace sinter::codegen::lower
