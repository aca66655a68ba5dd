// Cooperative fibers on one host thread, on which the threads of a block run.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>
#include <memory>

namespace sinter::emulate {

/// One fiber. It runs `body` each time it is resumed from rest, so its stack serves one thread after the other.
class fiber {
public:
    explicit fiber(std::function<void()> body);
    ~fiber();
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;

    /// From outside: continues where the fiber stopped, until it suspends or rests.
    void resume();
    /// From inside: returns to the caller of resume.
    void suspend();
    bool at_rest() const { return at_rest_; }
    /// Whether an address is on the fiber's stack: a local variable of its thread.
    bool owns(const void* address) const { return address >= stack_low_ && address < stack_high_; }

private:
    boost::context::fiber loop(boost::context::fiber caller);
    void enter_fiber();  // the two ends of a switch into the fiber,
    void entered_fiber();
    void enter_caller();  // and of a switch back
    void entered_caller();

    std::function<void()> body_;
    boost::context::fiber inside_;  ///< the fiber, while it is suspended
    boost::context::fiber caller_;  ///< the fiber that resumed it, while it runs
    const char* stack_low_ = nullptr;
    const char* stack_high_ = nullptr;
    bool at_rest_ = true;
    bool stopping_ = false;
    // What AddressSanitizer wants to hear when stacks change.
    [[maybe_unused]] void* outer_fake_stack_ = nullptr;
    [[maybe_unused]] void* inner_fake_stack_ = nullptr;
    [[maybe_unused]] const void* outer_stack_ = nullptr;
    [[maybe_unused]] std::size_t outer_bytes_ = 0;
};

}  // namespace sinter::emulate
