// Placing, evaluating, comparing.
#include <tests/fuzz/run.hpp>

#include <codegen/driver/pipeline.hpp>
#include <codegen/transforms/pass.hpp>
#include <runtime/launch/plan_table.hpp>
#include <runtime/memory/storage.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <sinter/fusion.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace sinter::fuzz {
namespace {

/// Errors that tell of a documented limit rather than of a mistake.
constexpr const char* limits[] = {"needs more than 32 loop axes"};

std::vector<char> packed(const buffer& b) {
    const std::size_t size = size_of(b.type);
    std::vector<char> bytes(b.elements.size() * size);
    for (std::size_t i = 0; i < b.elements.size(); ++i) std::memcpy(bytes.data() + i * size, &b.elements[i], size);
    return bytes;
}

std::string index_text(std::int64_t flat, const extents& shape, int rank) {
    std::string text;
    for (int a = rank - 1; a >= 0; --a) {
        const std::int64_t extent = shape[static_cast<std::size_t>(a)];
        text = fmt::format("{}{}", flat % extent, text.empty() ? "" : ", " + text);
        flat /= extent;
    }
    return "[" + text + "]";
}

/// Where in its buffer a region has the element of a row-major index.
std::int64_t place_of(std::int64_t flat, const node_values& v, const region& r) {
    std::int64_t at = r.offset;
    for (int a = v.rank - 1; a >= 0; --a) {
        const auto axis = static_cast<std::size_t>(a);
        at += flat % v.shape[axis] * r.strides[axis];
        flat /= v.shape[axis];
    }
    return at;
}

}  // namespace

placed_case::placed_case(const fuzz_case& c, const std::vector<node_values>& expected, codegen::device& where)
    : c_(c), expected_(expected), where_(where), lowered_(lower(c)), program_(lowered_.program()) {
    for (const buffer& b : c.buffers) {
        const auto n = static_cast<std::int64_t>(b.elements.size());
        buffers_.push_back(codegen::make_storage_on(where, b.type, 1, &n));
        detail::copy_from_host(buffers_.back(), packed(b).data());
    }
    for (const leaf& l : c.leaves) {
        const detail::storage_ref& memory = buffers_[static_cast<std::size_t>(l.buffer)];
        detail::storage_ref view = memory;
        // An owned leaf is its buffer, with the leaf's axes; any other is a view of it.
        if (!l.owned) {
            view = detail::storage_ref(new detail::storage);
            view->type = memory->type;
            view->owned = false;
            view->where = &where;
            view->data = static_cast<char*>(memory->data) + l.offset * static_cast<std::int64_t>(size_of(memory->type));
            view->bytes = static_cast<std::size_t>(size_of_shape(l.shape, l.rank)) * size_of(memory->type);
        }
        view->rank = static_cast<std::int8_t>(l.rank);
        std::copy(l.shape.begin(), l.shape.end(), view->extents);
        std::copy(l.strides.begin(), l.strides.end(), view->strides);
        leaves_.push_back(view);
    }
    if (c.target >= 0) target_ = leaves_[static_cast<std::size_t>(c.target)];
    if (c.target == fresh_target)
        target_ =
            codegen::make_storage_on(where, expected.back().type, expected.back().rank, expected.back().shape.data());
    if (c.into.buffer >= 0) {
        into_.whole = buffers_[static_cast<std::size_t>(c.into.buffer)].get();
        into_.offset = c.into.offset;
        std::copy(c.into.strides.begin(), c.into.strides.end(), into_.strides);
    }
    for (int l : lowered_.leaves) arguments_.push_back(leaves_[static_cast<std::size_t>(l)]);
}

outcome placed_case::guarded(const std::function<outcome()>& work) {
    try {
        const device_scope scope{device(where_)};
        const fusion_scope mode(c_.unfused ? fusion::off : fusion::on);
        return work();
    } catch (const std::exception& e) {
        for (const char* limit : limits)
            if (std::strstr(e.what(), limit) != nullptr) return {verdict::refused, e.what()};
        return {verdict::failure, e.what()};
    }
}

/// Where the results go.
std::vector<detail::evaluation_result> placed_case::places() {
    std::vector<detail::evaluation_result> results;
    for (const node_values& e : expected_) results.push_back({e.rank, e.shape.data(), nullptr, nullptr, {}});
    if (target_) results.back().target = &target_;
    if (into_.whole) results.back().into = &into_;
    return results;
}

std::vector<detail::evaluation_result> placed_case::evaluate() {
    std::vector<detail::evaluation_result> results = places();
    detail::evaluate(program_, slot_, arguments(), results.data());
    return results;
}

