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
    reached.add(other.reached);
}

progress spread(const work& w, const std::function<void(std::uint64_t, std::int64_t, progress&)>& run,
                const std::function<void(std::uint64_t, const std::string&)>& crashed) {
    const auto slots = static_cast<std::size_t>(std::max(w.jobs, 1));
    void* memory = mmap(nullptr, slots * sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw error("fuzz: no memory to share with worker processes; use fewer --jobs");
    auto* const shared = static_cast<progress*>(memory);
    std::vector<std::size_t> idle;
    for (std::size_t s = 0; s < slots; ++s) idle.push_back(s);

    struct range {
        std::uint64_t first, end;
    };
    std::vector<range> left;  // last first
    const std::uint64_t end = w.first_seed + static_cast<std::uint64_t>(w.graphs);
    const auto step = static_cast<std::uint64_t>(w.graphs_a_process);
    for (std::uint64_t first = w.first_seed; first < end; first += step)
        left.push_back({first, std::min(first + step, end)});
    std::reverse(left.begin(), left.end());
    std::map<pid_t, std::pair<std::size_t, range>> running;  // and its slot

    progress all;
    while (!left.empty() || !running.empty()) {
        if (!left.empty() && !idle.empty() && all.failed < w.max_failures) {
            const std::size_t slot = idle.back();
            const range r = left.back();
            idle.pop_back();
            left.pop_back();
            shared[slot] = {};
            shared[slot].seed = r.first;
            const pid_t child = start([&] { run(r.first, static_cast<std::int64_t>(r.end - r.first), shared[slot]); });
            running[child] = {slot, r};
            continue;
        }
        if (running.empty()) break;  // too many failures
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        const auto at = running.find(ended);
        if (at == running.end()) continue;
        const auto& [slot, r] = at->second;
        progress& p = shared[slot];
        if (const std::string cause = cause_of(status); !cause.empty()) {
            ++p.failed;
            crashed(p.seed, cause);
            if (p.seed + 1 < r.end) left.push_back({p.seed + 1, r.end});
        }
        all.add(p);
        idle.push_back(slot);
        running.erase(at);
    }
    munmap(memory, slots * sizeof(progress));
    return all;
}

}  // namespace sinter::fuzz
