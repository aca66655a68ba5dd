// Functions composed of the table's rows. They are expressions like a user's own, never ops.
#pragma once

#include <sinter/op/composite/activations.hpp>
#include <sinter/op/composite/elementwise.hpp>
#include <sinter/op/composite/norm.hpp>
#include <sinter/op/composite/normalise.hpp>
#include <sinter/op/composite/products.hpp>
#include <sinter/op/composite/search.hpp>
#include <sinter/op/composite/statistics.hpp>
#include <sinter/op/composite_scalars.hpp>
