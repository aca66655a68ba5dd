// Buffers of equal size, handed out in the order of execution; a value's last use frees its buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::codegen::blocked {

/// A point in the order of execution.
using moment = std::int64_t;

class buffer_list {
public:
    int count = 0;  ///< buffers that it takes

    int take(moment now, moment until, std::size_t element_size) {
        // an op may write over an operand that dies with it, provided their elements lie alike
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
