/*
 * Copyright 2026 The netty-transport-rdma Project
 *
 * The netty-transport-rdma Project licenses this file to you under the Apache License,
 * version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the
 * License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
 * either express or implied. See the License for the specific language governing permissions
 * and limitations under the License.
 */

/* The responder's records of its senders: by them a request that comes again is not executed again. */
#include <stdlib.h>
#include <string.h>

#include "personality/shca_personality.h"
#include "registry/shca_fabric.h"
#include "transport/srd/shca_srd.h"

uint32_t shca_srd_max_index(void)
{
	return shca_personality()->max_qp_wr;
}

static size_t size_of_records(void)
{
	return shca_srd_max_index() * sizeof(struct shca_srd_record);
}

/* A sender that is new is met once; its pages are allocated as far as it uses them. */
static struct shca_srd_source *add(struct shca_srd_source **bucket, uint32_t qpn, uint32_t epoch)
{
	struct shca_srd_source *source = calloc(1, sizeof(*source) + size_of_records());

	if (!source)
		return NULL;
	source->qpn = qpn;
	source->epoch = epoch;
	source->next = *bucket;
	*bucket = source;
	return source;
}

struct shca_srd_source *shca_srd_source_of(struct shca_srd *srd, uint32_t qpn, uint32_t epoch)
{
	/* Numbers of one process are neighbours; its slot is in the higher bits. */
	struct shca_srd_source **bucket = &srd->sources[(qpn ^ shca_slot_of_qpn(qpn)) % SHCA_SRD_BUCKETS];
	struct shca_srd_source *source = *bucket;

	while (source && source->qpn != qpn)
		source = source->next;
	if (!source)
		return add(bucket, qpn, epoch);
	if (source->epoch != epoch) {
		source->epoch = epoch;
		memset(source->records, 0, size_of_records());
	}
	return source;
}

void shca_srd_forget_sources(struct shca_srd *srd)
{
	for (uint32_t i = 0; i < SHCA_SRD_BUCKETS; i++) {
		while (srd->sources[i]) {
			struct shca_srd_source *source = srd->sources[i];

			srd->sources[i] = source->next;
			free(source);
		}
	}
}
