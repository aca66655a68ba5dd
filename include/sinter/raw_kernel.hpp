// User-written kernels: CUDA C++ source, compiled and cached like generated kernels, and launched on arrays.
//
//     raw_kernel scale(R"(extern "C" __global__ void scale(float* y, float a, int n) { ... })", "scale");
//     scale(grid{(n + 255) / 256}, block{256}, 0, y, 2.5f, n);
#pragma once

#include <sinter/array.hpp>

#include <memory>
#include <string>

namespace sinter {

/// The grid dimensions of a launch, in blocks.
struct grid {
    std::int64_t x = 1, y = 1, z = 1;
};

/// The block dimensions, in threads: at most 1024 in total.
struct block {
    std::int64_t x = 1, y = 1, z = 1;
};

namespace detail {

class raw_text;

/// A launch argument: an array's elements, or a value's bytes.
struct raw_argument {
    const storage_ref* array = nullptr;
    bool writes = false;
    const void* value = nullptr;
    std::size_t bytes = 0;
};

std::shared_ptr<raw_text> make_raw_text(std::string source, std::string name, std::vector<std::string> options);
void launch_raw(raw_text& text, const grid& g, const block& b, std::int64_t shared_bytes, const raw_argument* arguments,
                std::size_t count);

/// Holds a kernel argument until the launch.
template <class A>
struct raw_operand {
    static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<A>>,
                  "sinter: a raw_kernel takes arrays, expressions and values that are trivially copyable");
    const std::remove_cvref_t<A> value;
    raw_argument argument() const { return {nullptr, false, &value, sizeof value}; }
};
template <operand A>
struct raw_operand<A> {
    const array<element_t<expr_of<A>::type>, expr_of<A>::rank> values;
    raw_argument argument() const { return {&values.storage(), false, nullptr, 0}; }
};
// Named arrays are held without a reference, so that an array passed twice does not count as shared.
template <class T, int Rank>
struct raw_operand<const array<T, Rank>&> {
    const array<T, Rank>& values;
    raw_argument argument() const { return {&values.storage(), false, nullptr, 0}; }
};
template <class T, int Rank>
struct raw_operand<array<T, Rank>&> {
    array<T, Rank>& values;
    raw_argument argument() const {
        const storage_ref& s = values.storage();
        if (s && !is_own(s)) values = array<T, Rank>(unshared(s));
        return {&s, true, nullptr, 0};
    }
};

}  // namespace detail

/// A kernel given as CUDA C++ source. NVRTC compiles it at its first launch on a device; it uses the same caches as the
/// generated kernels. Copies share it.
///
/// Security: source, name and options run with the program's rights and are not checked, so they must never come from
/// an untrusted source. Options can make NVRTC read any file that the program can read (`-I`, `--pre-include`).
class raw_kernel {
public:
    /// `name` is a __global__ function that the source declares extern "C". `options` are NVRTC's, as in {"-DN=4"}.
    raw_kernel(std::string source, std::string name, std::vector<std::string> options = {})
        : text_(detail::make_raw_text(std::move(source), std::move(name), std::move(options))) {}

    /// Launches the kernel on the device of the array arguments (without arrays, the current device), in order with the
    /// other work there, without waiting. `shared_bytes` is the dynamic shared memory per block.
    ///
    /// An array is passed as a pointer to its row-major elements. A named non-const array may be written: if its
    /// elements are shared with a copy, they are copied first. All other arrays and expressions (evaluated first),
    /// including std::as_const(x), are read-only. An array passed twice is the same memory. Other values are passed
    /// bytewise, so their types must match the parameters exactly.
    ///
    /// Throws sinter::error on the host, which cannot run CUDA; if NVRTC rejects the source, with its log; for an
    /// invalid grid or block; for arguments on several devices; and, if the driver reports the kernel's parameters
    /// (CUDA 12.4), for a wrong number or size of arguments.
    template <class... A>
    void operator()(const grid& g, const block& b, std::int64_t shared_bytes, A&&... arguments) const {
        launch(g, b, shared_bytes, detail::raw_operand<A>{std::forward<A>(arguments)}...);
    }

private:
    template <class... Operand>
    void launch(const grid& g, const block& b, std::int64_t shared_bytes, const Operand&... operands) const {
        const detail::raw_argument list[] = {operands.argument()..., {}};
        detail::launch_raw(*text_, g, b, shared_bytes, list, sizeof...(Operand));
    }

    std::shared_ptr<detail::raw_text> text_;
};

}  // namespace sinter
