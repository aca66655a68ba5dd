// Random programs around matrix products, as text: products of functions of products, their rows and columns reduced
// and normalised, masks, biases, several results.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace sinter::test {

class product_programs {
public:
    explicit product_programs(std::uint32_t seed) : random_(seed) {
        // often equal: a kernel may take one axis for another
        static constexpr std::array<std::int64_t, 5> lengths{16, 33, 64, 70, 130}, widths{16, 20, 33, 48, 64};
        rows_ = lengths[below(lengths.size())];
        keys_ = below(3) == 0 ? rows_ : lengths[below(lengths.size())];
        steps_ = widths[below(widths.size())];
        columns_ = below(3) == 0 ? steps_ : widths[below(widths.size())];
        if (below(3) == 0) batches_ = 2;
    }

    /// The text of one to two results.
    std::string text() {
        const std::string first = result();
        return below(4) == 0 ? "pack(" + first + ", " + result() + ")" : first;
    }

    /// By name of an operand: its shape.
    std::map<std::string, std::vector<std::int64_t>> shapes() const {
        return {{"q", batched({rows_, steps_})},
                {"k", batched({keys_, steps_})},
                {"v", batched({keys_, columns_})},
                {"w", {steps_, columns_}},
                {"u", {columns_, steps_}},
                {"r", batched({rows_, columns_})},
                {"m", {rows_, keys_}},
                {"t", {keys_}},
                {"c", {columns_}},
                {"s", {rows_}}};
    }

private:
    std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
    std::string one_of(const std::vector<std::string>& all) { return all[below(all.size())]; }
    std::vector<std::int64_t> batched(std::vector<std::int64_t> shape) const {
        if (batches_ > 0) shape.insert(shape.begin(), batches_);
        return shape;
    }
    std::string axis_of_rows() const { return batches_ > 0 ? "1" : "0"; }

    std::string mapped(const std::string& x) {
        return one_of({"relu(" + x + ")", "sigmoid(" + x + ")", "tanh(" + x + ")", "square(" + x + " * 0.25f)",
                       "gelu(" + x + ")", "(" + x + " * 0.5f)", "abs(" + x + ")"});
    }

    /// One number for each row and key.
    std::string scores() {
        const std::string plain = "matmul(q, matrix_transpose(k))";
        const std::string i = "arange(" + std::to_string(rows_) + ")(all, newaxis)",
                          j = "arange(" + std::to_string(keys_) + ")";
        switch (below(11)) {
            case 0: return plain;
            case 1: return "(" + plain + " + t)";
            case 2: return "(" + plain + " * s(all, newaxis))";
            case 3: return mapped("(" + plain + " + t)");
            case 4: return "softmax(" + plain + ", axis=-1)";
            case 5: return "softmax(where(" + j + " <= " + i + " + 3, " + plain + ", -INFINITY), axis=-1)";
            case 6: return "where(" + i + " <= " + j + ", " + mapped(plain) + ", 0)";
            case 7: return "softmax(" + plain + " + m, axis=-1)";
            case 8: return "(" + plain + " / (1 + sum(square(q), axis=-1, keepdims)))";
            case 9: return "matmul(" + mapped("matmul(q, w)") + ", matrix_transpose(v))";
            default: return mapped(plain);
        }
    }

    /// One number for each row and column.
    std::string values() {
        const std::string weighted = "matmul(" + scores() + ", v)";
        switch (below(9)) {
            case 0: return "matmul(q, w)";
            case 1: return "(matmul(q, w) + " + weighted + ")";
            case 2: return "(" + weighted + " + r)";
            case 3: return mapped("(" + weighted + " + c)");
            case 4: return "matmul(" + mapped("matmul(q, w)") + ", matmul(u, w))";
            case 5: return "(" + weighted + " * " + mapped("matmul(q, w)") + ")";
            case 6: return "matmul(rms_norm(q, axis=-1), w)";
            default: return weighted;
        }
    }

    std::string reduced(const std::string& x) {
        const std::string axis = below(2) == 0 ? "-1" : axis_of_rows();
        return one_of({"sum", "max", "min", "mean", "logsumexp", "var"}) + "(" + x + ", axis=" + axis + ")";
    }

    std::string result() {
        const std::string x = values();
        switch (below(9)) {
            case 0: return reduced(scores());
            case 1: return reduced(x);
            case 2: return "softmax(" + x + " * 0.05f, axis=-1)";  // exponentials of large numbers show their rounding
            case 3: return "layer_norm(" + x + ", axis=-1)";
            case 4: return scores();
            case 5: return "(" + x + " - " + one_of({"mean", "max"}) + "(r, axis=-1, keepdims))";
            case 6: return reduced("(" + x + " + " + values() + ")");
            default: return x;
        }
    }

    std::mt19937 random_;
    std::int64_t rows_ = 0, keys_ = 0, steps_ = 0, columns_ = 0, batches_ = 0;
};

}  // namespace sinter::test
