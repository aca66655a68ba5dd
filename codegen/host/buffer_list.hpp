// Assigns buffers of equal size in the order of execution; a buffer is free after its value's last use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::codegen::blocked {

/// A point in the order of execution.
using moment = std::int64_t;

class buffer_list {
public:
    int count = 0;  ///< buffers needed

    int take(moment now, moment until, std::size_t element_size) {
        // an op may write over an operand that dies with it, if their elements have the same size
        std::erase_if(held_, [&](const held& h) {
            const bool dead = h.until < now || (h.until == now && h.element_size == element_size);
            if (dead) free_.push_back(h.buffer);
            return dead;
        });
        int buffer = count;
        if (free_.empty()) {
            ++count;
        } else {
            buffer = free_.back();
            free_.pop_back();
        }
        held_.push_back({until, buffer, element_size});
        return buffer;
    }

private:
    struct held {
        moment until;
        int buffer;
        std::size_t element_size;
    };
    std::vector<held> held_;
    std::vector<int> free_;
};

}  // namespace sinter::codegen::blocked
