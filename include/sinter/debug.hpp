// Checks that find where a wrong value, a wrong index or a failing kernel comes from. Not part of sinter.hpp: include
// <sinter/debug.hpp> beside it.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter {

/// Which checks evaluations make. A check that fails throws sinter::error; what was assigned to stays as it was.
struct debug_checks {
    bool nan = false;     ///< no result has a NaN or an infinity
    bool bounds = false;  ///< no index of take, put, scatter_add or at is beyond its axis
    bool sync = false;    ///< no kernel fails: each launch is waited for
    friend bool operator==(const debug_checks&, const debug_checks&) = default;
};

/// The checks of this thread's evaluations: the innermost debug_scope's; otherwise those that SINTER_DEBUG lists, as in
/// SINTER_DEBUG=nan,bounds,sync; otherwise none. Throws sinter::error where SINTER_DEBUG lists anything else.
debug_checks current_debug();

/// Sets the checks of this thread's evaluations until the end of the scope:
///
///     debug_scope checked({.nan = true});
///     y = sqrt(log(x));                  // throws if y would have a NaN or an infinity, and leaves y as it was
///
/// `nan` searches each floating or complex result for its first NaN or infinity, in row-major order. The error names
/// the expression and the element, and the first operation that made a NaN or an infinity of finite operands, with
/// these. To find it the library evaluates parts of the expression again at that element. Results get fresh memory, and
/// go from there to where they belong. What is not computed is not searched: elements that are only moved (a view, a
/// copy, what is printed), full, from_host, and what a raw_kernel writes. Where an operation makes infinities on
/// purpose, a scope without the check goes around the assignment.
///
/// `bounds` computes the indices before the evaluation, and throws for one that is not from -n to n - 1 along an axis
/// of n elements. The error names the expression, the index and its position among the indices, the axis and its
/// extent. Without the check such an index reads the nearest element (take) or writes nothing (put, scatter_add, at).
///
/// `sync` waits for each launch. An error of the device names the kernel that failed, and what it computes. Without the
/// check it comes from a later call, and says that it may be that of an earlier launch.
///
/// With `nan` or `bounds`, at(x, i) = v and += v are the expressions put and scatter_add up to 2^24 comparisons.
/// Beyond, they write to a copy of x first, and the error names neither axis nor expression.
///
/// Results and indices come to the host to be searched, and nothing runs asynchronously: programs are much slower.
/// Without a check, an evaluation and a launch each read one flag. Work that a graph records is not checked for NaNs
/// and indices; with `sync` a launch of the graph is waited for as a whole. A sharded array is searched whole, on one
/// member of each process.
class debug_scope {
public:
    explicit debug_scope(debug_checks checks);

private:
    detail::scoped<int> set_;
};

}  // namespace sinter
