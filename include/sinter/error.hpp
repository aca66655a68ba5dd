// The one exception type.
#pragma once

#include <stdexcept>

namespace sinter {

/// Thrown for every failure that only run time can know: shapes that do not broadcast, an axis out of range, a device
/// that is not there, an unreadable file. The message is one line with the cause and the cure; a failed compilation
/// appends the compiler's log and the numbered source.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace sinter
