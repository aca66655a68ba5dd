// What a thread sets for itself, streams, graphs, and evaluations that another thread cancels.
#include <sinter/cancel.hpp>
#include <tests/threads/stress.hpp>

#include <optional>

namespace sinter::stress {
namespace {

void streams(worker& w) {
    const stream a, b;
    const double v = w.value();
    array<double, 1> x, y;
    x.on(a) = full({1 + w.below(40)}, v);
    const event done(a);
    b.wait(done);
    y.on(b) = x * 2.0;
    x.on(a) += 1.0;
    synchronize(b);
    check(all_are(y, 2 * v, x.size()) && all_are(x, v + 1, x.size()), "streams");
}

void graphs(worker& w) {
    const double v = w.value();
    array<double, 1> x = full({1 + w.below(40)}, v);
    array<double, 0> total = 0.0;
    const graph g = capture([&] {
        x += 1.0;
        total = sum(x);
    });
    const int launches = static_cast<int>(w.below(4)) + 1;
    for (int i = 0; i < launches; ++i) g.launch();
    check(item(total) == (v + launches) * static_cast<double>(x.size()), "graphs");
}

/// Begins what others may cancel: either it throws and its target is as it was, or it is done.
void begin_cancellable(worker& w) {
    const double v = w.value();
    array<float, 1> x = full({common::rows}, static_cast<float>(v));
    std::stop_token token;
    {
        const std::lock_guard lock(w.all.cancelling);
        w.all.to_cancel = std::stop_source();
        token = w.all.to_cancel.get_token();
    }
    const cancel_scope scope(token);
    try {
        x += sum(w.all.large * 0.0f) + 1.0f;
    } catch (const cancelled&) {
        const std::stop_source unrequested;
        const cancel_scope not_here(unrequested.get_token());
        return check(all_are(x, v, common::rows), "what was cancelled");
    }
    const std::stop_source unrequested;
    const cancel_scope not_here(unrequested.get_token());
    check(all_are(x, v + 1, common::rows), "what was not cancelled");
}

void cancel(worker& w) {
    const std::lock_guard lock(w.all.cancelling);
    w.all.to_cancel.request_stop();
}

void without_fusion(worker& w) {
    const fusion_scope apart(fusion::off);
    const double v = w.value();
    const array<double, 1> y = full({7}, v) * 2.0 + 1.0;
    check(all_are(y, 2 * v + 1, 7), "without fusion");
}

void choices(worker& w) {
    std::optional<fast_math_scope> fast;
    std::optional<tuning_scope> tuned;
    const bool is_fast = w.below(2) == 0, is_tuned = w.below(2) == 0;
    if (is_fast) fast.emplace();
    if (is_tuned) tuned.emplace();
    const device_scope here(host());
    const double v = w.value();
    const array<double, 1> y = full({9}, v) * 3.0 - 1.0;
    check(current_fast_math() == is_fast && all_are(y, 3 * v - 1, 9), "scopes");
}

void warm(worker& w) {
    const std::int64_t n = 1 + w.below(60);
    const auto e = sqrt(full({n}, 4.0)) + 0.5;
    const auto f = sum(full({n, n}, 1.0), axis=0);
    warm_up(e, f);
    const array<double, 1> x = e, y = f;
    check(all_are(x, 2.5, n) && all_are(y, static_cast<double>(n), n), "warm_up");
}

}  // namespace

std::vector<operation> scopes() {
    return {{"streams", 50, streams},
            {"graphs", 50, graphs},
            {"cancellable", 1, begin_cancellable},
            {"cancel", 20, cancel},
            {"no fusion", 25, without_fusion},
            {"choices", 50, choices},
            {"warm_up", 4, warm}};
}

}  // namespace sinter::stress
