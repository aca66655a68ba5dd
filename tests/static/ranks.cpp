// The rank of every expression is part of its type: broadcasting, reductions with every form of axis, views.
#include <sinter.hpp>

namespace operands {
extern sinter::array<float, 0> r0;
extern sinter::array<float, 1> r1;
extern sinter::array<float, 2> r2;
extern sinter::array<float, 3> r3;
extern sinter::array<float, 8> r8;
}  // namespace operands

using namespace operands;
using namespace sinter;

#define RANK(...) (std::remove_cvref_t<decltype(__VA_ARGS__)>::rank)

// broadcasting: the higher rank, in either order
static_assert(RANK(r0 + r0) == 0);
static_assert(RANK(r0 + r3) == 3);
static_assert(RANK(r3 + r1) == 3);
static_assert(RANK(r1 * r8) == 8);
static_assert(RANK(2 * r2) == 2);
static_assert(RANK(exp(r3)) == 3);
static_assert(RANK(where(r1 > 0, r3, 0)) == 3);
static_assert(RANK(where(r3 > 0, r1, r2)) == 3);
static_assert(RANK(clip(r1, r2, r3)) == 3);

// all axes
static_assert(RANK(sum(r3)) == 0);
static_assert(RANK(sum(r0)) == 0);
static_assert(RANK(sum(r3, keepdims)) == 3);

// one run-time axis
static_assert(RANK(sum(r3, axis=1)) == 2);
static_assert(RANK(max(r3, axis=-1)) == 2);
static_assert(RANK(min(r1, axis=0)) == 0);
static_assert(RANK(sum(r3, axis=1, keepdims)) == 3);
static_assert(RANK(sum(r3, keepdims, axis=1)) == 3);
static_assert(RANK(sum(r3, axis=std::size_t{1})) == 2);

// several run-time axes
static_assert(RANK(sum(r3, axis={0, 2})) == 1);
static_assert(RANK(prod(r3, axis={-1, 0, 1})) == 0);
static_assert(RANK(sum(r8, axis={0, 2, 4, 6})) == 4);
static_assert(RANK(sum(r8, axis={0, 2, 4, 6}, keepdims)) == 8);
static_assert(RANK(mean(r3, axis={0, 2})) == 1);

// a compile-time axis
static_assert(RANK(sum(r3, axis=0_c)) == 2);
static_assert(RANK(sum(r3, axis=2_c)) == 2);
static_assert(RANK(sum(r3, axis=-3_c)) == 2);
static_assert(RANK(sum(r3, axis=-1_c, keepdims)) == 3);
static_assert(RANK(sum(r3, axis=std::integral_constant<int, 1>())) == 2);
static_assert(RANK(mean(r3, axis=1_c)) == 2);
static_assert(RANK(sum(sum(r3, axis=0_c), axis=0_c)) == 1);

// the axis of a compile-time reduction is part of the type, counted from the front
static_assert(std::is_same_v<decltype(sum(r3, axis=2_c)), decltype(sum(r3, axis=-1_c))>);
static_assert(!std::is_same_v<decltype(sum(r3, axis=2_c)), decltype(sum(r3, axis=1_c))>);
static_assert(std::is_same_v<decltype(sum(r3, axis=2)), decltype(sum(r3, axis=0))>);

// views
static_assert(RANK(transpose(r0)) == 0);
static_assert(RANK(transpose(r3)) == 3);
static_assert(RANK(permute(r3, {2, 0, 1})) == 3);
static_assert(RANK(broadcast_to(r1, {4, 3, 2})) == 3);
static_assert(RANK(broadcast_to(r1 + 1, sinter::shape<4>())) == 4);
static_assert(RANK(sinter::broadcast_to(1.0, {5})) == 1);

// arrays take the rank of what they are made from
static_assert(std::is_same_v<decltype(sinter::array(r3 + 1.0)), sinter::array<float, 3>>);
static_assert(std::is_same_v<decltype(sinter::array(sum(r3, axis=0))), sinter::array<float, 2>>);
static_assert(std::is_same_v<decltype(sinter::zeros<int>({2, 3})), sinter::array<int, 2>>);
static_assert(std::is_same_v<decltype(sinter::full({2, 3, 4}, 2.5f)), sinter::array<float, 3>>);

// shapes compute in constant expressions
constexpr sinter::shape<3> box(2, 3, 4);
static_assert(box.size() == 24 && box[0] == 2 && box.rank() == 3 && box == sinter::shape<3>({2, 3, 4}));
static_assert(sinter::shape<0>().size() == 1);
