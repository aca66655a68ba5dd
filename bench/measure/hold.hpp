// A kernel that keeps a device busy, so that work enqueued after it runs without gaps between the launches.
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
