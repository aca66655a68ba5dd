// Blocks that wait for other blocks, all of their threads asleep or waiting for one that is: they are suspended with
// their shared memory, and resumed in turn.
#include <tests/emulate/block_runner.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sinter::emulate {
namespace {

constexpr int max_idle_rounds = 100;

}  // namespace

void block_runner::run_or_park() {
    if (advance()) return;
    const sinter_emulate::image_state& image = *request_.image;
    parked_.push_back({block_index_, std::move(threads_), std::move(warp_clock_),
                       std::vector<char>(image.shared_begin, image.shared_end), std::move(races_), block_clock_,
                       running_, waiting_, barrier_count_});
    if (request_.cluster > 1) cluster_.park(rank(), parked_.back().shared.data());
    threads_.clear();
    warp_clock_.clear();
    races_ = {};
    const auto waiting = static_cast<std::int64_t>(parked_.size());
    if (waiting * request_.block <= max_waiting_threads) return;
    failed_ = true;
    failure_ = fmt::format(
        "block {}: {} blocks of {} threads wait for others, more than the emulator has room for; use a smaller machine",
        block_index_, waiting, request_.block);
}

void block_runner::wake(parked& block) {
    sinter_emulate::image_state& image = *request_.image;
    block_index_ = block.block_index;
    image.block = place_of(block_index_, request_.grid_size);
    global_races_.run(block_index_);
    if (request_.cluster > 1) cluster_.wake(rank());
    std::copy(block.shared.begin(), block.shared.end(), image.shared_begin);
    threads_ = std::move(block.threads);
    warp_clock_ = std::move(block.warp_clock);
    races_ = std::move(block.races);
    block_clock_ = block.block_clock;
    running_ = block.running;
    waiting_ = block.waiting;
    barrier_count_ = block.barrier_count;
    for (thread& t : threads_)
        if (t.state == status::asleep) t.state = status::ready;
}

void block_runner::wake_until(std::int64_t few) {
    int idle = 0;  // rounds in which threads only slept
    while (static_cast<std::int64_t>(parked_.size()) > few && !failed_) {
        const std::int64_t before = progress_;
        std::vector<parked> round = std::exchange(parked_, {});
        for (parked& block : round) {
            if (failed_) {
                parked_.push_back(std::move(block));
                continue;
            }
            wake(block);
            run_or_park();
        }
        idle = progress_ == before ? idle + 1 : 0;
        if (idle < max_idle_rounds || failed_) continue;
        failed_ = true;
        const parked& first = parked_.front();
        threads_ = first.threads;
        waiting_ = first.waiting;
        failure_ =
            fmt::format("block {}, {}; {} blocks wait and none goes on", first.block_index, stuck(), parked_.size());
        if (not_started_ > 0) failure_ += fmt::format(", the other {} have no room to start", not_started_);
        threads_.clear();
    }
}

}  // namespace sinter::emulate
