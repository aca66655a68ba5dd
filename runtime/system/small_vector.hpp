// Storage for per-argument data of a launch.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace sinter::codegen {

/// An uninitialised array with run-time size: on the stack, unless it is unusually large.
template <class T, std::size_t Usual>
class small_vector {
public:
    static_assert(std::is_trivially_copyable_v<T>);

    explicit small_vector(std::size_t n)
        : many_(n > Usual ? n : 0), data_(n > Usual ? many_.data() : reinterpret_cast<T*>(few_)), size_(n) {}
    small_vector(const small_vector&) = delete;
    small_vector& operator=(const small_vector&) = delete;

    T* data() { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }

private:
    alignas(T) std::byte few_[Usual * sizeof(T)];
    std::vector<T> many_;
    T* const data_;
    const std::size_t size_;
};

}  // namespace sinter::codegen
