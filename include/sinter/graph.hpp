// Work that is recorded once and launched many times with one call each: CUDA graphs.
//
//     const graph step = capture([&] {
//         const array<float, 1> error = prediction(x, w) - y;
//         w -= rate * gradient(error, x);
//     });
//     for (int i = 0; i < 1000; ++i) step.launch();
#pragma once

#include <sinter/stream.hpp>

#include <memory>

namespace sinter {

namespace codegen {
class capture;
struct recording;
}  // namespace codegen

/// Recorded work of one device. A handle: copies launch the same work.
class graph {
public:
    /// Launches the work in order with the device's other work, or on a stream of it. Does not wait.
    void launch() const;
    void launch(const stream& q) const;
    device where() const;

    explicit graph(std::shared_ptr<codegen::recording> work);

private:
    std::shared_ptr<codegen::recording> work_;
};

namespace detail {

class graph_recorder {
public:
    graph_recorder();
    ~graph_recorder();
    graph_recorder(const graph_recorder&) = delete;
    graph_recorder& operator=(const graph_recorder&) = delete;
    graph finish();

private:
    std::unique_ptr<codegen::capture> capture_;
};

}  // namespace detail

/// Calls work() once and records its work on the current device without running it. (Work on other devices and plain
/// C++ code run once, immediately.) A launch runs all recorded work on the memory that the arrays had:
///
/// - An array that work() writes in place keeps its value across launches: `w -= e`, or `w = e` where e is a temporary
///   that reads w elementwise, if nothing else references w's elements.
/// - An array that work() assigns otherwise refers, after the capture, to the memory that each launch writes; it is
///   unspecified before the first launch. Copies of the array share that memory: `y + 0` keeps one launch's values.
/// - Reads use the memory at capture. An array written in place keeps its memory; one that is reassigned gets new
///   memory, which the graph does not see.
/// - Scalars have their values at capture. The graph owns the memory of temporaries.
///
/// Inside work(), anything that waits (to_host, item, synchronize), copies from the host, streams and events throw
/// sinter::error. On the host the recorded work is repeated.
template <class F>
[[nodiscard]] graph capture(F&& work) {
    detail::graph_recorder recorder;
    std::forward<F>(work)();
    return recorder.finish();
}

}  // namespace sinter
