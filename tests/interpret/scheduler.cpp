// The scheduler runs a ready warp, chosen at random. Warps that wait for memory or for their cluster are polled when
// no other warp is ready. If none of them makes progress and no block can start, it is a deadlock.
#include <tests/interpret/engine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace sinter::interpret {
namespace {

/// Blocks that run concurrently if none waits for another: enough to detect dependence on their order.
constexpr std::int64_t few_blocks = 3;

}  // namespace

std::string engine::run(const kernel& k, const launch_request& request) {
    code_ = k.ready.get();
    request_ = request;
    cluster_size_ = k.cluster;
    failure_.clear();
    random_.seed(request.seed + 1);
    scratch_.resize(std::max(scratch_.size(), code_->scratch_bytes));
    memory_.start_launch(request.grid);
    block_now_ = -1;
    clock_ = 0;
    progress_at_last_round_ = -1;
    states_.clear();
    idle_.clear();
    ready_.clear();
    waiting_.clear();
    read_arguments();
    order_blocks();
    try {
        start_blocks();
        take_turns();
    } catch (const abandoned&) {
    }
    if (!failure_.empty()) abandon_all();
    roots_.clear();
    maps_.clear();
    return failure_;
}

void engine::read_arguments() {
    uniform_.assign(code_->uniform_bytes, 0);
    bases_.assign(code_->arrays.size(), 0);
    base_roots_.assign(code_->arrays.size(), 0);
    roots_.clear();
    roots_.emplace_back();  // of arrays that are none of the parameters: views set their own
    const auto set = [&](int variable, const void* bytes, std::size_t size) {
        char* const to = uniform_.data() + code_->variables[static_cast<std::size_t>(variable)].bytes;
        for (std::size_t lane = 0; lane < warp_lanes; ++lane) std::memcpy(to + lane * size, bytes, size);
    };
    for (std::size_t i = 0; i < code_->parameters.size(); ++i) {
        const parameter_code& one = code_->parameters[i];
        if (!one.is_pointer) {
            set(one.of, request_.arguments[i], one.bytes);
            continue;
        }
        const char* p = nullptr;
        std::memcpy(&p, request_.arguments[i], sizeof p);
        const auto [begin, end] = memory_.bounds(p);
        bases_[static_cast<std::size_t>(one.of)] = reinterpret_cast<std::uint64_t>(p);
        base_roots_[static_cast<std::size_t>(one.of)] = static_cast<int>(roots_.size());
        roots_.emplace_back(begin, end, one.is_output);
    }
    const auto grid = static_cast<std::uint32_t>(request_.grid);
    set(code_->grid, &grid, sizeof grid);
    const std::uint32_t none = 0;
    set(code_->block, &none, sizeof none);
    set(code_->thread, &none, sizeof none);
}

// Whole clusters, one after the other.
void engine::order_blocks() {
    std::vector<std::int64_t> clusters(static_cast<std::size_t>(request_.grid / cluster_size_));
    std::iota(clusters.begin(), clusters.end(), 0);
    if (clusters.size() < 100000) std::shuffle(clusters.begin(), clusters.end(), random_);
    blocks_.clear();
    for (const std::int64_t c : clusters)
        for (int i = 0; i < cluster_size_; ++i) blocks_.push_back(c * cluster_size_ + i);
    begun_ = 0;
    resident_ = 0;
}

void engine::start_blocks() {
    const std::int64_t room = code_->waits_blocks ? request_.max_resident : std::min(few_blocks, request_.max_resident);
    if (cluster_size_ > 1) {
        if (resident_ > 0 || begun_ == blocks_.size()) return;
        const int warps = (request_.block + warp_lanes - 1) / warp_lanes;
        cluster_.start(cluster_size_, warps, code_->shared_units);
        memory_.start_cluster();
        members_.assign(static_cast<std::size_t>(cluster_size_), nullptr);
        for (int i = 0; i < cluster_size_; ++i) start(blocks_[begun_++]);
        return;
    }
    while (begun_ < blocks_.size() && resident_ < room) start(blocks_[begun_++]);
}

