// Checks that locate the origin of a wrong value, a wrong index or a failing kernel. Not part of sinter.hpp: include
// <sinter/debug.hpp> as well.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter {

/// The checks that evaluations make. A failed check throws sinter::error and leaves the assignment's target unchanged.
struct debug_checks {
    bool nan = false;     ///< no result contains NaN or infinity
    bool bounds = false;  ///< every index of take, put, scatter_add and at is within its axis
    bool sync = false;    ///< no kernel fails: the host waits for each launch
    friend bool operator==(const debug_checks&, const debug_checks&) = default;
};

/// The checks of this thread's evaluations: those of the innermost debug_scope, else those listed in SINTER_DEBUG, as
/// in SINTER_DEBUG=nan,bounds,sync, else none. Throws sinter::error if SINTER_DEBUG lists anything else.
debug_checks current_debug();

/// Sets the checks of this thread's evaluations until the end of the scope:
///
///     debug_scope checked({.nan = true});
///     y = sqrt(log(x));                  // throws if y would have a NaN or an infinity, and leaves y as it was
///
/// `nan` searches each floating or complex result for its first NaN or infinity, in row-major order. The error names
/// the expression, the element, and the first operation that made a NaN or an infinity from finite operands, with these
/// operands. To find it the library re-evaluates parts of the expression at that element. Results get fresh memory and
/// are copied to their targets. Only computed elements are searched: not elements that are moved (a view, a copy,
/// printing), full, from_host or the output of a raw_kernel. For an operation that makes infinities on purpose, open an
/// inner scope without the check.
///
/// `bounds` computes the indices before the evaluation and throws for one outside -n to n - 1 along an axis of n
/// elements. The error names the expression, the index, its position among the indices, the axis and its extent.
/// Without the check such an index reads the nearest element (take) or writes nothing (put, scatter_add, at).
///
/// `sync` waits for each launch. A device error names the kernel that failed and what it computes. Without the check
/// the error surfaces at a later call, and says that an earlier launch may have caused it.
///
/// With `nan` or `bounds`, at(x, i) = v and += v are evaluated as put and scatter_add up to 2^24 comparisons. Above
/// that, they write to a copy of x first, and the error names neither axis nor expression.
///
/// Results and indices are copied to the host to be searched, and nothing runs asynchronously: programs are much
/// slower. Without checks, each evaluation and each launch reads one flag. Work that a graph records is not checked for
/// NaNs and indices; with `sync` each launch of the graph is waited for as a whole. A sharded array is searched whole,
/// on one member per process.
class debug_scope {
public:
    explicit debug_scope(debug_checks checks);

private:
    detail::scoped<int> set_;
};

}  // namespace sinter
