// What a launch gathers for each argument.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace sinter::codegen {

/// Room for a number of values that run time knows: on the stack, but for unusually many. Uninitialised.
template <class T, std::size_t Usual>
class short_list {
public:
    static_assert(std::is_trivially_copyable_v<T>);

    explicit short_list(std::size_t n)
        : many_(n > Usual ? n : 0), data_(n > Usual ? many_.data() : reinterpret_cast<T*>(few_)), size_(n) {}
    short_list(const short_list&) = delete;
    short_list& operator=(const short_list&) = delete;

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
