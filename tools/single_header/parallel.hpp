// The subset of oneTBB that Sinter uses, for the single header: the same loops, on one core.
#pragma once

#include <cstddef>

namespace sinter::single_header::tbb {

template <class T>
class blocked_range {
public:
    blocked_range(T begin, T end, std::size_t = 1) : begin_(begin), end_(end) {}
    T begin() const { return begin_; }
    T end() const { return end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }

private:
    T begin_, end_;
};

template <class T, class F>
void parallel_for(const blocked_range<T>& range, const F& f) {
    if (range.begin() < range.end()) f(range);
}

template <class T, class F>
void parallel_for(T begin, T end, const F& f) {
    for (; begin < end; ++begin) f(begin);
}

namespace this_task_arena {
template <class F>
void isolate(const F& f) {
    f();
}
}  // namespace this_task_arena

namespace info {
inline int default_concurrency() { return 1; }
}  // namespace info

}  // namespace sinter::single_header::tbb
