// Processes, by fork: each begins as this one is, before anything has started threads or a device.
#include <tests/fuzz/workers.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>

namespace sinter::fuzz {

namespace {

/// Starts a process that runs this and ends.
pid_t start(const std::function<void()>& run) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw error("fuzz: cannot start a worker process; use fewer --jobs");
    if (child > 0) return child;
    try {
        run();
    } catch (const std::exception& e) {
        std::fputs(e.what(), stderr);
        std::_Exit(EXIT_FAILURE);
    }
    std::fflush(nullptr);
    std::_Exit(EXIT_SUCCESS);  // nothing is taken down: it would only take time
}

/// Why a process did not end as it should; empty if it did.
std::string cause_of(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return {};
    if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

std::string run_apart(const std::function<void()>& run) {
    const pid_t child = start(run);
    int status = 0;
    while (waitpid(child, &status, 0) != child) {
    }
    return cause_of(status);
}

void progress::add(const progress& other) {
    graphs += other.graphs;
    refused += other.refused;
    failed += other.failed;
    kernels += other.kernels;
    decided += other.decided;
    elements += other.elements;
}

progress spread(const work& w, const std::function<void(std::uint64_t, std::int64_t, progress&)>& run,
                const std::function<void(std::uint64_t, const std::string&)>& crashed) {
    const auto slots = static_cast<std::size_t>(std::max(w.jobs, 1));
    void* memory = mmap(nullptr, slots * sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw error("fuzz: no memory to share with worker processes; use fewer --jobs");
    auto* const shared = static_cast<progress*>(memory);
    std::map<pid_t, std::size_t> running;  // and its slot
    std::vector<std::size_t> idle;
    for (std::size_t s = 0; s < slots; ++s) idle.push_back(s);

    progress all;
    for (std::int64_t done = 0; done < w.graphs || !running.empty();) {
        if (done < w.graphs && !idle.empty() && all.failed < w.most_failures) {
            const std::size_t slot = idle.back();
            idle.pop_back();
            shared[slot] = {};
            const std::int64_t count = std::min(w.graphs_a_process, w.graphs - done);
            const std::uint64_t first = w.first_seed + static_cast<std::uint64_t>(done);
            const pid_t child = start([&] { run(first, count, shared[slot]); });
            running[child] = slot;
            done += count;
            continue;
        }
        if (running.empty()) break;  // too many failures
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        const auto at = running.find(ended);
        if (at == running.end()) continue;
        progress& p = shared[at->second];
        if (const std::string cause = cause_of(status); !cause.empty()) {
            ++p.failed;
            crashed(p.seed, cause);
        }
        all.add(p);
        idle.push_back(at->second);
        running.erase(at);
    }
    munmap(memory, slots * sizeof(progress));
    return all;
}

}  // namespace sinter::fuzz
