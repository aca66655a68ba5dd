// Memory for programs that tests run by themselves: allocations, and which bytes have been written.
#pragma once

#include <tests/interpret/global_memory.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace sinter::interpret {

class plain_memory final : public global_memory {
public:
    /// n uninitialised elements.
    template <class T>
    T* allocate(std::size_t n) {
        // separated, so memory after an array belongs to no other
        one& made = all_.emplace_back();
        made.bytes.resize(n * sizeof(T) + 64);
        made.used = n * sizeof(T);
        made.written.resize(made.used);
        return reinterpret_cast<T*>(made.bytes.data());
    }
    template <class T>
    T* allocate(const std::vector<T>& values) {
        T* const p = allocate<T>(values.size());
        std::memcpy(p, values.data(), values.size() * sizeof(T));
        std::fill(all_.back().written.begin(), all_.back().written.end(), 1);
        return p;
    }
    template <class T>
    std::vector<T> values(const T* p, std::size_t n) const {
        return {p, p + n};
    }

    std::pair<const char*, const char*> bounds(const void* p) const override {
        const one* const found = find(p, 0);
        if (found == nullptr) return {};
        return {found->bytes.data(), found->bytes.data() + found->used};
    }
    bool holds(const void* p, std::size_t bytes) const override { return find(p, bytes) != nullptr; }
    std::string describe(const void*) const override { return "outside"; }
    std::string access(const void* p, std::size_t bytes, access_kind kind) override {
        one& in = *const_cast<one*>(find(p, bytes));
        const auto first = in.written.begin() + (static_cast<const char*>(p) - in.bytes.data());
        const auto last = first + static_cast<std::ptrdiff_t>(bytes);
        if ((kind == access_kind::read || kind == access_kind::volatile_read) && std::find(first, last, 0) != last)
            return "that nothing has written";
        if (kind != access_kind::read) std::fill(first, last, 1);
        return {};
    }
    void start_launch(std::int64_t) override {}
    void run_block(std::int64_t) override {}
    void fence() override {}
    void start_cluster() override {}
    void arrive_at_cluster() override {}
    void pass_cluster() override {}

private:
    struct one {
        std::vector<char> bytes;
        std::size_t used = 0;
        std::vector<char> written;
    };
    const one* find(const void* p, std::size_t bytes) const {
        const auto* const from = static_cast<const char*>(p);
        for (const one& a : all_)
            if (from >= a.bytes.data() && from + bytes <= a.bytes.data() + a.used) return &a;
        return nullptr;
    }
    std::deque<one> all_;
};

}  // namespace sinter::interpret
