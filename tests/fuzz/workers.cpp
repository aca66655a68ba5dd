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
            std::fflush(nullptr);
            const pid_t child = fork();
            if (child < 0) throw error("fuzz: cannot start a worker process; use fewer --jobs");
            if (child == 0) {
                try {
                    run(first, count, shared[slot]);
                } catch (const std::exception& e) {
                    std::fputs(e.what(), stderr);
                    std::_Exit(EXIT_FAILURE);
                }
                std::fflush(nullptr);
                std::_Exit(EXIT_SUCCESS);  // nothing is taken down: it would only take time
            }
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
        if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
            ++p.failed;
            crashed(p.seed, WIFSIGNALED(status)
                                ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                : fmt::format("exit status {}", WEXITSTATUS(status)));
        }
        all.add(p);
        idle.push_back(at->second);
        running.erase(at);
    }
    munmap(memory, slots * sizeof(progress));
    return all;
}

}  // namespace sinter::fuzz
