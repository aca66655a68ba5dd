// A block of a transformer in float16: launches and time of the forward pass and of all derivatives, checked against
// the same block in float64.
#include "support/program.hpp"
#include "support/transformer.hpp"

using namespace sinter;

/// Random weights with variance 1 / rows.
array<double, 2> weights(std::uint64_t seed, std::int64_t rows, std::int64_t columns) {
    return normal<double>(random_key(seed), {rows, columns}) / std::sqrt(static_cast<double>(rows));
}

transformer::block<double> random_block(std::int64_t features, std::int64_t heads) {
    const auto square = [&](std::uint64_t seed) { return weights(seed, features, features); };
    const array<double, 1> gain = 1 + 0.1 * normal<double>(random_key(1), {features});
    return {heads,
            gain,
            gain,
            square(2),
            square(3),
            square(4),
            square(5),
            weights(6, features, 4 * features),
            weights(7, 4 * features, features)};
}

template <class T>
transformer::block<T> converted(const transformer::block<double>& b) {
    const auto as = [](const auto& w) { return astype<T>(w); };
    return {b.heads,
            as(b.gain_before_attention),
            as(b.gain_before_mlp),
            as(b.query),
            as(b.key),
            as(b.value),
            as(b.output),
            as(b.up),
            as(b.down)};
}

/// The loss of a step of training, and its derivatives with respect to the weights.
template <class T>
auto training(const transformer::block<T>& b, const array<T, 3>& x, const array<T, 3>& target) {
    using number = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const auto loss = mean(square(astype<number>(b(x)) - target));
    return value_and_grad(loss, b.gain_before_attention, b.query, b.key, b.value, b.output, b.up, b.down);
}

template <class T>
struct derivatives {
    array<std::conditional_t<std::is_same_v<T, double>, double, float>, 0> loss;
    array<T, 1> gain;
    array<T, 2> query, key, value, output, up, down;

    void operator=(const auto& results) { tie(loss, gain, query, key, value, output, up, down) = results; }
};

/// The largest difference from the exact array, relative to the array's root mean square.
double error_of(const auto& computed, const auto& exact) {
    return item(max(abs(astype<double>(computed) - exact)) / sqrt(mean(square(exact))));
}

int main(int argc, char** argv) {
    CLI::App app("A transformer block in float16: launches, time and error.", "transformer_block");
    std::int64_t batch = 2, positions = 64, features = 128, heads = 2;
    std::string device_name;
    app.add_option("--batch", batch, "Sequences (2)")->check(CLI::Range(1, 1024));
    app.add_option("--positions", positions, "Of a sequence (64)")->check(CLI::Range(1, 65536));
    app.add_option("--features", features, "Of a position (128)")->check(CLI::Range(8, 16384));
    app.add_option("--heads", heads, "Of attention (2)")->check(CLI::Range(1, 256));
    app.add_option("--device", device_name, "host, cuda or cuda:1");
    return run_program(app, argc, argv, [&] {
        if (features % heads != 0) throw error("--heads: the features do not divide among them");
        const device_scope on(device_named(device_name));
        print_device();
        const transformer::block<double> exact = random_block(features, heads);
        const auto block = converted<float16>(exact);
        const array<double, 3> x = normal<double>(random_key(8), {batch, positions, features});
        const array<double, 3> target = normal<double>(random_key(9), {batch, positions, features});
        const array<float16, 3> x16 = astype<float16>(x), target16 = astype<float16>(target);
        std::printf("block      %lld sequences of %lld positions, %lld features, %lld heads\n",
                    static_cast<long long>(batch), static_cast<long long>(positions), static_cast<long long>(features),
                    static_cast<long long>(heads));
        array<float16, 3> y;
        derivatives<float16> of_step;
        std::printf("launches   %d forward, %d with derivatives\n", explain(block(x16)).launches,
                    explain(training(block, x16, target16)).launches);
        print_time("forward", [&] { y = block(x16); });
        print_time("loss and derivatives", [&] { of_step = training(block, x16, target16); });
        const array<double, 3> y_exact = exact(x);
        derivatives<double> of_exact;
        of_exact = training(exact, x, target);
        const double errors[] = {error_of(y, y_exact), error_of(of_step.query, of_exact.query),
                                 error_of(of_step.up, of_exact.up)};
        std::printf(
            "error      %.1e of the result, %.1e and %.1e of the derivatives by the queries' weights and the "
            "first layer's\n",
            errors[0], errors[1], errors[2]);
        const bool good = *std::max_element(errors, errors + 3) < 0.05;
        std::printf("check      %s\n", good ? "good" : "WRONG");
        return good;
    });
}
