// What reductions give. A device may fold in any order and grouping, so the interval of a floating sum is that of every
// order: |error| <= (n - 1) u / (1 - (n - 1) u) * sum |x| (Higham, "Accuracy and Stability of Numerical Algorithms",
// section 4.2). Where every partial sum is representable there is no error at all, and the interval is a point.
#include <tests/fuzz/meaning.hpp>

#include <sinter/error.hpp>
#include <tests/fuzz/tables.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace sinter::fuzz {
namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

struct limits {
    int digits;
    int least, greatest;  ///< exponents of the normal numbers
};
/// Of the dtype that accumulates.
limits limits_of(dtype type) {
    return computed_in(type) == dtype::float32 ? limits{24, -126, 127} : limits{53, -1022, 1023};
}

/// A finite number as odd * 2^exponent: how many bits `odd` has, and the exponent.
struct odd_part {
    int bits = 0, exponent = 0;
};
odd_part odd_part_of(real v) {
    if (v == 0) return {0, std::numeric_limits<int>::max()};
    int exponent = 0;
    const auto digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(v), &exponent), 64));
    const int zeros = std::countr_zero(digits);
    return {64 - zeros, exponent - 64 + zeros};
}

/// A floating reduction of the elements so far.
class floating_fold {
public:
    enum class what { sum, product, greatest, least };

    floating_fold(what op, dtype type) : op_(op), type_(type), limits_(limits_of(type)) {}

    void add(const known& x) {
        survey(x);
        ++count_;
        if (!x.is_sure()) return;
        if (op_ == what::sum)
            add_term(x);
        else if (op_ == what::product)
            add_factor(x);
        else
            add_extreme(x);
    }

    known value() const {
        if (nan_) return not_a_number();
        return op_ == what::sum ? sum() : op_ == what::product ? product() : unknown_ ? unknown() : extreme_;
    }

private:
    /// What the elements have in common.
    void survey(const known& x) {
        unknown_ = unknown_ || x.state == certainty::unknown;
        nan_ = nan_ || x.state == certainty::nan;
        if (!x.is_sure()) return;
        if (!x.is_point()) {
            points_ = false;
            maybe_infinite_ = maybe_infinite_ || std::isinf(x.lo) || std::isinf(x.hi);
            maybe_zero_ = maybe_zero_ || (x.lo <= 0 && x.hi >= 0);
            return;
        }
        positive_infinity_ = positive_infinity_ || x.lo == infinity;
        negative_infinity_ = negative_infinity_ || x.lo == -infinity;
        zero_ = zero_ || x.lo == 0;
    }

    void add_term(const known& x) {
        if (std::isinf(x.lo)) return;
        lo_ += x.lo;
        hi_ += x.hi;
        magnitude_ += std::fmax(std::fabs(x.lo), std::fabs(x.hi));
        quantum_ = std::min(quantum_, odd_part_of(x.lo).exponent);
    }

    known sum() const {
        if (positive_infinity_ && negative_infinity_) return not_a_number();
        if (unknown_ || maybe_infinite_) return unknown();
        if (magnitude_ > std::ldexp(real(1), limits_.greatest)) return unknown();
        if (positive_infinity_) return exactly(infinity);
        if (negative_infinity_) return exactly(-infinity);
        if (magnitude_ == 0) return exactly(0);
        if (points_ && magnitude_ <= std::ldexp(real(1), limits_.digits + quantum_)) return rounded(type_, lo_, lo_, 0);
        const real n = static_cast<real>(count_) + 2;
        const real off =
            n * std::ldexp(magnitude_, -limits_.digits) * (1 + n * std::ldexp(real(1), -limits_.digits + 1));
        return rounded(type_, lo_ - off, hi_ + off, 1);
    }

    void add_factor(const known& x) {
        if (x.is_point() && (std::isinf(x.lo) || x.lo == 0)) return;
        const real low = factors_ == 0 ? real(1) : lo_, high = factors_ == 0 ? real(1) : hi_;
        ++factors_;
        const real corners[] = {low * x.lo, low * x.hi, high * x.lo, high * x.hi};
        lo_ = hi_ = corners[0];
        for (real c : corners) {
            lo_ = std::fmin(lo_, c);
            hi_ = std::fmax(hi_, c);
        }
        const real most = std::fmax(std::fabs(x.lo), std::fabs(x.hi));
        const real least = x.lo <= 0 && x.hi >= 0 ? real(1) : std::fmin(std::fabs(x.lo), std::fabs(x.hi));
        up_ += std::fmax(std::log2(most), real(0));
        down_ += std::fmin(std::log2(least), real(0));
        bits_ += odd_part_of(x.lo).bits;
    }

    known product() const {
        if (unknown_ || maybe_infinite_) return unknown();
        // Some order may overflow, or lose digits to underflow, where another does not.
        if (up_ > static_cast<real>(limits_.greatest - 1) || down_ < static_cast<real>(limits_.least + 1))
            return unknown();
        const bool infinite = positive_infinity_ || negative_infinity_;
        if (infinite && maybe_zero_ && !zero_) return unknown();
        if (infinite) return zero_ ? not_a_number() : known{-infinity, infinity};
        if (zero_) return exactly(0);
        const real low = factors_ == 0 ? real(1) : lo_, high = factors_ == 0 ? real(1) : hi_;
        if (points_ && bits_ <= limits_.digits) return rounded(type_, low, low, 0);
        const real n = static_cast<real>(count_) + 2;
        const real off = 2 * n * std::ldexp(std::fmax(std::fabs(low), std::fabs(high)), -limits_.digits) +
                         std::ldexp(n, static_cast<int>(up_) + 2 + limits_.least - limits_.digits);
        return rounded(type_, low - off, high + off, 1);
    }

