// Placing, evaluating, comparing.
#include <tests/fuzz/run.hpp>

#include <codegen/launch/storage.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>

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

}  // namespace

placed_case::placed_case(const fuzz_case& c, const node_values& expected, codegen::device& where)
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
        target_ = codegen::make_storage_on(where, expected.type, expected.rank, expected.shape.data());
    for (int l : lowered_.leaves) arguments_.push_back(leaves_[static_cast<std::size_t>(l)]);
}

outcome placed_case::guarded(const std::function<outcome()>& work) {
    try {
        const device_scope scope{device(where_)};
        return work();
    } catch (const std::exception& e) {
        for (const char* limit : limits)
            if (std::strstr(e.what(), limit) != nullptr) return {verdict::refused, e.what()};
        return {verdict::failure, e.what()};
    }
}

detail::storage_ref placed_case::evaluate() {
    const detail::arguments_view arguments{arguments_.data(), lowered_.scalars.data(), lowered_.integers.data()};
    return detail::evaluate(program_, slot_, arguments, expected_.rank, expected_.shape.data(),
                            target_ ? &target_ : nullptr);
}

outcome placed_case::prepare() {
    return guarded([this]() -> outcome { return evaluate(), outcome{}; });
}

outcome placed_case::check() {
    return guarded([this] {
        const detail::storage_ref result = evaluate();
        outcome o = compare(result);
        if (o.what != verdict::right || target_) return o;
        if (elements_of(*result.get(), expected_.size()) != elements_of(*evaluate().get(), expected_.size()))
            return outcome{verdict::mismatch, "a second evaluation gives other bits than the first"};
        return o;
    });
}

std::vector<std::uint64_t> placed_case::elements_of(const detail::storage& s, std::int64_t count) const {
    const std::size_t size = size_of(s.type);
    std::vector<char> bytes(static_cast<std::size_t>(count) * size);
    if (!bytes.empty()) where_.copy_to_host(bytes.data(), s.data, bytes.size());
    std::vector<std::uint64_t> elements(static_cast<std::size_t>(count), 0);
    for (std::size_t i = 0; i < elements.size(); ++i) std::memcpy(&elements[i], bytes.data() + i * size, size);
    return elements;
}

outcome placed_case::compare(const detail::storage_ref& result) const {
    outcome o;
    const detail::storage& s = *result.get();
    if (s.type != expected_.type || s.rank != expected_.rank ||
        !std::equal(s.extents, s.extents + s.rank, expected_.shape.begin()))
        return {verdict::mismatch, "the result has another dtype or shape"};
    const std::vector<std::uint64_t> found = elements_of(s, expected_.size());
    o.elements = expected_.size();
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const known& x = expected_.at[i];
        o.decided += x.state != certainty::unknown;
        if (admits(x, s.type, found[i])) continue;
        if (wrong++ == 0)
            o.why = fmt::format("element {} is {} and should be {}",
                                index_text(static_cast<std::int64_t>(i), expected_.shape, expected_.rank),
                                text(s.type, found[i]), text(x, s.type));
    }
    if (wrong > 0) {
        o.what = verdict::mismatch;
        o.why += fmt::format("; {} of {} elements are wrong", wrong, found.size());
    } else if (o.why = spoiled_buffer(&s); !o.why.empty()) {
        o.what = verdict::mismatch;
    }
    return o;
}

/// Names an argument's buffer that has changed, other than the one that the result was written to.
std::string placed_case::spoiled_buffer(const detail::storage* result) const {
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
        if (buffers_[b].get() == result) continue;
        const std::vector<std::uint64_t>& before = c_.buffers[b].elements;
        const std::vector<std::uint64_t> now =
            elements_of(*buffers_[b].get(), static_cast<std::int64_t>(before.size()));
        for (std::size_t i = 0; i < now.size(); ++i)
            if (now[i] != before[i]) return fmt::format("buffer {} was written at element {}", b, i);
    }
    return {};
}

}  // namespace sinter::fuzz
