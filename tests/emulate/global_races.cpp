// Vector clocks of blocks, and the rules for races.
#include <tests/emulate/global_races.hpp>

#include <algorithm>
#include <utility>

namespace sinter::emulate {

using sinter_emulate::access_kind;

void global_races::start() {
    launch_ = ++counter_;
    all_times_.clear();
    places_.clear();
    cluster_.clear();
    run(0);
}

void global_races::run(std::int64_t block) {
    block_ = static_cast<std::uint32_t>(block);
    const auto found = all_times_.find(block);
    times_ = found == all_times_.end() ? nullptr : &found->second;
    now_ = times_ == nullptr ? launch_ : times_->now;
}

void global_races::join(clock& to, const clock& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (std::size_t b = 0; b < from.size(); ++b) to[b] = std::max(to[b], from[b]);
}

global_races::block_times& global_races::times() {
    if (times_ == nullptr) {
        times_ = &all_times_[block_];
        times_->now = now_;
    }
    return *times_;
}

void global_races::fence() {
    block_times& t = times();
    const bool more = !t.read.empty() || t.fenced.empty();
    join(t.seen, t.read);
    t.read.clear();
    if (more) t.fenced = t.seen;
    if (t.fenced.size() <= block_) t.fenced.resize(block_ + 1);
    t.fenced[block_] = now_;
    t.now = now_ = ++counter_;
}

void global_races::arrive() {
    fence();
    join(cluster_, times().fenced);
}

void global_races::pass() {
    join(times().read, cluster_);
    fence();
}

bool global_races::conflicts(const race_touch& t, unsigned bytes) const {
    if (!is_live(t) || t.block == block_ || (t.bytes & bytes) == 0) return false;
    return times_ == nullptr || t.block >= times_->seen.size() || times_->seen[t.block] < t.time;
}

void global_races::note(race_touch& t, unsigned bytes) const {
    const bool same = t.time == now_ && t.block == block_;
    t.time = now_;
    t.block = block_ & ((1u << 28) - 1);
    t.bytes = (same ? t.bytes | bytes : bytes) & 15u;
}

void global_races::note_read(race_cell& c, unsigned bytes) const {
    if (is_live(c.other_read) && c.other_read.block == block_) return note(c.other_read, bytes);
    if (is_live(c.read) && c.read.block != block_) c.other_read = c.read;
    note(c.read, bytes);
}

global_races::sync_place* global_races::place_of(const race_cell& c, std::uintptr_t word) {
    if (c.place >= places_.size()) return nullptr;
    sync_place& s = places_[c.place];
    return s.word == word ? &s : nullptr;  // otherwise of an earlier launch
}

global_races::sync_place& global_races::make_place(race_cell& c, std::uintptr_t word) {
    if (sync_place* const s = place_of(c, word); s != nullptr) return *s;
    c.place = static_cast<std::uint32_t>(places_.size());
    places_.push_back({word, {}, {}, {}});
    return places_.back();
}

void global_races::synchronise(sync_place& s, bool reads, bool writes) {
    if (reads && !s.released.empty()) join(times().read, s.released);
    if (writes) {
        if (times_ != nullptr) join(s.released, times_->fenced);
        s.last.time = now_;
        s.last.block = block_ & ((1u << 28) - 1);
        s.last.bytes = 15;
        s.observers.clear();
    }
    if (std::find(s.observers.begin(), s.observers.end(), block_) == s.observers.end()) s.observers.push_back(block_);
}

std::int64_t global_races::access(race_cell* cells, const void* p, std::size_t bytes, access_kind kind) {
    const bool plain = kind == access_kind::read || kind == access_kind::write;
    const bool writes = kind != access_kind::read && kind != access_kind::volatile_read;
    const bool reads = kind != access_kind::write && kind != access_kind::volatile_write;
    const auto begin = reinterpret_cast<std::uintptr_t>(p), end = begin + bytes;
    std::int64_t other = -1;
    for (std::uintptr_t word = begin / race_word; word * race_word < end; ++word, ++cells) {
        race_cell& c = *cells;
        const std::uintptr_t first = std::max(begin, word * race_word), last = std::min(end, (word + 1) * race_word);
        const unsigned touched = ((1u << (last - first)) - 1) << (first - word * race_word);
        if (conflicts(c.write, touched)) other = c.write.block;
        if (writes && conflicts(c.read, touched)) other = c.read.block;
        if (writes && conflicts(c.other_read, touched)) other = c.other_read.block;
        if (!plain) {
            synchronise(make_place(c, word), reads, writes);
            continue;
        }
        if (const sync_place* const s = place_of(c, word); s != nullptr && conflicts(s->last, touched))
            if (std::find(s->observers.begin(), s->observers.end(), block_) == s->observers.end())
                other = s->last.block;
        if (writes)
            note(c.write, touched);
        else
            note_read(c, touched);
    }
    return other;
}

}  // namespace sinter::emulate
