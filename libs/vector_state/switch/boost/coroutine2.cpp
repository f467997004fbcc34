// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A program over Boost.Coroutine2 whose sums are kept in registers over switches, on both sides: where the switch loses
// floating-point or vector registers, they come out wrong. Prints the sums; status 0 if they are right, 1 if not. Also ends
// one coroutine early, which Boost does by an exception on top of it, and lets one throw through to its caller.
#include <boost/coroutine2/all.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>

using coroutine = boost::coroutines2::coroutine<double>;

static int ended_early;

struct note_end {
	~note_end()
	{
		ended_early++;
	}
};

// Eight products live in registers over each yield.
static void produce(coroutine::push_type &yield)
{
	note_end note;
	double a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
	for (int i = 0; i < 1000; i++) {
		yield(a + b + c + d + e + f + g + h);
		a += 1;
		b += 2;
		c += 3;
		d += 4;
		e += 5;
		f += 6;
		g += 7;
		h += 8;
	}
}

int main()
{
	double sum = 0, squares = 0, weighted = 0, count = 0, largest = 0, alternating = 0, sign = 1;
	coroutine::pull_type numbers(produce);
	for (double n : numbers) {
		sum += n;
		squares += n * n;
		weighted += n * count;
		alternating += sign * n;
		sign = -sign;
		largest = n > largest ? n : largest;
		count += 1;
	}
	// n runs over 36, 72, ..., 36000.
	bool right = sum == 36.0 * 500500 && squares == 1296.0 * 333833500 && count == 1000 && largest == 36000 &&
		     weighted == 36.0 * 333333000 && alternating == -18000;
	std::printf("sum %.0f squares %.0f weighted %.0f alternating %.0f: %s\n", sum, squares, weighted, alternating,
		    right ? "right" : "WRONG");
	{
		coroutine::pull_type left_alone(produce);
		left_alone();
	}
	bool caught = false;
	try {
		coroutine::pull_type thrower([](coroutine::push_type &) { throw std::runtime_error("through"); });
	} catch (const std::runtime_error &) {
		caught = true;
	}
	std::printf("ended early: %d of 2; exception came through: %d\n", ended_early, caught);
	return !(right && ended_early == 2 && caught);
}
