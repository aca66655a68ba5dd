// Memory for what is under way in a thread, kept by the thread for what comes next.
#pragma once

#include <codegen/host/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace sinter::codegen::blocked {

/// Memory that grows and is never initialised. A thread keeps what it has let go of; one that takes up other work while
/// it waits within its own takes another piece for that.
class scratch {
public:
    scratch() : mine_(spare.first != nullptr ? std::exchange(spare.first, spare.first->next) : new piece) {}
    ~scratch() { mine_->next = std::exchange(spare.first, mine_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    /// Whether the memory is as `owner` left it.
    bool is_of(std::uint64_t owner) const { return mine_->owner == owner; }

    std::byte* reserve(std::size_t bytes, std::uint64_t owner = 0) {
        mine_->owner = owner;
        if (bytes > mine_->size) {
            mine_->release();
            mine_->memory = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}));
            mine_->size = bytes;
        }
        return mine_->memory;
    }

private:
    struct piece {
        std::byte* memory = nullptr;
        std::size_t size = 0;
        std::uint64_t owner = 0;  ///< who uses it or has used it last; 0: nobody who comes back to it
        piece* next = nullptr;

        void release() {
            if (memory != nullptr) ::operator delete(memory, std::align_val_t{alignment});
            memory = nullptr;
            size = 0;
        }
    };
    struct list {
        piece* first;
        ~list() {
            while (first != nullptr) {
                first->release();
                delete std::exchange(first, first->next);
            }
        }
    };
    static inline thread_local list spare{};

    piece* const mine_;
};

}  // namespace sinter::codegen::blocked