void engine::start(std::int64_t number) {
    if (idle_.empty()) {
        states_.push_back(std::make_unique<block_state>());
        idle_.push_back(states_.back().get());
        const int warps = (request_.block + warp_lanes - 1) / warp_lanes;
        for (int w = 0; w < warps; ++w) {
            auto made = std::make_unique<warp>();
            made->block = idle_.back();
            made->number = w;
            const int threads = std::min(request_.block - w * warp_lanes, warp_lanes);
            made->lanes = threads == warp_lanes ? all_lanes : (1u << threads) - 1;
            made->memory.resize(code_->warp_bytes);
            idle_.back()->warps.push_back(std::move(made));
        }
    }
    block_state& b = *idle_.back();
    idle_.pop_back();
    ++resident_;
    ++progress_;
    b.number = number;
    b.is_here = true;
    b.arrived = 0;
    b.running = static_cast<int>(b.warps.size());
    b.clock = ++clock_;
    b.shared.resize(code_->shared_bytes);
    if (code_->shared_units > 0) b.races.start(code_->shared_units);
    b.copying.assign(code_->shared_units, 0);
    b.unfenced.assign(code_->shared_units, 0);
    b.multiplying.assign(code_->shared_units, 0);
    start_phases(b);
    if (cluster_size_ > 1) members_[static_cast<std::size_t>(rank(b))] = &b;
    for (const auto& w : b.warps) {
        w->alive = w->lanes;
        w->state = warp_state::ready;
        w->time = {};
        w->at = nullptr;
        w->on = nullptr;
        w->copies.assign(1, {});
        w->unfenced.clear();
        w->multiplying.assign(1, {});
        std::copy(uniform_.begin(), uniform_.end(), w->memory.begin());
        auto* const blocks = reinterpret_cast<std::uint32_t*>(
            w->memory.data() + code_->variables[static_cast<std::size_t>(code_->block)].bytes);
        auto* const threads = reinterpret_cast<std::uint32_t*>(
            w->memory.data() + code_->variables[static_cast<std::size_t>(code_->thread)].bytes);
        for (int lane = 0; lane < warp_lanes; ++lane) {
            blocks[lane] = static_cast<std::uint32_t>(number);
            threads[lane] = static_cast<std::uint32_t>(w->number * warp_lanes + lane);
        }
        w->has_value.assign(code_->warp_flags, 0);
        std::fill_n(w->has_value.begin(), code_->uniform_flags, all_lanes);
        w->roots = base_roots_;
        w->addresses.resize(bases_.size() * warp_lanes);
        for (std::size_t a = 0; a < bases_.size(); ++a)
            std::fill_n(w->addresses.begin() + static_cast<std::ptrdiff_t>(a * warp_lanes), warp_lanes, bases_[a]);
        ready_.push_back(w.get());
    }
}

void engine::take_turns() {
    for (;;) {
        if (ready_.empty() && !wake_waiting()) return;
        const std::size_t chosen = random_() % ready_.size();
        warp& w = *ready_[chosen];
        ready_[chosen] = ready_.back();
        ready_.pop_back();
        give_turn(w);
        if (!failure_.empty()) return;
        if (w.state == warp_state::waiting) waiting_.push_back(&w);
        if (w.state != warp_state::ended) continue;
        if (--w.block->running == 0) {
            end_block(*w.block);
        } else if (w.block->arrived > 0) {
            now_ = &w;
            failure_ = fmt::format("block {}: warp {} has ended and others wait at a barrier: {}", w.block->number,
                                   w.number, vain_waits());
            return;
        }
    }
}

