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
package io.nettyrdma.testsuite.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Looks for a smaller program that also fails. Failures depend on threads, and a program that passed once may fail the
 * next time, so each candidate is tried several times.
 */
final class Shrinker {

    /** Runs a program. Returns the description of its failure, or {@code null}. */
    interface Trial {
        String failure(Program program) throws Exception;
    }

    private static final int TRIES = 4;
    /** The number of letters that distinguish kinds of failures. */
    private static final int KIND = 30;

    private final Trial trial;
    private final String kind;
    private final long end;
    private Program smallest;
    private String failure;

    /** @param nanos the time after which the best program so far is good enough. */
    Shrinker(Program program, String failure, Trial trial, long nanos) {
        this.trial = trial;
        this.failure = failure;
        kind = kind(failure);
        smallest = program;
        end = System.nanoTime() + nanos;
    }

    Program smallest() {
        return smallest;
    }

    String failure() {
        return failure;
    }

    /** Continues after each part that could be removed, and starts over until none can. */
    Shrinker shrink() throws Exception {
        int size;
        do {
            size = smallest.toString().length();
            List<Program> candidates = candidates(smallest);
            for (int i = 0; i < candidates.size() && System.nanoTime() < end; i++) {
                if (fails(candidates.get(i))) {
                    candidates = candidates(smallest);
                    i--;
                }
            }
        } while (smallest.toString().length() != size && System.nanoTime() < end);
        return this;
    }

    private boolean fails(Program candidate) throws Exception {
        for (int i = 0; i < TRIES; i++) {
            String found = trial.failure(candidate);
            if (found != null && kind(found).equals(kind)) {
                smallest = candidate;
                failure = found;
                return true;
            }
        }
        return false;
    }

    /** The first words. Without them it would accept programs that occasionally fail for another reason. */
    private static String kind(String failure) {
        String words = failure.replaceAll("[^a-z ]", "");
        return words.substring(0, Math.min(words.length(), KIND));
    }

    /** The largest reduction first. */
    private static List<Program> candidates(Program program) {
        List<Program> candidates = new ArrayList<>();
        for (Side each : smaller(program.client())) {
            candidates.add(program.with(each, program.server()));
        }
        for (Side each : smaller(program.server())) {
            candidates.add(program.with(program.client(), each));
        }
        if (program.turns() > 0) {
            candidates.add(new Program(program.route(), program.ending(), 0, program.client(), program.server()));
        }
        addIfOther(candidates, program, new Program(Route.BY_ADDRESS, program.ending(), program.turns(),
                program.client(), program.server()));
        return candidates;
    }

    private static List<Side> smaller(Side side) {
        List<Side> smaller = new ArrayList<>();
        List<Script> scripts = side.scripts();
        for (int i = 0; i < scripts.size(); i++) {
            smaller.add(side.with(without(scripts, i)));
        }
        for (int i = 0; i < scripts.size(); i++) {
            for (Script each : smaller(scripts.get(i))) {
                int at = i;
                smaller.add(side.with(changed(scripts, list -> {
                    list.set(at, each);
                    return list;
                })));
            }
        }
        addIfOther(smaller, side, new Side(true, side.halfClosure(), side.highWater(), side.receiveBytes(), scripts));
        addIfOther(smaller, side, new Side(side.autoRead(), false, side.highWater(), side.receiveBytes(), scripts));
        addIfOther(smaller, side, new Side(side.autoRead(), side.halfClosure(), 0, side.receiveBytes(), scripts));
        addIfOther(smaller, side, new Side(side.autoRead(), side.halfClosure(), side.highWater(), 0, scripts));
        return smaller;
    }

    private static List<Script> smaller(Script script) {
        List<Script> smaller = new ArrayList<>();
        List<Operation> operations = script.operations();
        for (int i = 0; i < operations.size(); i++) {
            smaller.add(script.with(without(operations, i)));
        }
        addIfOther(smaller, script, new Script(new Trigger(Trigger.When.ACTIVE, 0), operations));
        for (int i = 0; i < operations.size(); i++) {
            int at = i;
            for (Operation simpler : operations.get(i).simpler()) {
                addIfOther(smaller, script, script.with(changed(operations, list -> {
                    list.set(at, simpler);
                    return list;
                })));
            }
        }
        return smaller;
    }

    private static <T> List<T> without(List<T> list, int index) {
        return changed(list, copy -> {
            copy.remove(index);
            return copy;
        });
    }

    private static <T> List<T> changed(List<T> list, UnaryOperator<List<T>> change) {
        return change.apply(new ArrayList<>(list));
    }

    private static <T> void addIfOther(List<T> candidates, T present, T candidate) {
        if (!candidate.equals(present)) {
            candidates.add(candidate);
        }
    }
}
