// The scheduler of a block's threads. Each pass runs every ready thread once. A pass without a ready thread is a
// deadlock, which detects divergent barriers and masks that name absent lanes. A sleeping thread may wait for another
// block, so then it is a deadlock only if no block can make progress.
#include <tests/emulate/block_runner.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

namespace sinter::emulate {

using sinter_emulate::collective;

thread_local constinit block_runner* block_runner::at_work = nullptr;

sinter_emulate::index3 place_of(std::int64_t n, const sinter_emulate::index3& size) {
    const std::int64_t x = size.x, y = size.y;
    return {static_cast<unsigned>(n % x), static_cast<unsigned>(n / x % y), static_cast<unsigned>(n / x / y)};
}

std::string block_runner::run(const launch_request& request, run_order order) {
    static constexpr sinter_emulate::services services = {on_block_barrier, on_warp_exchange, on_access,
                                                          on_fence,         on_sleep,         on_cluster_arrive,
                                                          on_cluster_wait,  on_in_block,      on_fail};
    request_ = request;
    failed_ = false;
    failure_.clear();
    const auto threads = static_cast<std::size_t>(request.block);
    parked_.clear();
    global_races_.start();
    turns_.resize(threads);
    std::iota(turns_.begin(), turns_.end(), 0);
    if (order == run_order::reverse) std::reverse(turns_.begin(), turns_.end());
    std::minstd_rand random(12345);
    if (order == run_order::shuffled) std::shuffle(turns_.begin(), turns_.end(), random);

    sinter_emulate::image_state& image = *request.image;
    image.emulator = services;
    image.grid_size = request.grid_size;
    image.block_size = request.block_size;

    std::vector<std::int64_t> blocks;
    if (order == run_order::shuffled) {
        blocks.resize(static_cast<std::size_t>(request.grid));
        std::iota(blocks.begin(), blocks.end(), 0);
        std::shuffle(blocks.begin(), blocks.end(), random);
        std::stable_sort(blocks.begin(), blocks.end(),
                         [n = request.cluster](std::int64_t a, std::int64_t b) { return n > 1 && a / n < b / n; });
    }
    block_runner* const outer = std::exchange(at_work, this);
    for (std::int64_t i = 0; i < request.grid && !failed_; ++i) {
        not_started_ = request.grid - i;
        if (request.cluster == 1)
            wake_until(request.max_resident - 1);
        else if (i % request.cluster == 0) {
            wake_until(0);
            global_races_.start_cluster();
            cluster_.start(request.cluster, request.block,
                           static_cast<std::size_t>(image.shared_end - image.shared_begin));
        }
        if (failed_) break;
        block_index_ = order == run_order::forward   ? i
                       : order == run_order::reverse ? request.grid - 1 - i
                                                     : blocks[static_cast<std::size_t>(i)];
        start_block();
        run_or_park();
    }
    not_started_ = 0;
    if (!failed_) wake_until(0);
    if (failed_) {
        for (parked& block : parked_) {
            threads_ = std::move(block.threads);
            abandon_all();
        }
    }
    parked_.clear();
    at_work = outer;
    return failure_;
}

void block_runner::start_block() {
    sinter_emulate::image_state& image = *request_.image;
    image.block = place_of(block_index_, request_.grid_size);
    global_races_.run(block_index_);
    image.thread = {0, 0, 0};
    poison(image.shared_begin, static_cast<std::size_t>(image.shared_end - image.shared_begin));
    threads_.resize(static_cast<std::size_t>(request_.block));
    for (thread& t : threads_) {
        t.state = status::unstarted;
        t.time = {};
    }
    warp_clock_.resize((threads_.size() + 31) / 32);
    races_.start(static_cast<std::size_t>(image.shared_end - image.shared_begin));
    ++block_clock_;
    running_ = request_.block;
    waiting_ = 0;
}

bool block_runner::advance() {
    while (running_ > 0) {
        bool moved = false, asleep = false;
        for (turn_ = 0; turn_ < turns_.size(); ++turn_) {
            const int index = turns_[turn_];
            const status state = threads_[static_cast<std::size_t>(index)].state;
            asleep = asleep || state == status::asleep;
            if (state != status::unstarted && state != status::ready) continue;
            moved = true;
            go_on(index);
            if (failed_) {
                abandon_all();
                return true;
            }
        }
        if (!moved && asleep) return false;
        if (!moved) {
            failed_ = true;
            failure_ = fmt::format("block {}, {}", block_index_, stuck());
            abandon_all();
            return true;
        }
    }
    end_block();
    return true;
}

void block_runner::end_block() {
    if (request_.cluster > 1) {
        const auto fewest = std::min_element(threads_.begin(), threads_.end(), [](const thread& a, const thread& b) {
            return a.time.waits < b.time.waits;
        });
        if (!cluster_.end(rank(), fewest->time)) {
            failed_ = true;
            failure_ = fmt::format("block {} has ended, and its cluster may still read its shared memory: meet first",
                                   block_index_);
            return;
        }
    }
    if (request_.dynamic_shared == nullptr) return;
    // Dynamic shared memory has the size that the launch requested: the image's bytes beyond it must still be poison.
    for (std::size_t at = (request_.dynamic_bytes + 3) / 4 * 4; at < request_.dynamic_capacity; at += 4) {
        if (std::memcmp(request_.dynamic_shared + at, &poison_word, sizeof poison_word) == 0) continue;
        failed_ = true;
        failure_ = fmt::format("block {}: shared memory was written past the {} bytes the launch asked for",
                               block_index_, request_.dynamic_bytes);
        return;
    }
}

void block_runner::go_on(int index) {
    thread& t = threads_[static_cast<std::size_t>(index)];
    if (t.state == status::unstarted) {
        if (resting_.empty()) {
            fibers_.push_back(std::make_unique<fiber>([this] { run_threads(); }));
            resting_.push_back(fibers_.back().get());
        }
        fiber* const on = resting_.back();
        resting_.pop_back();
        t.on = on;
        on->resume();
        if (on->at_rest()) resting_.push_back(on);
        return;
    }
    current_ = index;
    request_.image->thread = place_of(index, request_.block_size);
    fiber* const on = t.on;
    on->resume();
    if (on->at_rest()) resting_.push_back(on);
}

void block_runner::run_threads() {
    fiber* const on = threads_[static_cast<std::size_t>(turns_[turn_])].on;
    try {
        for (;;) {
            current_ = turns_[turn_];
            const auto self = static_cast<std::size_t>(current_);
            threads_[self].on = on;
            threads_[self].state = status::ready;
            request_.image->thread = place_of(current_, request_.block_size);
            request_.kernel(request_.arguments);
            threads_[self].state = status::exited;
            --running_;
            ++progress_;
            // A thread that never waited passes its stack to the next: most kernels switch stacks once per block.
            if (turn_ + 1 >= turns_.size()) return;
            if (threads_[static_cast<std::size_t>(turns_[turn_ + 1])].state != status::unstarted) return;
            ++turn_;
        }
    } catch (const abandoned&) {
        return;
    }
}

void block_runner::wait() {
    const int self = current_;
    threads_[static_cast<std::size_t>(self)].on->suspend();
    if (failed_) throw abandoned{};
    current_ = self;
}

void block_runner::abandon_all() {
    for (thread& t : threads_) {
        if (t.state == status::unstarted || t.state == status::exited || t.on->at_rest()) continue;
        t.on->resume();
        resting_.push_back(t.on);
    }
}

void block_runner::fail(std::string cause, int line) {
    failed_ = true;
    const std::string where = line > 0 ? fmt::format(", line {}", line) : "";
    failure_ = fmt::format("block {}, thread {}{}: {}", block_index_, current_, where, cause);
    throw abandoned{};
}

int block_runner::on_block_barrier(bool predicate, int line) {
    block_runner& r = *at_work;
    thread& self = r.threads_[static_cast<std::size_t>(r.current_)];
    ++r.progress_;
    self.state = status::at_barrier;
    self.line = line;
    self.predicate = predicate;
    if (++r.waiting_ < r.request_.block) {
        r.wait();
        return r.barrier_count_;
    }
    for (const thread& t : r.threads_)
        if (t.line != line)
            r.fail(fmt::format("__syncthreads was reached here by some threads and at line {} by others of the block: "
                               "every thread must pass the same barriers",
                               t.line),
                   line);
    r.barrier_count_ = 0;
    for (thread& t : r.threads_) {
        r.barrier_count_ += t.predicate ? 1 : 0;
        t.state = status::ready;
    }
    r.waiting_ = 0;
    ++r.block_clock_;
    return r.barrier_count_;
}

const unsigned long long* block_runner::on_warp_exchange(unsigned mask, unsigned long long value, collective what,
                                                         int line) {
    block_runner& r = *at_work;
    thread& self = r.threads_[static_cast<std::size_t>(r.current_)];
    const int lane = r.current_ % 32, first = r.current_ - lane;
    if ((mask >> lane & 1u) == 0)
        r.fail(fmt::format("the mask {:#010x} of {} does not name the calling lane {}", mask, name_of(what), lane),
               line);
    bool all_here = true;
    for (int other = 0; other < 32; ++other) {
        if ((mask >> other & 1u) == 0 || other == lane) continue;
        if (first + other >= r.request_.block)
            r.fail(fmt::format("the mask {:#010x} of {} names lane {}, but the block ends at thread {}", mask,
                               name_of(what), other, r.request_.block - 1),
                   line);
        const thread& t = r.threads_[static_cast<std::size_t>(first + other)];
        if (t.state == status::exited)
            r.fail(fmt::format("the mask {:#010x} of {} names lane {}, which has left the kernel", mask, name_of(what),
                               other),
                   line);
        all_here = all_here && t.state == status::in_collective && t.mask == mask && t.what == what && t.line == line;
    }
    ++r.progress_;
    self.state = status::in_collective;
    self.line = line;
    self.mask = mask;
    self.what = what;
    self.value = value;
    if (all_here)
        r.complete_collective(mask, first);
    else
        r.wait();
    return self.received;
}

void block_runner::complete_collective(unsigned mask, int first) {
    const auto begin = static_cast<std::size_t>(first);
    unsigned long long values[32];
    for (std::size_t lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1u) != 0)
            values[lane] = threads_[begin + lane].value;
        else
            poison(&values[lane], sizeof values[lane]);
    }
    for (std::size_t lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1u) == 0) continue;
        thread& t = threads_[begin + lane];
        std::copy(std::begin(values), std::end(values), t.received);
        t.state = status::ready;
    }
    ++warp_clock_[begin / 32];
}

