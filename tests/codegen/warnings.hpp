// Keeps the warnings that the library gives.
#pragma once

#include <sinter/warning.hpp>

#include <string>
#include <vector>

namespace sinter::test {

/// While it stands, warnings go to it.
class warnings {
public:
    warnings() {
        kept().clear();
        before_ = set_warning_handler([](const char* line) { kept().emplace_back(line); });
    }
    ~warnings() { set_warning_handler(before_); }
    warnings(const warnings&) = delete;
    warnings& operator=(const warnings&) = delete;

    const std::vector<std::string>& lines() const { return kept(); }

private:
    static std::vector<std::string>& kept() {
        static std::vector<std::string> all;
        return all;
    }
    warning_handler before_;
};

}  // namespace sinter::test
