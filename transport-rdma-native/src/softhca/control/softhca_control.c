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

/*
 * bin/softhca --control PID COMMAND: sends a command to a process that uses the software device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/softhca.h"

int main(int argc, char **argv)
{
	int error;

	if (argc != 3 || atoi(argv[1]) <= 0) {
		fprintf(stderr, "usage: softhca-control PID COMMAND\n"
				"  faults SPECIFICATION | remove-device | insert-device | port-down | port-up |\n"
				"  listens PORT [TIMES]\n");
		return 2;
	}
	error = softhca_control(atoi(argv[1]), argv[2]);
	if (error) {
		fprintf(stderr, "softhca: process %s, \"%s\": %s\n", argv[1], argv[2], strerror(-error));
		return 1;
	}
	return 0;
}
