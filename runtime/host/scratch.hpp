// Temporary memory of a thread, kept for its next use.
#pragma once

#include <codegen/host/plan.hpp>
#include <codegen/support/thread_cached.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace sinter::codegen::blocked {

/// Memory that grows and is never initialised, kept by its thread from call to call.
class scratch {
public:
    /// Whether the memory is as `owner` left it.
    bool is_of(std::uint64_t owner) const { return piece_->owner == owner; }
    /// Marks the content as possibly useful to `owner` later.
    void leave_to(std::uint64_t owner) { piece_->owner = owner; }

    std::byte* reserve(std::size_t bytes) {
        piece_->owner = 0;
        if (bytes > piece_->size) {
            piece_->release();
            piece_->memory = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}));
            piece_->size = bytes;
        }
        return piece_->memory;
    }

private:
    struct piece {
        std::byte* memory = nullptr;
        std::size_t size = 0;
        std::uint64_t owner = 0;  ///< the number of the one that left reusable content; 0: none

        piece() = default;
        ~piece() { release(); }
        piece(const piece&) = delete;
        piece& operator=(const piece&) = delete;

        void release() {
            if (memory != nullptr) ::operator delete(memory, std::align_val_t{alignment});
            memory = nullptr;
            size = 0;
        }
    };

    const thread_cached<piece> piece_;
};

}  // namespace sinter::codegen::blocked
