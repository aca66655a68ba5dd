// Scans of one thread's elements.
#include <codegen/lower/thread_scan.hpp>

namespace sinter::codegen::lower {

void thread_scan::alone(const scalar& element) {
    if (exclusive) {
        const scalar next = c.b.let("next", type, fold(carry(), element));
        c.b.assign(element, carry());
        c.b.assign(carry(), next);
    } else {
        c.b.assign(carry(), fold(carry(), element));
        c.b.assign(element, carry());
    }
}

void thread_scan::add_before(const scalar& before, const std::function<scalar(const scalar&)>& element, int count,
                             const char* name) {
    if (!exclusive) {
        const scalar i = count > 1 ? c.b.open_unrolled(name, count) : c.b.integer(0);
        c.b.assign(element(i), fold(before, element(i)));
        if (count > 1) c.b.close();
        return;
    }
    if (count > 1) {
        const scalar i = c.b.open_down(name, count - 1, 0);
        c.b.assign(element(i), fold(before, element(i - 1)));
        c.b.close();
    }
    c.b.assign(element(c.b.integer(0)), before);
}

}  // namespace sinter::codegen::lower
