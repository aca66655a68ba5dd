// A program of several processes for failure_test.py: one of them does what the first argument says, the others add up.
#include <sinter.hpp>
#include <sinter/mpi.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

using namespace sinter;

int main(int, char** argv) try {
    const std::string what = argv[1];
    const mesh m;
    const sharded<float, 1> x = scatter(m, astype<float>(arange<int>(1000)));
    if (item(sum(x)) != 499500.0f) throw error("the sum is wrong");
    if (m.first() == 1) {
        if (what == "killed") std::raise(SIGKILL);
        if (what == "late") std::this_thread::sleep_for(std::chrono::seconds(30));
        if (what == "throws") throw error("this process has had enough");
        if (what == "leaves") return 0;
        if (what == "stops") std::raise(SIGSTOP);
    }
    for (int i = 0; i < 3; ++i)
        if (item(max(x)) != 999.0f) throw error("the maximum is wrong");
    std::printf("process %d of %d is done\n", m.first(), m.size());
} catch (const error& e) {
    std::printf("error: %s\n", e.what());
    return 1;
}