    void add_extreme(const known& x) {
        if (factors_++ == 0) extreme_ = x;
        const bool greatest = op_ == what::greatest;
        extreme_.lo = greatest ? std::fmax(extreme_.lo, x.lo) : std::fmin(extreme_.lo, x.lo);
        extreme_.hi = greatest ? std::fmax(extreme_.hi, x.hi) : std::fmin(extreme_.hi, x.hi);
    }

    what op_;
    dtype type_;
    limits limits_;
    std::int64_t count_ = 0;
    bool unknown_ = false, nan_ = false, points_ = true;
    bool maybe_infinite_ = false;  ///< an interval reaches infinity
    bool maybe_zero_ = false;      ///< or 0
    bool positive_infinity_ = false, negative_infinity_ = false, zero_ = false;
    real lo_ = 0, hi_ = 0, magnitude_ = 0;
    int quantum_ = std::numeric_limits<int>::max();
    std::int64_t factors_ = 0;  ///< that are neither 0 nor infinite
    real up_ = 0, down_ = 0;
    int bits_ = 0;
    known extreme_;
};

class floating_folding final : public folding {
public:
    /// `numbers_alone`: of the elements that are no numbers nothing is folded.
    floating_folding(floating_fold::what op, dtype type, bool numbers_alone)
        : folded_(op, type), numbers_alone_(numbers_alone) {}
    void add(const known& x) override {
        if (numbers_alone_ && x.state == certainty::nan) return;
        empty_ = false;
        folded_.add(x);
    }
    known value() const override { return numbers_alone_ && empty_ ? not_a_number() : folded_.value(); }

private:
    floating_fold folded_;
    bool numbers_alone_, empty_ = true;
};

class complex_sum final : public folding {
public:
    explicit complex_sum(dtype type)
        : re_(floating_fold::what::sum, real_of(type)), im_(floating_fold::what::sum, real_of(type)) {}
    void add(const known& z) override {
        unknown_ = unknown_ || !z.is_sure();
        re_.add(real_part(z));
        im_.add(imaginary_part(z));
    }
    known value() const override { return unknown_ ? unknown() : joined(re_.value(), im_.value()); }

private:
    floating_fold re_, im_;
    bool unknown_ = false;
};

class complex_product_of_all final : public folding {
public:
    explicit complex_product_of_all(dtype type) : type_(type) {}
    void add(const known& z) override { all_.push_back(z); }
    known value() const override { return complex_product(type_, all_.data(), all_.size()); }

private:
    dtype type_;
    std::vector<known> all_;
};

class integer_folding final : public folding {
public:
    integer_folding(const std::string& op, dtype type)
        : type_(type),
          any_(op == "any"),
          all_(op == "all"),
          product_(op == "prod"),
          greatest_(op == "max"),
          least_(op == "min"),
          total_(product_ ? 1 : 0) {}

    void add(const known& x) override {
        unsure_ = unsure_ || !x.is_sure();
        if (!x.is_sure()) return;
        decided_ = decided_ || ((any_ || all_) && (x.integer != 0) == any_);
        const auto value = static_cast<std::uint64_t>(x.integer);
        total_ = product_ ? total_ * value : total_ + value;
        if (empty_) most_ = x;
        empty_ = false;
        const bool less =
            is_unsigned(type_) ? value < static_cast<std::uint64_t>(most_.integer) : x.integer < most_.integer;
        if (greatest_ ? !less && x.integer != most_.integer : less) most_ = x;
    }

    known value() const override {
        if (decided_) return truth(any_);
        if (unsure_) return unknown();
        if (any_ || all_) return truth(all_);
        if (greatest_ || least_) return most_;
        return whole(wrapped(type_, static_cast<std::int64_t>(total_)));
    }

private:
    dtype type_;
    bool any_, all_, product_, greatest_, least_;
    bool unsure_ = false, empty_ = true;
    bool decided_ = false;  ///< whatever else there is
    std::uint64_t total_;
    known most_;
};

}  // namespace

std::unique_ptr<folding> start_folding(const op_row& op, dtype type) {
    std::string name = op.name;
    const bool numbers_alone = name == "nanmax" || name == "nanmin";  // the extreme of what is a number
    if (numbers_alone) name = name.substr(3);
    if (is_complex(type) && name == "prod") return std::make_unique<complex_product_of_all>(type);
    if (is_complex(type)) return std::make_unique<complex_sum>(type);
    if (!is_floating(type)) return std::make_unique<integer_folding>(name, type);
    using what = floating_fold::what;
    for (const auto& [known_name, known_op] :
         {std::pair{"sum", what::sum}, {"prod", what::product}, {"max", what::greatest}, {"min", what::least}})
        if (name == known_name) return std::make_unique<floating_folding>(known_op, type, numbers_alone);
    throw error("fuzz: no meaning of '" + name + "'; add it to tests/fuzz/fold.cpp");
}

known fold(const op_row& op, dtype type, const std::vector<known>& elements) {
    const std::unique_ptr<folding> all = start_folding(op, type);
    for (const known& x : elements) all->add(x);
    return all->value();
}

}  // namespace sinter::fuzz