void placed_case::count(coverage& into) {
    if (where_.is_host()) return;
    guarded([&] {
        std::vector<detail::evaluation_result> results = places();
        const codegen::evaluation e = codegen::make_evaluation(program_, arguments(), results.data());
        count_plan(*codegen::find_plan(slot_, e), e, c_.seed, into);
        return outcome{};
    });
}

std::string placed_case::passes() const {
    std::string trace;
    codegen::make_kernels(program_, arguments(), &trace);
    return trace;
}

outcome placed_case::prepare() {
    return guarded([this]() -> outcome { return evaluate(), outcome{}; });
}

outcome placed_case::check() {
    return guarded([this] {
        const std::vector<detail::evaluation_result> results = evaluate();
        outcome all;
        for (std::size_t r = 0; r < results.size(); ++r) {
            outcome o = compare(results[r], expected_[r]);
            o.decided += all.decided;
            o.elements += all.elements;
            if (o.what != verdict::right) return o;
            all = o;
        }
        if (std::string why = spoiled_buffer(results.back()); !why.empty()) return outcome{verdict::mismatch, why};
        if (target_ || into_.whole) return all;
        const std::vector<detail::evaluation_result> again = evaluate();
        for (std::size_t r = 0; r < results.size(); ++r)
            if (elements_of(results[r], expected_[r]) != elements_of(again[r], expected_[r]))
                return outcome{verdict::mismatch, "a second evaluation gives other bits than the first"};
        return all;
    });
}

std::vector<word> placed_case::elements_of(const detail::storage& s, std::int64_t count) const {
    const std::size_t size = size_of(s.type);
    std::vector<char> bytes(static_cast<std::size_t>(count) * size);
    if (!bytes.empty()) where_.copy_to_host(bytes.data(), s.data, bytes.size());
    std::vector<word> elements(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < elements.size(); ++i) std::memcpy(&elements[i], bytes.data() + i * size, size);
    return elements;
}

/// The elements of a result, in row-major order.
std::vector<word> placed_case::elements_of(const detail::evaluation_result& r, const node_values& expected) const {
    if (r.into == nullptr) return elements_of(*r.made.get(), expected.size());
    const buffer& b = c_.buffers[static_cast<std::size_t>(c_.into.buffer)];
    const std::vector<word> whole = elements_of(*r.into->whole, static_cast<std::int64_t>(b.elements.size()));
    std::vector<word> elements;
    for (std::int64_t i = 0; i < expected.size(); ++i)
        elements.push_back(whole[static_cast<std::size_t>(place_of(i, expected, c_.into))]);
    return elements;
}

outcome placed_case::compare(const detail::evaluation_result& result, const node_values& expected) const {
    outcome o;
    if (result.into == nullptr) {
        const detail::storage& s = *result.made.get();
        if (s.type != expected.type || s.rank != expected.rank ||
            !std::equal(s.extents, s.extents + s.rank, expected.shape.begin()))
            return {verdict::mismatch, "the result has another dtype or shape"};
    }
    const std::vector<word> found = elements_of(result, expected);
    o.elements = expected.size();
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const known& x = expected.at[i];
        o.decided += x.state != certainty::unknown;
        if (admits(x, expected.type, found[i])) continue;
        if (wrong++ == 0)
            o.why = fmt::format("element {} is {} and should be {}",
                                index_text(static_cast<std::int64_t>(i), expected.shape, expected.rank),
                                text(expected.type, found[i]), text(x, expected.type));
    }
    if (wrong == 0) return o;
    o.what = verdict::mismatch;
    o.why += fmt::format("; {} of {} elements are wrong", wrong, found.size());
    return o;
}

/// Names an argument's buffer that has changed where no result was written.
std::string placed_case::spoiled_buffer(const detail::evaluation_result& last) const {
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
        if (buffers_[b].get() == last.made.get()) continue;
        const std::vector<word>& before = c_.buffers[b].elements;
        std::vector<word> now = elements_of(*buffers_[b].get(), static_cast<std::int64_t>(before.size()));
        if (c_.into.buffer == static_cast<int>(b))
            for (std::int64_t i = 0; i < expected_.back().size(); ++i) {
                const auto at = static_cast<std::size_t>(place_of(i, expected_.back(), c_.into));
                now[at] = before[at];
            }
        for (std::size_t i = 0; i < now.size(); ++i)
            if (now[i] != before[i]) return fmt::format("buffer {} was written at element {}", b, i);
    }
    return {};
}

}  // namespace sinter::fuzz
