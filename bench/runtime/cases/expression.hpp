// Measures one expression, and checks that it is one launch where required.
#pragma once

#include <bench/measure/arrays.hpp>
#include <bench/measure/hold.hpp>
#include <sinter/raw_kernel.hpp>

#include <limits>

namespace bench {

/// Events in the current device's stream.
struct device_clock {
    sinter::event mark() const { return {}; }
    double seconds(const sinter::event& from, const sinter::event& to) const { return to.seconds_since(from); }
    void synchronize() const { sinter::synchronize(); }

    /// Keeps the device busy for `seconds`.
    bool hold(double seconds) const {
        if (sinter::current_device() == sinter::host()) return false;
        static const sinter::raw_kernel spin(hold_text, hold_name);
        spin(sinter::grid{1}, sinter::block{1}, 0, static_cast<long long>(seconds * 1e9));
        return true;
    }
};

/// Measures the assignment of `expression(i)`, an expression of the operands of set i, to an array. In a
/// fast_math_scope the result is reported as a second, approximate variant.
template <class F>
void measure_launches(const trial& t, F expression, int most = std::numeric_limits<int>::max()) {
    using result = decltype(sinter::array(expression(0)));
    std::vector<result> results(t.sets, result(expression(0).shape()));
    device_clock clock;
    report r;
    r.approximate = sinter::current_fast_math();
    if (r.approximate) r.variant = "fast_math";
    measure(t, r, results, clock, [&](std::size_t i) { results[i] = expression(i); });
    const auto told = sinter::explain(expression(0));  // after the first call was timed: it compiles, too
    if (told.launches > most) throw sinter::error("a case is one launch, this one is " + std::to_string(told.launches));
    r.launches = told.launches;
    for (const sinter::kernel_report& k : told.kernels) r.detail += (r.detail.empty() ? "" : "; ") + k.schedule;
    for (const sinter::kernel_report& k : told.kernels) {
        r.predicted_ms += k.predicted_seconds * 1e3;
        r.predicted_bytes += k.bytes;
    }
    r.bound_by = told.kernels.at(0).bound_by;
    print(t, r);
}

/// The same, for an expression that must be one launch.
template <class F>
void measure_expression(const trial& t, F expression) {
    measure_launches(t, expression, 1);
}

}  // namespace bench
