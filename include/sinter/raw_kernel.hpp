// Kernels of one's own: CUDA C++ text, compiled and cached as the generated kernels are, and launched on arrays.
//
//     raw_kernel scale(R"(extern "C" __global__ void scale(float* y, float a, int n) { ... })", "scale");
//     scale(grid{(n + 255) / 256}, block{256}, 0, y, 2.5f, n);
#pragma once

#include <sinter/array.hpp>

#include <memory>
#include <string>

namespace sinter {

/// Blocks of a launch along x, y and z.
struct grid {
    std::int64_t x = 1, y = 1, z = 1;
};

/// Threads of a block along x, y and z: at most 1024 in all.
struct block {
    std::int64_t x = 1, y = 1, z = 1;
};

namespace detail {

class raw_text;

/// One argument of a launch: an array's elements, or a value's bytes.
struct raw_argument {
    const storage_ref* array = nullptr;
    bool writes = false;
    const void* value = nullptr;
    std::size_t bytes = 0;
};

std::shared_ptr<raw_text> make_raw_text(std::string source, std::string name, std::vector<std::string> options);
void launch_raw(raw_text& text, const grid& g, const block& b, std::int64_t shared_bytes, const raw_argument* arguments,
                std::size_t count);

/// What a kernel gets for an argument, kept until the launch.
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
// Named arrays: no share is taken, so that an array passed twice is not taken for one that somebody else holds, too.
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

/// A kernel given as CUDA C++ text. It is compiled by NVRTC on its first launch on a device, and kept in the same
/// caches as the generated kernels. Copies share it.
///
/// Source, name and options are code, which runs with the program's rights and is not checked: they must never come
/// from a stranger. The options can make NVRTC read any file that the program can (`-I`, `--pre-include`).
class raw_kernel {
public:
    /// `name` is that of a __global__ function which the source declares extern "C". `options` are NVRTC's, as in
    /// {"-DN=4"}.
    raw_kernel(std::string source, std::string name, std::vector<std::string> options = {})
        : text_(detail::make_raw_text(std::move(source), std::move(name), std::move(options))) {}

    /// Launches the kernel on the device of the arrays among the arguments (the current device if there is none), in
    /// the order of the other work there, and does not wait. `shared_bytes` is the dynamic shared memory of a block.
    ///
    /// An array is passed as the pointer to its elements, which lie in row-major order. A named array that is not const
    /// may be written: if it shares its elements with a copy, it gets its own first. Everything else, as
    /// std::as_const(x) and expressions, which are evaluated first, must only be read. An array passed twice is the
    /// same memory. Other values are passed as they are, so that their types must be exactly the parameters'.
    ///
    /// Throws sinter::error on the host, which cannot run CUDA text; where NVRTC refuses the source, with its log; for
    /// a grid or block that CUDA does not launch; for arguments on several devices; and, where the driver tells the
    /// kernel's parameters (CUDA 12.4), for arguments of another number or other sizes.
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
