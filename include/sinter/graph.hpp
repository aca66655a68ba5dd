// Work recorded once and launched many times, with one call for all of it: CUDA graphs.
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
    /// Does the work again, in the order of the other work of the device, or of a stream of it, and does not wait.
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

/// Calls work() once and records what it does on the current device, without doing it. (What work() does on other
/// devices, and in C++, happens then and there, once.) A launch does all of it, on the memory that the arrays had:
///
/// - An array that work() writes in place is carried from launch to launch: `w -= e`, or `w = e` where e is a temporary
///   that reads w element for element, if nobody shares w's elements.
/// - An array to which work() assigns anything else has, from the capture on, the memory that each launch writes; its
///   values are unspecified before the first launch. Who copies the array shares that memory: `y + 0` keeps one
///   launch's values.
/// - What work() reads is read where it was. An array keeps its memory while it is written in place; one that has been
///   assigned anew has new memory, which the graph does not know.
/// - Scalars have the values they had. Memory of temporaries stays with the graph.
///
/// What waits (to_host, item, synchronize), copies from the host, streams and events throw sinter::error inside. On the
/// host the recorded work is repeated.
template <class F>
[[nodiscard]] graph capture(F&& work) {
    detail::graph_recorder recorder;
    std::forward<F>(work)();
    return recorder.finish();
}

}  // namespace sinter
