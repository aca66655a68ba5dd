// A kernel that keeps a device busy: what is enqueued behind it runs without the gaps in which the host launches.
#pragma once

namespace bench {

constexpr const char* hold_name = "hold";
constexpr const char* hold_text = R"(
extern "C" __global__ void hold(long long nanoseconds) {
    long long now, end;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(end));
    end += nanoseconds;
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now < end);
})";

}  // namespace bench
