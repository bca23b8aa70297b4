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

import io.nettyrdma.testsuite.differential.Program.Ending;
import io.nettyrdma.testsuite.differential.Trigger.When;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Generates programs; the same seed gives the same program. */
final class Generator {

    /** The subject of a program. Other themes' operations occur only as far as any program may have them. */
    private enum Theme { QUIET, HALF_CLOSE, CLOSE, BREAK, ABORT, ABSENT, REREGISTER }

    private static final Theme[] THEMES = {
        Theme.QUIET, Theme.QUIET, Theme.QUIET, Theme.QUIET, Theme.QUIET, Theme.QUIET, Theme.QUIET, Theme.QUIET,
        Theme.HALF_CLOSE, Theme.HALF_CLOSE, Theme.HALF_CLOSE, Theme.CLOSE, Theme.CLOSE, Theme.CLOSE,
        Theme.BREAK, Theme.BREAK, Theme.ABORT, Theme.ABORT, Theme.ABSENT, Theme.REREGISTER
    };
    private static final int[] LONGEST = { 40, 40, 600, 600, 5_000, 5_000, 40_000, 40_000, 300_000, 2_000_000 };
    /**
     * If messages are no longer than this, a socket's buffer, as SO_SNDBUF does, holds all of them, so that data
     * flushed before an end is certain to be sent. The window does not hold all.
     */
    private static final int CERTAIN = 20_000;
    /** Half of it is sent byte by byte. */
    private static final int LONGEST_BROKEN = 5_000;
    private static final int MOST_SCRIPTS = 6;
    private static final int MOST_OPERATIONS = 6;
    private static final int[] WATER_MARKS = { 0, 0, 0, 64, 1 << 10, 32 << 10 };
    private static final int[] READS = { 0, 0, 0, 0, 1 << 10, 100, 64 << 10 };
    private static final int[] TURNS = { 0, 0, 1, 3, 10, 50 };

    private final Random random;
    private final List<String> without;
    private final Theme theme;
    private final int longest;

    /** @param without operations and triggers whose text contains one of these are left out. */
    Generator(long seed, List<String> without) {
        random = new Random(seed);
        this.without = without;
        theme = any(THEMES);
        int most = LONGEST[random.nextInt(LONGEST.length)];
        longest = theme == Theme.HALF_CLOSE || (theme == Theme.CLOSE || theme == Theme.BREAK) && chance(0.7)
                ? Math.min(CERTAIN, most) : most;
    }

    Program program() {
        Draft client = new Draft();
        Draft server = new Draft();
        if (theme != Theme.QUIET) {
            (chance(0.5) ? client : server).addTheme();
        }
        Ending ending = theme == Theme.ABSENT ? Ending.CLIENT_LEAVES_ABSENT_SERVER
                : theme == Theme.ABORT && chance(0.5) ? any(Ending.CLIENT_ABORTS, Ending.SERVER_ABORTS)
                : any(Ending.CLIENT_CLOSES, Ending.SERVER_CLOSES);
        Side absent = server.side();
        Route route = chance(0.7) ? Route.BY_ADDRESS : any(Route.values());
        return new Program(route, ending, TURNS[random.nextInt(TURNS.length)], client.side(server),
                theme == Theme.ABSENT ? new Side(false, absent.halfClosure(), 0, 0, server.side(client).scripts())
                        : server.side(client));
    }

