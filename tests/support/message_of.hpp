// What the library's errors say.
#pragma once

#include <gmock/gmock.h>
#include <sinter/error.hpp>

#include <string>

namespace sinter::test {

/// The text of the error that `f` throws, with the log below it if there is one. The test fails where none is thrown.
template <class F>
std::string error_of(const F& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

/// The same where there is no log: the text is one line, and no complaint about the library itself.
template <class F>
std::string message_of(const F& f) {
    const std::string text = error_of(f);
    EXPECT_THAT(text, testing::Not(testing::AnyOf(testing::HasSubstr("\n"), testing::HasSubstr("internal error"))));
    return text;
}

}  // namespace sinter::test