void block_runner::on_sleep(int line) {
    block_runner& r = *at_work;
    thread& self = r.threads_[static_cast<std::size_t>(r.current_)];
    self.state = status::asleep;
    self.line = line;
    r.wait();
}

void block_runner::on_cluster_arrive(int line) {
    block_runner& r = *at_work;
    if (r.request_.cluster == 1) return;
    ++r.progress_;
    if (!r.cluster_.arrive(r.threads_[static_cast<std::size_t>(r.current_)].time))
        r.fail("__cluster_barrier_arrive for the second time without a wait between", line);
    r.global_races_.arrive();
}

void block_runner::on_cluster_wait(int line) {
    block_runner& r = *at_work;
    if (r.request_.cluster == 1) return;
    const auto self = static_cast<std::size_t>(r.current_);
    if (r.threads_[self].time.arrivals == r.threads_[self].time.waits)
        r.fail("__cluster_barrier_wait without an arrival before", line);
    while (!r.cluster_.is_complete(r.threads_[self].time)) on_sleep(line);
    if (r.cluster_.pass(r.rank(), r.threads_[self].time)) ++r.block_clock_;  // it is also a barrier of the block
    r.global_races_.pass();
}

void* block_runner::on_in_block(const void* own, unsigned block, int line) {
    block_runner& r = *at_work;
    const auto* p = static_cast<const char*>(own);
    if (!r.in_shared(p, 1)) r.fail("__cluster_map_shared_rank of what is not in shared memory", line);
    if (block >= static_cast<unsigned>(r.request_.cluster))
        r.fail(fmt::format("__cluster_map_shared_rank of block {} in a cluster of {}", block, r.request_.cluster),
               line);
    if (static_cast<int>(block) == r.rank()) return const_cast<void*>(own);
    char* const theirs = r.cluster_.shared_of(static_cast<int>(block));
    if (theirs == nullptr)
        r.fail(fmt::format("block {} of the cluster has not begun or has ended, and with it its shared memory: meet "
                           "at a barrier of the cluster",
                           block),
               line);
    return theirs + (p - r.request_.image->shared_begin);
}

void block_runner::on_fail(const char* cause, int line) { at_work->fail(cause, line); }

}  // namespace sinter::emulate
