// What the operations of the stress test share: what all threads read, what a thread has, and how a result is checked.
#pragma once

#include <sinter.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

namespace sinter::stress {

/// An array that threads take turns at.
struct slot {
    std::mutex mutex;
    array<double, 1> values;  // all of them equal
};

/// What exists once. What has no lock is read only while the threads run.
struct common {
    static constexpr std::int64_t rows = 40, columns = 30;

    common();

    array<double, 2> table;  // element (i, j) is i * columns + j
    array<float, 2> large;   // all 1: enough elements for all cores
    std::array<slot, 16> slots;
    std::mutex cancelling;
    std::stop_source to_cancel;  // of the evaluation that is under way
    std::string folder;          // of the files, which goes at the end
};

/// A thread of the test.
struct worker {
    common& all;
    int number;
    std::mt19937_64 random;

    std::int64_t below(std::int64_t limit) { return static_cast<std::int64_t>(random() % limit); }
    /// A small whole number, so that sums and products of it are exact.
    double value() { return static_cast<double>(below(100) + 1); }
};

/// A result that is wrong.
struct wrong : std::logic_error {
    using std::logic_error::logic_error;
};
inline void check(bool right, const char* what) {
    if (!right) throw wrong(what);
}

/// Whether all elements are that value, and how many there are.
template <class A>
bool all_are(const A& a, double value, std::int64_t count) {
    const auto elements = to_host(a);
    for (const auto& e : elements)
        if (static_cast<double>(e) != value) return false;
    return static_cast<std::int64_t>(elements.size()) == count;
}

/// One thing that a thread may do at any time; how often, beside the others; it throws where a result is wrong.
struct operation {
    const char* name;
    int weight;
    void (*run)(worker&);
};

// A file each.
std::vector<operation> evaluations();
std::vector<operation> handles();
std::vector<operation> scopes();
std::vector<operation> resources();

}  // namespace sinter::stress
