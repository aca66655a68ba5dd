// The text of custom() and custom_reduce(): what is taken stays in the one expression of the kernel where it stands.
#include <sinter.hpp>
#include <sinter/custom.hpp>
#include <tests/fuzzers/checks.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

std::ptrdiff_t count(const std::string& text, char c) { return std::count(text.begin(), text.end(), c); }

}  // namespace

void fuzz_custom(bytes input) {
    const std::string text(input.begin(), input.end());
    const device_scope on(host());
    const array<float, 1> all = {1, 2, 3, 4, 5, 6};
    const auto x = all(range(0, end, 2));  // a thread has one element, whatever the text calls
    try {
        const std::string source_of_text = source(custom<float>(text, x)), plain = source(custom<float>("x + T(1)", x));
        for (const char c : {'{', '}', ';', '#', '"'})
            if (count(source_of_text, c) != count(plain, c)) found("the text has left its expression: " + text);
        if (count(source_of_text, '(') != count(source_of_text, ')')) found("brackets do not match: " + text);
    } catch (const error& e) {
        check_message(e.what());
    }
    try {
        (void)source(custom_reduce<float>(text, "T(0)", x));
        (void)source(custom_reduce<float>("x + y", text, x));
    } catch (const error& e) {
        check_message(e.what());
    }
}

}  // namespace sinter::test