// False when all work is done, or on deadlock.
bool engine::wake_waiting() {
    if (waiting_.empty()) {
        if (resident_ == 0 && begun_ == blocks_.size()) return false;
        const auto stuck = std::any_of(states_.begin(), states_.end(), [](const auto& b) { return b->arrived > 0; });
        if (stuck) failure_ = "no warp can go on: " + vain_waits();
        return false;
    }
    if (progress_at_last_round_ == progress_) {
        failure_ = fmt::format("{} warps wait in vain: {}", waiting_.size(), vain_waits());
        if (begun_ < blocks_.size())
            failure_ += fmt::format("; the other {} blocks have no room to begin", blocks_.size() - begun_);
        return false;
    }
    progress_at_last_round_ = progress_;
    ready_.swap(waiting_);
    return true;
}

void engine::give_turn(warp& w) {
    now_ = &w;
    if (block_now_ != w.block->number) memory_.run_block(block_now_ = w.block->number);
    if (!code_->waits) return run_warp();
    if (w.on == nullptr) {
        if (resting_.empty()) {
            fibers_.push_back(std::make_unique<fiber>([this] { run_warp(); }));
            resting_.push_back(fibers_.back().get());
        }
        w.on = resting_.back();
        resting_.pop_back();
    }
    fiber* const on = w.on;
    on->resume();
    if (on->at_rest()) resting_.push_back(on);
}

void engine::run_warp() {
    warp& w = *now_;
    try {
        execute(code_->body, w.lanes);
    } catch (const abandoned&) {
    }
    w.state = warp_state::ended;
    ++progress_;
}

void engine::suspend(warp_state until) {
    warp* const self = now_;
    const step* const at_step = self->at;
    self->state = until;
    self->on->suspend();
    if (!failure_.empty()) throw abandoned{};
    now_ = self;
    self->state = warp_state::ready;
    self->at = at_step;
}

void engine::end_block(block_state& b) {
    if (cluster_size_ > 1) {
        const auto fewest = std::min_element(
            b.warps.begin(), b.warps.end(), [](const auto& x, const auto& y) { return x->time.waits < y->time.waits; });
        if (!cluster_.end(rank(b), (*fewest)->time))
            failure_ = fmt::format(
                "block {} has ended, and its cluster may still read its shared memory: a barrier of "
                "the cluster is missing",
                b.number);
    }
    for (const auto& [unit, barrier] : b.phases)
        if (!barrier.boxes.empty() && failure_.empty())
            failure_ = fmt::format("block {} has ended, and copies to its shared memory are under way", b.number);
    b.is_here = false;
    idle_.push_back(&b);
    --resident_;
    if (failure_.empty()) start_blocks();
}

void engine::abandon_all() {
    for (const auto& b : states_)
        for (const auto& w : b->warps) {
            if (w->on == nullptr || w->on->at_rest() || w->state == warp_state::ended) continue;
            w->on->resume();
            resting_.push_back(w->on);
        }
}

void engine::fail(const std::string& cause, int lane) {
    if (failure_.empty()) {
        const std::string thread = lane < 0 ? fmt::format("warp {}", now_->number)
                                            : fmt::format("thread {}", now_->number * warp_lanes + lane);
        const std::string words = now_->at != nullptr ? code_->words(*now_->at->from) : "";
        failure_ = fmt::format("block {}, {}, at \"{}\": {}", now_->block->number, thread, words, cause);
    }
    throw abandoned{};
}

/// A waiting warp, and where it waits.
std::string engine::vain_waits() const {
    for (const auto& b : states_)
        for (const auto& w : b->warps)
            if (b->is_here && w->at != nullptr &&
                (w->state == warp_state::waiting || w->state == warp_state::at_barrier))
                return fmt::format("warp {} of block {} at \"{}\"", w->number, b->number, code_->words(*w->at->from));
    return "";
}

runner::runner(global_memory& memory) : engine_(std::make_unique<engine>(memory)) {}
runner::~runner() = default;

std::string runner::run(const kernel& k, const launch_request& request) {
    const std::string failure = engine_->run(k, request);
    return failure.empty() ? failure : fmt::format("{}: {}", k.ready->heading, failure);
}

}  // namespace sinter::interpret
