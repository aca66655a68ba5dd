// einsum against loops over all its subscripts.
#include <sinter/einsum.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <map>

namespace sinter::test {
namespace {

class einsums : public on_devices {};

/// The sum of products, one element of the loops over all letters after the other.
naive summed(const std::vector<std::string>& letters, const std::string& result,
             const std::vector<const naive*>& operands) {
    std::map<char, std::int64_t> extents;
    for (std::size_t o = 0; o < operands.size(); ++o)
        for (std::size_t i = 0; i < letters[o].size(); ++i) extents[letters[o][i]] = operands[o]->shape[i];
    std::string all;
    index loops, shape;
    for (const auto& [letter, extent] : extents) {
        all += letter;
        loops.push_back(extent);
    }
    for (char c : result) shape.push_back(extents[c]);
    naive sums(shape);
    for_each_index(loops, [&](const index& at) {
        const auto places = [&](const std::string& of) {
            index own;
            for (char c : of) own.push_back(at[all.find(c)]);
            return own;
        };
        double product = 1;
        for (std::size_t o = 0; o < operands.size(); ++o) product *= (*operands[o])[places(letters[o])];
        sums[places(result)] += product;
    });
    return sums;
}

TEST_F(einsums, of_one_operand) {
    const naive a = random({7, 7}, 1), b = random({3, 7, 5, 7}, 2);
    const auto x = to_array<double, 2>(a);
    const auto y = to_array<double, 4>(b);
    expect_equal(einsum<"ij->ji">(x), summed({"ij"}, "ji", {&a}));
    expect_equal(einsum<"ij->">(x), summed({"ij"}, "", {&a}));
    expect_equal(einsum<"ii">(x), summed({"ii"}, "", {&a}));
    expect_equal(einsum<"ii->i">(x), summed({"ii"}, "i", {&a}));
    expect_equal(einsum<"bkjk -> jb">(y), summed({"bkjk"}, "jb", {&b}));
    expect_equal(einsum<"dbca">(y), summed({"dbca"}, "abcd", {&b}));
    static_assert(launches<decltype(sqrt(einsum<"ii">(exp(x))))> == 1);
}

TEST_F(einsums, of_two_operands) {
    const naive a = random({9, 14}, 3), b = random({14, 11}, 4), c = random({9, 14}, 5), u = random({14}, 6);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b), z = to_array<double, 2>(c);
    const auto v = to_array<double, 1>(u);
    expect_equal(einsum<"ij,jk->ik">(x, y), summed({"ij", "jk"}, "ik", {&a, &b}));
    expect_equal(einsum<"ij,jk">(x, y), summed({"ij", "jk"}, "ik", {&a, &b}));
    expect_equal(einsum<"ij,jk->ki">(x, y), summed({"ij", "jk"}, "ki", {&a, &b}));
    expect_equal(einsum<"ji,kj->ik">(transpose(x), transpose(y)), summed({"ij", "jk"}, "ik", {&a, &b}));
    expect_equal(einsum<"ij,kj->ik">(x, z), summed({"ij", "kj"}, "ik", {&a, &c}));
    expect_equal(einsum<"ij,ij->">(x, z), summed({"ij", "ij"}, "", {&a, &c}));
    expect_equal(einsum<"ij,ij->ij">(x, z), summed({"ij", "ij"}, "ij", {&a, &c}));
    expect_equal(einsum<"ij,j->i">(x, v), summed({"ij", "j"}, "i", {&a, &u}));
    expect_equal(einsum<"ij,k->kj">(x, v), summed({"ij", "k"}, "kj", {&a, &u}));
    expect_equal(einsum<"ij,kl->">(x, y), summed({"ij", "kl"}, "", {&a, &b}));
    static_assert(launches<decltype(einsum<"ij,jk->ik">(x, y))> == 1);
    static_assert(launches<decltype(einsum<"ij,j->i">(exp(x), v) + 1)> == 1);  // one operand is read once: fuses
    static_assert(launches<decltype(einsum<"ij,jk->ik">(exp(x), y))> == 2);
}

TEST_F(einsums, of_more_axes) {
    const naive a = random({2, 5, 3, 6}, 7), b = random({2, 7, 3, 6}, 8), c = random({4, 3, 5, 6}, 9);
    const auto x = to_array<float, 4>(a), y = to_array<float, 4>(b), z = to_array<float, 4>(c);
    expect_equal(einsum<"bqhd,bkhd->bhqk">(x, y), summed({"bqhd", "bkhd"}, "bhqk", {&a, &b}));
    expect_equal(einsum<"aqcd,ecqd->ae">(x, z), summed({"aqcd", "ecqd"}, "ae", {&a, &c}));
    expect_equal(einsum<"aqcd,ecqf->afde">(x, z), summed({"aqcd", "ecqf"}, "afde", {&a, &c}), 1e-4);
    const naive m = random({6, 6}, 10);
    expect_equal(einsum<"abcd,dd->abc">(x, to_array<float, 2>(m)), summed({"abcd", "dd"}, "abc", {&a, &m}));
}

TEST_F(einsums, of_several_operands) {
    const naive a = random({6, 9}, 11), b = random({9, 5}, 12), c = random({5, 8}, 13), u = random({8}, 14);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b), z = to_array<double, 2>(c);
    const auto v = to_array<double, 1>(u);
    expect_equal(einsum<"ij,jk,kl->il">(x, y, z), summed({"ij", "jk", "kl"}, "il", {&a, &b, &c}));
    expect_equal(einsum<"ij,jk,kl,l->i">(x, y, z, v), summed({"ij", "jk", "kl", "l"}, "i", {&a, &b, &c, &u}));
    expect_equal(einsum<"ij,jk,kl->">(x, y, z), summed({"ij", "jk", "kl"}, "", {&a, &b, &c}));
    expect_equal(einsum<"i,j,k->kji">(v, v, v), summed({"i", "j", "k"}, "kji", {&u, &u, &u}));
}

TEST_F(einsums, of_integers_and_of_nothing) {
    const naive a = random_integers({6, 9}, 15, -9, 9), b = random_integers({9, 5}, 16, -9, 9);
    const auto e = einsum<"ij,jk->ki">(to_array<int, 2>(a), to_array<std::int16_t, 2>(b));
    static_assert(std::is_same_v<decltype(array(e)), array<int, 2>>);
    expect_equal(e, summed({"ij", "jk"}, "ki", {&a, &b}));
    expect_equal(einsum<"ij,jk->ik">(zeros<float>({3, 0}), zeros<float>({0, 2})), naive({3, 2}));
}

TEST_F(einsums, of_extents_that_differ) {
    const array<float, 2> x({3, 4}), y({5, 6});
    try {
        static_cast<void>(einsum<"ij,jk->ik">(x, y));
        ADD_FAILURE() << "no error";
    } catch (const error& e) {
        EXPECT_STREQ(e.what(),
                     "einsum: the axes named j have extents 4 and 5; axes of one letter must have equal extents");
    }
    EXPECT_THROW(static_cast<void>(einsum<"ii->i">(x)), error);
}

}  // namespace
}  // namespace sinter::test
