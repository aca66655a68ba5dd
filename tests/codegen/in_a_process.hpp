// Runs a part of a test in a process of its own, which it may change or spoil.
#pragma once

#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace sinter::test {

/// What a process says that does this: "" if all is well.
inline std::string in_a_process(const std::function<std::string()>& work) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string said = work();
        const bool told = ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
        ::_exit(told ? 0 : 1);
    }
    ::close(ends[1]);
    std::string said;
    char block[4096];
    for (ssize_t n; (n = ::read(ends[0], block, sizeof block)) > 0;) said.append(block, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? said : said + " (the process failed)";
}

}  // namespace sinter::test