    private boolean isAllowed(Object part) {
        return without.stream().noneMatch(part.toString()::contains);
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    @SafeVarargs
    private <T> T any(T... some) {
        return some[random.nextInt(some.length)];
    }

    /** A side under construction. */
    private final class Draft {

        private final List<Script> scripts = new ArrayList<>();
        private final boolean autoRead = chance(0.8);
        private final boolean halfClosure = chance(theme == Theme.HALF_CLOSE ? 0.8 : 0.2);
        private final int highWater = WATER_MARKS[random.nextInt(WATER_MARKS.length)];
        private final int receiveBytes = longest > 40_000 ? 0 : READS[random.nextInt(READS.length)];
        private int messages;
        private int signals;

        Draft() {
            if (chance(0.8)) {
                add(new Trigger(When.ACTIVE, 0));
            }
            int more = random.nextInt(MOST_SCRIPTS);
            for (int i = 0; i < more; i++) {
                add(trigger());
            }
        }

        Side side() {
            return new Side(autoRead, halfClosure, highWater, receiveBytes, scripts);
        }

        /** Replaces thousandths of the peer's bytes, which triggers wait for, by numbers of bytes. */
        Side side(Draft peer) {
            long bytes = peer.side().bytes();
            return side().with(withoutRing(scripts).stream().map(script -> {
                Trigger trigger = script.trigger();
                boolean waits = trigger.when() == When.BYTES || trigger.when() == When.READ_COMPLETE;
                return !waits ? script : new Script(new Trigger(trigger.when(),
                        (int) Math.max(1, bytes * trigger.argument() / 1000)), script.operations());
            }).filter(script -> isAllowed(script.trigger())).collect(Collectors.toList()));
        }

        /**
         * A script on writability may flush within Netty's {@code ChannelOutboundBuffer.addFlush}, when that finds a
         * cancelled write. Netty then counts what follows twice, and its list becomes circular, on any transport. So a
         * side with such a script cancels no writes.
         */
        private List<Script> withoutRing(List<Script> all) {
            if (all.stream().noneMatch(script -> script.trigger().when() == When.WRITABILITY)) {
                return all;
            }
            return all.stream().map(script -> new Script(script.trigger(), script.operations().stream()
                    .filter(operation -> !(operation instanceof Operation.Cancel))
                    .collect(Collectors.toCollection(ArrayList::new)))).collect(Collectors.toList());
        }

        private void add(Trigger trigger) {
            List<Operation> operations = new ArrayList<>();
            if (trigger.when() == When.INACTIVE || trigger.when() == When.INPUT_SHUTDOWN) {
                operations.add(new Operation.Look());
            }
            int count = 1 + random.nextInt(MOST_OPERATIONS);
            for (int i = 0; i < count; i++) {
                addOperation(operations, trigger.when() != When.THREAD);
            }
            if (chance(0.7)) {
                operations.add(new Operation.Flush());
            }
            if (trigger.when() != When.ACTIVE && trigger.when() != When.BYTES && trigger.when() != When.READ_COMPLETE
                    && trigger.when() != When.INPUT_SHUTDOWN) {
                // In the listener of a failed write, Netty may deregister before it fires channelInactive.
                operations.removeIf(Operation.Reregister.class::isInstance);
            }
            scripts.add(new Script(trigger, allowed(operations)));
        }

        private List<Operation> allowed(List<Operation> operations) {
            return operations.stream().filter(Generator.this::isAllowed)
                    .collect(Collectors.toCollection(ArrayList::new));
        }

        private Trigger trigger() {
            switch (random.nextInt(10)) {
            case 0, 1, 2:
                return new Trigger(chance(0.7) ? When.BYTES : When.READ_COMPLETE,
                        chance(0.3) ? 1000 : random.nextInt(1001));
            case 3, 4, 5:
                return messages == 0 ? new Trigger(When.ACTIVE, 0)
                        : new Trigger(When.WRITTEN, random.nextInt(messages));
            case 6:
                return new Trigger(When.WRITABILITY, 0);
            case 7:
                return new Trigger(chance(0.6) ? When.INPUT_SHUTDOWN : When.INACTIVE, 0);
            default:
                return signal();
            }
        }

        /** A signal that another script fires, if there is another script. */
        private Trigger signal() {
            if (scripts.isEmpty()) {
                return new Trigger(When.ACTIVE, 0);
            }
            int signal = signals++;
            List<Operation> giver = any(scripts.toArray(new Script[0])).operations();
            int at = random.nextInt(giver.size() + 1);
            switch (random.nextInt(3)) {
            case 0:
                giver.add(at, new Operation.Fire(signal));
                return new Trigger(When.EVENT, signal);
            case 1:
                giver.add(at, new Operation.Execute(signal));
                return new Trigger(When.TASK, signal);
            default:
                giver.add(at, new Operation.Spawn(signal));
                return new Trigger(When.THREAD, signal);
            }
        }

        private void addOperation(List<Operation> operations, boolean onLoop) {
            switch (random.nextInt(20)) {
            case 0, 1:
                operations.add(new Operation.Flush());
                break;
            case 2:
                operations.add(write(false));
                if (onLoop) {
                    operations.add(new Operation.Cancel(messages - 1));
                }
                break;
            case 3:
                // NIO lets one thread's "off" overtake another's "on".
                operations.add(onLoop ? new Operation.AutoRead(chance(0.4)) : new Operation.Read());
                break;
            case 4:
                operations.add(new Operation.Read());
                break;
            case 5:
                operations.add(chance(0.3) ? new Operation.Stall(random.nextInt(500))
                        : new Operation.Keep(1 + random.nextInt(20)));
                break;
            case 6:
                if (messages > 0) {
                    operations.add(new Operation.Cancel(random.nextInt(messages)));
                }
                break;
            default:
                operations.add(write(chance(0.5)));
                break;
            }
        }

        private Operation.Write write(boolean flushed) {
            int size = chance(0.1) ? 0 : 1 + random.nextInt(chance(0.5) ? Math.min(longest, 100) : longest);
            BufferKind kind = any(BufferKind.SOUND);
            return write(size, kind.takes(size, longest <= CERTAIN) ? kind : BufferKind.CHANNELS_OWN, flushed);
        }

        private Operation.Write write(int size, BufferKind kind, boolean flushed) {
            return new Operation.Write(messages++, size, kind, flushed, chance(0.1) && !kind.isLent(), chance(0.3));
        }

        /** Adds the theme's operations to the end of a script that runs on the loop. */
        private void addTheme() {
            if (chance(0.4)) {
                add(new Trigger(When.BYTES, 1000));
            } else if (scripts.isEmpty()) {
                add(new Trigger(When.ACTIVE, 0));
            }
            List<Script> onLoop = scripts.stream().filter(Script::isOnLoop).collect(Collectors.toList());
            if (onLoop.isEmpty()) {
                return;
            }
            List<Operation> last = (chance(0.4) ? onLoop.get(onLoop.size() - 1)
                    : any(onLoop.toArray(new Script[0]))).operations();
            for (Operation operation : ofTheme()) {
                last.addAll(allowed(List.of(operation)));
            }
        }

        /** In the next turn of the loop. */
        private Operation look() {
            List<Operation> operations = allowed(List.of(new Operation.Look(), write(true)));
            scripts.add(new Script(new Trigger(When.TASK, signals), operations));
            return new Operation.Execute(signals++);
        }

        private List<Operation> ofTheme() {
            return switch (theme) {
            case HALF_CLOSE -> chance(0.1) ? List.of(new Operation.ShutdownInput())
                    : chance(0.2) ? List.of(new Operation.ShutdownOutput(chance(0.3)), write(true))
                    : List.of(new Operation.ShutdownOutput(chance(0.3)));
            case CLOSE -> chance(0.5) ? List.of(new Operation.Close(chance(0.3)), write(true),
                    new Operation.Close(false), new Operation.Look(), look())
                    : List.of(new Operation.Close(chance(0.3)));
            case BREAK -> List.of(write(false), write(1 + random.nextInt(Math.min(longest, LONGEST_BROKEN)),
                    any(BufferKind.BROKEN), false),
                    write(false), new Operation.Flush());
            case ABORT -> List.of(new Operation.Abort());
            case REREGISTER -> List.of(new Operation.Reregister(), write(true));
            default -> List.of();
            };
        }
    }
}
