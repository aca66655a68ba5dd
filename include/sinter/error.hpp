// The library's exception type.
#pragma once

#include <stdexcept>

namespace sinter {

/// Thrown for errors that only appear at run time: shapes that do not broadcast, an axis out of range, a missing
/// device, an unreadable file. The message is one line with the cause and the cure; a failed compilation appends the
/// compiler's log and the numbered source.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace sinter
