// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See updater.h. */
#include "updater/updater.h"
#include "vdso_read.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>

#define INTERVAL_NS_MIN 1000000
#define INTERVAL_NS_MAX 1000000000
/* By which the kernel lets its maximum error grow, as long as nothing corrects its clock. */
#define KERNEL_DRIFT_PPB 500000

struct vdso_updater {
	struct vdso_discipline discipline;
	uint64_t interval_ns;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	_Bool stop, has_counter;
};

/* Sleeps until the next update or until it is stopped. */
static _Bool wait_for(struct vdso_updater *updater)
{
	struct timespec until;
	_Bool stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)updater->interval_ns;
	until.tv_sec += until.tv_nsec / VDSO_NSEC_PER_SEC;
	until.tv_nsec %= VDSO_NSEC_PER_SEC;
	pthread_mutex_lock(&updater->lock);
	while (!updater->stop && pthread_cond_timedwait(&updater->ended, &updater->lock, &until) != ETIMEDOUT)
		;
	stop = updater->stop;
	pthread_mutex_unlock(&updater->lock);
	return !stop;
}

/* What adjtimex says, whoever synchronises the kernel's clock; a kernel that refuses to tell does not know it, either. */
static void update(struct vdso_updater *updater)
{
	struct timex kernel = { .modes = 0 };
	int state = adjtimex(&kernel);
	_Bool known = state >= 0 && state != TIME_ERROR && !(kernel.status & STA_UNSYNC);

	vdso_discipline_set_reference(&updater->discipline, known ? (uint64_t)kernel.maxerror * 1000 : UINT64_MAX,
				      KERNEL_DRIFT_PPB);
	vdso_discipline_update(&updater->discipline, updater->interval_ns);
}

static void *work(void *argument)
{
	struct vdso_updater *updater = argument;

	while (wait_for(updater))
		update(updater);
	return NULL;
}

struct vdso_updater *vdso_updater_start(struct vdso_page *page, uint64_t interval_ns)
{
	struct vdso_updater *updater;
	enum vdso_discipline_result result;
	pthread_condattr_t monotonic;
	int error;

	if (interval_ns < INTERVAL_NS_MIN || interval_ns > INTERVAL_NS_MAX) {
		errno = EINVAL;
		return NULL;
	}
	updater = calloc(1, sizeof(*updater));
	if (!updater)
		return NULL;
	result = vdso_discipline_start(&updater->discipline, page);
	if (result == VDSO_DISCIPLINE_NO_CLOCKS) {
		free(updater);
		errno = ENOSYS;
		return NULL;
	}
	updater->has_counter = result == VDSO_DISCIPLINE_OK;
	updater->interval_ns = interval_ns;
	pthread_mutex_init(&updater->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&updater->ended, &monotonic);
	pthread_condattr_destroy(&monotonic);
	vdso_writer_set_getcpu(&updater->discipline.writer, vdso_getcpu_flags());
	update(updater);
	error = pthread_create(&updater->thread, NULL, work, updater);
	if (error) {
		free(updater);
		errno = error;
		return NULL;
	}
	return updater;
}

_Bool vdso_updater_has_counter(const struct vdso_updater *updater)
{
	return updater->has_counter;
}

void vdso_updater_stop(struct vdso_updater *updater)
{
	pthread_mutex_lock(&updater->lock);
	updater->stop = 1;
	pthread_cond_signal(&updater->ended);
	pthread_mutex_unlock(&updater->lock);
	pthread_join(updater->thread, NULL);
	vdso_discipline_stop(&updater->discipline);
	pthread_mutex_destroy(&updater->lock);
	pthread_cond_destroy(&updater->ended);
	free(updater);
}
