// The device under test. On the emulated one kernels are collected first and compiled together.
#pragma once

#include <tests/fuzz/collecting_device.hpp>
#include <tests/fuzz/pretended_device.hpp>
#include <tests/fuzz/run.hpp>

#include <memory>
#include <string>

namespace sinter::fuzz {

class bench {
public:
    /// "host", "emulated" or "cuda". With `small` a case on "cuda" is planned for the case's machine, as on "emulated".
    explicit bench(const std::string& name, bool small = false);

    codegen::device& where() { return *where_; }
    /// On the emulated device: those collected so far.
    std::int64_t kernels() const { return collecting_ ? static_cast<std::int64_t>(collecting_->kernels()) : 0; }

    /// Makes the plan of a case, where that is done first.
    outcome prepare(const fuzz_case& c, placed_case& p);
    void compile();
    outcome check(const fuzz_case& c, placed_case& p);
    void count(const fuzz_case& c, placed_case& p, coverage& into);
    /// All of it, for one case.
    outcome evaluate(const fuzz_case& c);

private:
    void set_up(const fuzz_case& c);

    std::unique_ptr<collecting_device> collecting_;
    std::unique_ptr<pretended_device> pretended_;
    codegen::device* where_ = nullptr;
};

/// How many machines there are for a case to be for.
int machine_count();

}  // namespace sinter::fuzz
