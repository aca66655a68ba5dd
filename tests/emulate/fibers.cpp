// Fibers on Boost.Context, announced to AddressSanitizer if it is enabled.
#include <tests/emulate/fibers.hpp>

#include <boost/context/protected_fixedsize_stack.hpp>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define SINTER_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SINTER_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef SINTER_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace sinter::emulate {
namespace {

constexpr std::size_t stack_bytes = 128 * 1024;  // only the pages that a kernel touches are allocated

}  // namespace

fiber::fiber(std::function<void()> body) : body_(std::move(body)) {
    boost::context::protected_fixedsize_stack allocator(stack_bytes);
    const boost::context::stack_context stack = allocator.allocate();
    stack_high_ = static_cast<const char*>(stack.sp);
    stack_low_ = stack_high_ - stack.size;
    const boost::context::preallocated place(stack.sp, stack.size, stack);
    inside_ = boost::context::fiber(std::allocator_arg, place, allocator,
                                    [this](boost::context::fiber caller) { return loop(std::move(caller)); });
}

fiber::~fiber() {
    stopping_ = true;
    resume();
}

void fiber::resume() {
    enter_fiber();
    inside_ = std::move(inside_).resume();
    entered_caller();
}

void fiber::suspend() {
    enter_caller();
    caller_ = std::move(caller_).resume();
    entered_fiber();
}

boost::context::fiber fiber::loop(boost::context::fiber caller) {
    caller_ = std::move(caller);
    entered_fiber();
    while (!stopping_) {
        at_rest_ = false;
        body_();
        at_rest_ = true;
        suspend();
    }
    enter_caller();
    return std::move(caller_);
}

#ifdef SINTER_ADDRESS_SANITIZER
void fiber::enter_fiber() {
    __sanitizer_start_switch_fiber(&outer_fake_stack_, stack_low_, static_cast<std::size_t>(stack_high_ - stack_low_));
}
void fiber::entered_fiber() { __sanitizer_finish_switch_fiber(inner_fake_stack_, &outer_stack_, &outer_bytes_); }
void fiber::enter_caller() {
    // Even for the last time: null would free the fake stack, on which Boost's function that ends the fiber still runs.
    __sanitizer_start_switch_fiber(&inner_fake_stack_, outer_stack_, outer_bytes_);
}
void fiber::entered_caller() { __sanitizer_finish_switch_fiber(outer_fake_stack_, nullptr, nullptr); }
#else
void fiber::enter_fiber() {}
void fiber::entered_fiber() {}
void fiber::enter_caller() {}
void fiber::entered_caller() {}
#endif

}  // namespace sinter::emulate
